import type { EventOf, StepId } from '../../run/events.ts';
import { questionId } from '../../run/question-id.ts';
import { decidedQuestion, shownEdit, type ShownQuestion } from '../../run/shown-question.ts';
import type { Ended } from './card.ts';
import { decided } from './decision.ts';
import type { Brought } from './part.ts';

/** What happens on a console, whichever generation of names it is told in. */
export type Happening =
  | { readonly type: 'began'; readonly text: string; readonly thread: string; readonly isFollowUp: boolean }
  | { readonly type: 'thought'; readonly agent: string; readonly status: string }
  | { readonly type: 'card.opened'; readonly card: ShownCard }
  | {
      readonly type: 'card.closed';
      readonly card: ShownCard;
      readonly ended: Ended;
      readonly brought: Brought;
    }
  | { readonly type: 'acted'; readonly number: number; readonly name: string; readonly data: unknown }
  | { readonly type: 'speech.begun'; readonly id: string }
  | { readonly type: 'speech.grew'; readonly id: string; readonly text: string }
  /** An aside was said by the run itself between its steps, so it is surely not the answer; empty if it is no news. */
  | { readonly type: 'speech.ended'; readonly id: string; readonly text: string; readonly aside: string }
  | { readonly type: 'changed'; readonly change: Change }
  | RunEnd;

/** How a generation of the console names what happens. */
export type Names<Frame> = {
  readonly [Type in Happening['type']]?: (
    happening: Extract<Happening, { type: Type }>,
    place: { readonly run: string; readonly at: number },
  ) => readonly Frame[];
};

export interface ShownCard {
  readonly step: StepId;
  readonly number: number;
  readonly agent: string;
  readonly query: string;
  readonly reasoning: string | undefined;
  /** What the orchestrator said before it opened this card. */
  readonly thought: string | undefined;
  /** The card it was opened in, by its number and by its step. */
  readonly parent: number | undefined;
  readonly parentStep: StepId;
  readonly milliseconds: number;
}

interface Change extends ShownQuestion {
  readonly status: string;
  readonly message: string;
  readonly approval?: string;
  /** The number of the card it is about. */
  readonly step?: number | undefined;
}

interface RunEnd extends Pick<Brought, 'shown'> {
  readonly type: 'ended';
  readonly outcome: EventOf<'run.ended'>['outcome'];
  readonly answer: string;
  /** The run was stopped while it was being said. */
  readonly isPartial: boolean;
  /** The answer was the last message, so it need not be said again. */
  readonly isSaid: boolean;
  readonly failure: string;
  readonly cards: number;
  readonly tokens: number;
  readonly milliseconds: number;
}

export type Changing = EventOf<
  | 'run.paused'
  | 'run.resumed'
  | 'stop.requested'
  | 'worker.took'
  | 'approval.decided'
  | 'approval.lapsed'
  | 'approval.returned'
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
      return { status, message: decided(event), approval: decidedQuestion(event), ...shownEdit(event) };
    }
    case 'approval.returned':
      return { ...change('waiting', 'A question that was put off is asked again'), approval: event.approval };
    case 'approval.lapsed':
      return { ...change('in_progress', 'A question lapsed', event.reason), approval: questionId(event) };
  }
}

function change(status: string, what: string, why?: string): Change {
  return { status, message: why === undefined ? `${what}.` : `${what}: ${why}` };
}
