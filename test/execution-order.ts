// A strict reader of execution events, which have no official one: whether frames are in order, and tell all of a run once.
import { newStory, tellStory, type OpenStep, type StoryEvent } from '../src/projections/story.ts';
import type { Entry } from '../src/run/events.ts';
import { questionId } from '../src/run/question-id.ts';
import { decidedQuestion } from '../src/run/shown-question.ts';
import type { ExecutionFrame } from '../src/wire/execution.ts';
import { firstDifference } from './first-difference.ts';

/** What is out of order, or not what happened; nothing if it is right. */
export function disorderIn(frames: readonly ExecutionFrame[], entries: readonly Entry[]): string[] {
  return firstDifference(frames.map(factOf), happenedIn(entries));
}

/** When something was told, of which step, and what. */
function factOf({ timestamp, step_id, event, payload }: ExecutionFrame): string {
  return [Date.parse(`${timestamp}Z`), step_id ?? 's0', event, toldIn(payload)].join(' ');
}

function toldIn(payload: ExecutionFrame['payload']): string {
  if ('intermediate_output' in payload) return JSON.stringify(payload.intermediate_output);
  if ('step_name' in payload) return `${payload.step_name} in ${payload.parent_step_id ?? 's0'}`;
  if ('output_summary' in payload) return String(payload.output_summary['status']);
  if ('interrupt' in payload) return payload.interrupt.approval_id;
  return 'workflow_id' in payload ? payload.workflow_id : '';
}

/** What a step has said and nobody was told yet. */
interface Held {
  channel: string;
  text: string;
  /** Of the first piece, be it empty. */
  since: number | undefined;
  isFirst: boolean;
}

/** What happens in a run by its story, in the same words. */
function happenedIn(entries: readonly Entry[]): string[] {
  const own = (): Held => ({ channel: '', text: '', since: undefined, isFirst: true });
  const story = newStory({ own });
  const all: string[] = [];
  for (const entry of entries) {
    const { at } = entry;
    const tell = (step: string, event: string, what: unknown): void =>
      void all.push([at, step, event, typeof what === 'string' ? what : JSON.stringify(what)].join(' '));
    const flush = ({ id, own: held }: OpenStep<Held>): void => {
      if (held.text === '') return;
      tell(`s${id}`, 'step_output', { [held.channel === 'content' ? 'text' : held.channel]: held.text });
      Object.assign(held, { text: '', since: undefined, isFirst: false });
    };
    const hear = (event: StoryEvent, step: OpenStep<Held>): void => {
      if (event.type === 'text.appended') {
        const { own: held } = step;
        if (held.channel !== event.channel) flush(step);
        held.since ??= at;
        held.channel = event.channel;
        held.text += event.text;
        if (held.isFirst || held.text.length >= 200 || at - held.since >= 500) flush(step);
        return;
      }
      const fact = changeBy(event, step);
      if (!fact) return;
      const about = story.steps.get('about' in fact ? (fact.about ?? fact.step) : fact.step);
      if (about) flush(about);
      tell(`s${fact.step}`, fact.event, fact.what);
      if (event.type === 'step.retried') step.own = own();
    };
    tellStory(story, entry, { own, hear });
  }
  return all;
}

interface Fact {
  /** The step it is told of, and the one it is about where that is another. */
  readonly step: number;
  readonly about?: number;
  readonly event: ExecutionFrame['event'];
  readonly what: unknown;
}

type Of<Type> = Extract<StoryEvent, { type: Type }>;

const output = (what: object, step = 0): Fact => ({ step, event: 'step_output', what });

/** What is told of each kind; of the others nothing. */
const changes: {
  readonly [Type in StoryEvent['type']]?: (event: Of<Type>, step: OpenStep<Held>) => Fact | undefined;
} = {
  'run.started': ({ app }) => ({ step: 0, event: 'run_started', what: app }),
  'run.ended': ({ outcome }) => ({
    step: 0,
    event: outcome === 'completed' ? 'run_completed' : 'run_failed',
    what: '',
  }),
  'run.paused': ({ by, reason }) => output({ status: 'paused', by, reason }),
  'run.resumed': ({ by, reason }) => output({ status: 'running', by, reason }),
  'stop.requested': ({ by, reason }) => output({ status: 'stopping', by, reason }),
  'worker.took': ({ reason }) =>
    reason === 'recovered' ? output({ status: 'running', recovered: true }) : undefined,
  'step.opened': ({ title, kind }, { id, parent }) => ({
    step: id,
    event: 'step_started',
    what: `${title || kind} in s${parent}`,
  }),
  'step.started': ({ step }) => output({ status: 'running' }, step),
  'title.appended': ({ step }, { title }) => output({ step_name: title }, step),
  'step.retried': ({ step, attempt, reason }) => output({ attempt, reason }, step),
  'step.closed'({ step, outcome }) {
    const isGood = ['completed', 'reused', 'skipped'].includes(outcome);
    return { step, event: isGood ? 'step_completed' : 'step_failed', what: isGood ? outcome : '' };
  },
  'phase.entered': ({ step, phase, batch, cycle }) => output({ phase, batch, cycle }, step),
  'item.attached': ({ step, item }) => output({ item }, step),
  'notice.posted': ({ step, code, message }) => output({ notice: { code, message } }, step),
  'approval.requested': (event) => ({
    step: 0,
    about: event.step,
    event: 'run_completed',
    what: questionId(event),
  }),
  'approval.decided'(event) {
    const { decision, by, rationale } = event;
    return output({ approval_id: decidedQuestion(event), decision, by, rationale });
  },
  'approval.lapsed': (event) =>
    output({ approval_id: questionId(event), lapsed: true, reason: event.reason }),
  'approval.returned': ({ approval }) => output({ approval_id: approval, returned: true }),
  'message.queued': ({ text, by }) => output({ message: text, by }),
  unknown: ({ kind }) =>
    output({
      notice: { code: 'UNKNOWN_EVENT', message: `This version does not know the event «${kind}».` },
    }),
};

function changeBy(event: StoryEvent, step: OpenStep<Held>): Fact | undefined {
  const change: ((event: never, step: OpenStep<Held>) => Fact | undefined) | undefined = changes[event.type];
  return change?.(event as never, step);
}
