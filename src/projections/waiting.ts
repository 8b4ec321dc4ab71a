import type { Entry, StepId } from '../run/events.ts';
import { isFinal } from '../run/tree.ts';
import { newStory, tellStory, type OpenStep, type Story, type StoryEvent } from './story.ts';

/** Whether a run waits for people alone, as its entries say it: plain data, changed in place. */
export interface Waiting {
  readonly story: Story<null>;
  /** What has begun, and waits for nobody. */
  readonly working: Set<StepId>;
  /** What was asked and not decided, with the step it is about. */
  readonly asked: Map<string, StepId>;
  is: boolean;
}

export function newWaiting(): Waiting {
  return { story: newStory(quiet), working: new Set(), asked: new Map(), is: false };
}

const quiet = { own: () => null };

/**
 * Whether with this entry the run came to where nothing goes on until a person decides, or to its end; and whether it is
 * still there once a question was put off, or has come back.
 */
export function comesToRest(waiting: Waiting, entry: Entry): boolean {
  const wasWaiting = waiting.is;
  const { story, working, asked } = waiting;
  if (story.hasEnded) return false;
  tellStory(story, entry, { ...quiet, hear: (event, step) => hear(waiting, event, step) });
  const isAboutAll = asked.size > 0 && [...asked.values()].includes(0);
  waiting.is = isAboutAll || (asked.size > 0 && working.size === 0);
  return story.hasEnded || (waiting.is && (!wasWaiting || isAskedOn(entry.event)));
}

/** Put off, or back: nothing is decided, and whoever comes then is to be asked. */
function isAskedOn(event: Entry['event']): boolean {
  if (event.type === 'approval.returned') return true;
  return event.type === 'approval.decided' && !isFinal(event.decision);
}

function hear({ working, asked, story }: Waiting, event: StoryEvent, step: OpenStep<null>): void {
  switch (event.type) {
    case 'step.opened':
      if (event.started) working.add(step.id);
      return;
    case 'step.started':
    case 'step.retried':
      forget(asked, step.id);
      working.add(step.id);
      return;
    case 'step.closed':
      forget(asked, step.id);
      working.delete(step.id);
      return;
    case 'approval.requested':
      asked.set(event.approval, step.id);
      working.delete(step.id);
      return;
    case 'approval.decided':
    case 'approval.lapsed': {
      const about = asked.get(event.approval);
      if (about === undefined || (event.type === 'approval.decided' && !isFinal(event.decision))) return;
      asked.delete(event.approval);
      if (![...asked.values()].includes(about) && isBegun(story.steps.get(about))) working.add(about);
      return;
    }
    case 'stop.requested':
      asked.clear();
      return;
    case 'approval.returned':
    case 'run.started':
    case 'run.ended':
    case 'run.paused':
    case 'run.resumed':
    case 'worker.took':
    case 'phase.entered':
    case 'step.planned':
    case 'step.dropped':
    case 'title.appended':
    case 'text.appended':
    case 'prompt.recorded':
    case 'item.attached':
    case 'notice.posted':
    case 'state.saved':
    case 'message.queued':
    case 'message.taken':
    case 'unknown':
  }
}

function forget(asked: Map<string, StepId>, step: StepId): void {
  if (asked.size === 0) return;
  for (const [approval, about] of asked) if (about === step) asked.delete(approval);
}

/** The run itself is no work of its own. */
function isBegun(step: OpenStep<null> | undefined): boolean {
  return step !== undefined && step.id !== 0 && (step.isBegun || step.opening.started === true);
}
