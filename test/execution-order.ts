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

function changeBy(event: StoryEvent, step: OpenStep<Held>): Fact | undefined {
  const output = (what: object, of = 0): Fact => ({ step: of, event: 'step_output', what });
  switch (event.type) {
    case 'run.started':
      return { step: 0, event: 'run_started', what: event.app };
    case 'run.ended':
      return { step: 0, event: event.outcome === 'completed' ? 'run_completed' : 'run_failed', what: '' };
    case 'run.paused':
      return output({ status: 'paused', by: event.by, reason: event.reason });
    case 'run.resumed':
      return output({ status: 'running', by: event.by, reason: event.reason });
    case 'stop.requested':
      return output({ status: 'stopping', by: event.by, reason: event.reason });
    case 'worker.took':
      return event.reason === 'recovered' ? output({ status: 'running', recovered: true }) : undefined;
    case 'step.opened': {
      const what = `${event.title || event.kind} in s${step.parent}`;
      return { step: step.id, event: 'step_started', what };
    }
    case 'step.started':
      return output({ status: 'running' }, event.step);
    case 'title.appended':
      return output({ step_name: step.title }, event.step);
    case 'step.retried':
      return output({ attempt: event.attempt, reason: event.reason }, event.step);
    case 'step.closed': {
      const isGood = ['completed', 'reused', 'skipped'].includes(event.outcome);
      return {
        step: event.step,
        event: isGood ? 'step_completed' : 'step_failed',
        what: isGood ? event.outcome : '',
      };
    }
    case 'phase.entered':
      return output({ phase: event.phase, batch: event.batch, cycle: event.cycle }, event.step);
    case 'item.attached':
      return output({ item: event.item }, event.step);
    case 'notice.posted':
      return output({ notice: { code: event.code, message: event.message } }, event.step);
    case 'approval.requested':
      return { step: 0, about: event.step, event: 'run_completed', what: questionId(event) };
    case 'approval.decided': {
      const { decision, by, rationale } = event;
      return output({ approval_id: decidedQuestion(event), decision, by, rationale });
    }
    case 'approval.lapsed':
      return output({ approval_id: questionId(event), lapsed: true, reason: event.reason });
    case 'approval.returned':
      return output({ approval_id: event.approval, returned: true });
    case 'message.queued':
      return output({ message: event.text, by: event.by });
    case 'unknown': {
      const message = `This version does not know the event «${event.kind}».`;
      return output({ notice: { code: 'UNKNOWN_EVENT', message } });
    }
    case 'step.planned':
    case 'step.dropped':
    case 'text.appended':
    case 'prompt.recorded':
    case 'state.saved':
    case 'message.taken':
      return undefined;
  }
}
