import type { EventOf, StepId } from '../../run/events.ts';
import type { SubStep, Visualization } from '../../wire/console.ts';
import { questionId } from '../../run/question-id.ts';
import type { Card, Ended } from './card.ts';
import { decided } from './decision.ts';
import type { ShownQuestion } from '../shown-question.ts';

/** What happens on a console, whichever generation of names it is told in. */
export type Happening =
  | {
      readonly type: 'began';
      readonly text: string;
      readonly thread: string;
      readonly isFollowUp: boolean;
      readonly at: number;
    }
  | { readonly type: 'thought'; readonly agent: string; readonly status: string }
  | { readonly type: 'card.opened'; readonly step: StepId; readonly card: ShownCard; readonly at: number }
  | {
      readonly type: 'card.closed';
      readonly step: StepId;
      readonly card: ShownCard;
      readonly ended: Ended;
      readonly visualizations: readonly Visualization[];
      readonly action: { readonly name: string; readonly data: unknown } | undefined;
      readonly below: readonly Omit<SubStep, 'index'>[];
      readonly at: number;
    }
  | {
      readonly type: 'acted';
      readonly number: number;
      readonly name: string;
      readonly data: unknown;
      readonly at: number;
    }
  | { readonly type: 'speech.begun'; readonly id: string }
  | { readonly type: 'speech.grew'; readonly id: string; readonly text: string }
  | {
      readonly type: 'speech.ended';
      readonly id: string;
      readonly text: string;
      /** What the run itself said between its steps, so surely not the answer, if that is news. */
      readonly aside: string;
    }
  | ({
      readonly type: 'changed';
      readonly status: string;
      readonly message: string;
      readonly approval?: string;
      readonly number?: number;
    } & ShownQuestion)
  | {
      readonly type: 'ended';
      readonly outcome: EventOf<'run.ended'>['outcome'];
      readonly answer: string;
      /** The run was stopped while it was being said. */
      readonly isPartial: boolean;
      /** The answer was the last message, so it need not be said again. */
      readonly isSaid: boolean;
      readonly failure: string;
      readonly visualizations: readonly Visualization[];
      readonly cards: number;
      readonly tokens: number;
      readonly milliseconds: number;
    };

export interface ShownCard extends Pick<Card, 'number' | 'parent' | 'query' | 'reasoning' | 'thought'> {
  readonly agent: string;
  readonly milliseconds: number;
  readonly parentStep: StepId | undefined;
}

type Change = Extract<Happening, { type: 'changed' }>;

type Changing = EventOf<
  'run.paused' | 'run.resumed' | 'stop.requested' | 'worker.took' | 'approval.decided' | 'approval.lapsed'
>;

/** A change of the run as a whole. That a worker began, or was woken, is none: people see a takeover only. */
export function changeBy(event: Changing): Change | undefined {
  switch (event.type) {
    case 'run.paused':
      return change('paused', `Paused by ${event.by}`, event.reason);
    case 'run.resumed':
      return change('in_progress', `Resumed by ${event.by}`, event.reason);
    case 'stop.requested':
      return change('cancelling', `Stopped by ${event.by}`, event.reason);
    case 'worker.took':
      if (event.reason !== 'recovered') return undefined;
      return change('in_progress', 'Another worker took over where the last one ended');
    case 'approval.decided': {
      const status = event.decision === 'defer' ? 'waiting' : 'in_progress';
      const { approval, shown: fingerprint } = event;
      const id = fingerprint === undefined ? approval : questionId({ approval, fingerprint });
      return { type: 'changed', status, message: decided(event), approval: id };
    }
    case 'approval.lapsed':
      return { ...change('in_progress', 'A question lapsed', event.reason), approval: questionId(event) };
  }
}

function change(status: string, what: string, why?: string): Change {
  return { type: 'changed', status, message: why === undefined ? `${what}.` : `${what}: ${why}` };
}
