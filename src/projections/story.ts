import type { Call, Entry, EventOf, RunEvent, StepId } from '../run/events.ts';
import { below, stepOrRun } from './nested.ts';
import { gathered } from './preferences/cut.ts';
import { beginWait, endWait, type Timed } from './working-time.ts';

/** A step while it is open, and what every protocol may want to know of it. */
export interface OpenStep<Own> extends Timed {
  readonly opening: EventOf<'step.opened'>;
  readonly openedAt: number;
  /** All of it that has come, as far as it will be shown. */
  title: string;
  attempt: number;
  model: string | undefined;
  /** What will run: a person may have changed it, and a new attempt may run something else. */
  call: Call | undefined;
  /** Whether anything was asked of anybody: what is blocked, refused or does not fit never begins. */
  isBegun: boolean;
  /** The beginning of what its last attempt said. */
  text: string;
  /** What a projection remembers of it besides. */
  own: Own;
}

/** What happens in a story: the kinds of the journal, and the end of what was planned and never opened. */
export type StoryEvent = Exclude<RunEvent, { type: 'step.closed' }> | Closing | Dropped;

/** What was planned will not come; the failure says why, where it was said. */
export type Dropped = Pick<EventOf<'step.closed'>, 'step' | 'failure'> & { readonly type: 'step.dropped' };

export type Closing = EventOf<'step.closed'> & {
  /** No entry says so: it follows from the end, or the new attempt, of a step above. */
  readonly isImplied?: boolean;
  /** A new attempt takes back what was said in it. */
  readonly isSuperseded?: boolean;
};

/** Where a story has come to. Plain data, changed in place: to keep it at a cursor is to copy it. */
export interface Story<Own> {
  readonly steps: Map<StepId, OpenStep<Own>>;
  /** Planned and not opened, with the step it was planned in. */
  readonly planned: Map<StepId, StepId>;
  readonly run: OpenStep<Own>;
  hasStarted: boolean;
  hasEnded: boolean;
}

/** How a story is told to a projection. */
export interface Listener<Own> {
  /** What it remembers of a step from its opening on; of the run there is no step above. */
  readonly own: (opening: EventOf<'step.opened'>, above: OpenStep<Own> | undefined) => Own;
  /** The step is the open one it is about, and the run itself where there is none. */
  readonly hear: (event: StoryEvent, step: OpenStep<Own>) => void;
  /** A new attempt is told as the end of the former one and another opening, and not as `step.retried`. */
  readonly reopens?: boolean;
}

/** How much of a title, and of what a step says, is kept: a little more than anybody shows. Characters. */
const kept = { title: 200, text: 1_250 } as const;

const theRun = { type: 'step.opened', step: 0, parent: 0, key: '', kind: 'run', title: '' } as const;

export function newStory<Own>({ own }: Pick<Listener<Own>, 'own'>): Story<Own> {
  const run = openStep<Own>(theRun, { parent: 0, at: 0, own: own(theRun, undefined) });
  return { steps: new Map([[0, run]]), planned: new Map(), run, hasStarted: false, hasEnded: false };
}

/**
 * Between the entries of a run and whoever tells it: what is implied is said. All that is open when a step ends, or is tried
 * again, ends before it, the deepest first; what was planned and will not come is dropped; what comes again, or late, does not
 * happen. So whatever opens is closed exactly once, and nothing is told of it afterwards.
 */
export function tellStory<Own>(story: Story<Own>, { at, event }: Entry, listener: Listener<Own>): void {
  if (story.hasEnded) return;
  switch (event.type) {
    case 'run.started':
      if (story.hasStarted) return;
      story.hasStarted = true;
      story.run.startedAt = at;
      return listener.hear(event, story.run);
    case 'run.ended':
      endBelow(story, story.run, { at, outcome: endBelowOutcome(event), listener });
      listener.hear(withoutPlace(event), story.run);
      story.hasEnded = true;
      return;
    case 'step.planned':
      return plan(story, event, listener);
    case 'step.opened':
      return open(story, event, { at, listener });
    case 'step.closed':
    case 'step.retried':
    case 'step.started':
    case 'title.appended':
    case 'text.appended':
    case 'item.attached':
    case 'phase.entered':
    case 'prompt.recorded': {
      const step = story.steps.get(event.step);
      if (step) return inStep(story, step, { at, event, listener });
      if (event.type === 'step.closed' && story.planned.has(event.step)) drop(story, event, listener);
      return;
    }
    case 'approval.requested':
      beginWait(story, stepOrRun(story, event.step), at);
      return listener.hear(event, stepOrRun(story, event.step));
    case 'notice.posted':
    case 'state.saved':
    case 'message.taken':
      return listener.hear(event, stepOrRun(story, event.step));
    case 'approval.decided':
    case 'approval.lapsed':
    case 'approval.returned':
    case 'run.paused':
    case 'run.resumed':
    case 'stop.requested':
    case 'message.queued':
    case 'unknown':
      return listener.hear(event, story.run);
    // That a worker began, or was woken, is nothing to tell.
    case 'worker.took':
      if (event.reason === 'recovered') listener.hear(event, story.run);
  }
}

interface Telling<Own> {
  readonly at: number;
  readonly listener: Listener<Own>;
}

function plan<Own>(story: Story<Own>, event: EventOf<'step.planned'>, listener: Listener<Own>): void {
  const { step: id } = event;
  if (story.steps.has(id) || story.planned.has(id)) return;
  const above = stepOrRun(story, event.parent);
  story.planned.set(id, above.id);
  above.below.add(id);
  listener.hear(event, above);
}

function open<Own>(story: Story<Own>, event: EventOf<'step.opened'>, { at, listener }: Telling<Own>): void {
  const { step: id } = event;
  if (story.steps.has(id)) return;
  const planned = story.planned.get(id);
  if (planned !== undefined) {
    story.planned.delete(id);
    story.steps.get(planned)?.below.delete(id);
  }
  const above = stepOrRun(story, event.parent);
  const step = openStep(event, { parent: above.id, at, own: listener.own(event, above) });
  above.below.add(id);
  story.steps.set(id, step);
  listener.hear(event, step);
}

type StepEvent = EventOf<
  | 'step.closed'
  | 'step.retried'
  | 'step.started'
  | 'title.appended'
  | 'text.appended'
  | 'item.attached'
  | 'phase.entered'
  | 'prompt.recorded'
>;

function inStep<Own>(
  story: Story<Own>,
  step: OpenStep<Own>,
  { at, event, listener }: Telling<Own> & { readonly event: StepEvent },
): void {
  switch (event.type) {
    case 'step.closed':
      if (step === story.run) return;
      endBelow(story, step, { at, outcome: endBelowOutcome(event), listener });
      return close(story, step, { at, event, listener });
    case 'step.retried':
      if (step === story.run) return;
      endBelow(story, step, { at, outcome: 'abandoned', isSuperseded: true, listener });
      endWait(story, step, at);
      if (listener.reopens) return reopen(story, step, { at, event, listener });
      Object.assign(step, changed(step, event), { attempt: event.attempt, isBegun: true, text: '' });
      break;
    case 'step.started':
      endWait(story, step, at);
      Object.assign(step, changed(step, event), { isBegun: true, startedAt: at, waits: undefined });
      break;
    case 'title.appended':
      step.title = gathered(step.title, event.text, kept.title);
      break;
    case 'text.appended':
      if (event.channel === 'content') step.text = gathered(step.text, event.text, kept.text);
      break;
    case 'item.attached':
    case 'phase.entered':
    case 'prompt.recorded':
  }
  listener.hear(event, step);
}

function changed<Own>(
  { call, model }: OpenStep<Own>,
  event: EventOf<'step.started' | 'step.retried'>,
): Pick<OpenStep<Own>, 'call' | 'model'> {
  return { call: event.call ?? call, model: ('model' in event ? event.model : undefined) ?? model };
}

function reopen<Own>(
  story: Story<Own>,
  step: OpenStep<Own>,
  { at, event, listener }: Telling<Own> & { readonly event: EventOf<'step.retried'> },
): void {
  const { call, model } = changed(step, event);
  const again = { ...step.opening, title: step.title, attempt: event.attempt, started: true, call, model };
  closeAs(story, step, { at, outcome: 'abandoned', isSuperseded: true, listener });
  open(story, again, { at, listener });
}

interface Ending<Own> extends Telling<Own> {
  readonly outcome: 'stopped' | 'abandoned';
  readonly isSuperseded?: boolean;
}

/** Where in whose code a run broke is for those who wrote it: they read the journal. */
function withoutPlace(event: EventOf<'run.ended'>): EventOf<'run.ended'> {
  const { answer, failure } = event;
  if (failure?.where === undefined || typeof answer !== 'string') return event;
  return { ...event, answer: answer.replace(` (${failure.where})`, '') };
}

function endBelowOutcome({ outcome }: EventOf<'step.closed' | 'run.ended'>): Ending<never>['outcome'] {
  return outcome === 'stopped' ? 'stopped' : 'abandoned';
}

/** End all that is not over below a step. */
function endBelow<Own>(story: Story<Own>, above: OpenStep<Own>, ending: Ending<Own>): void {
  if (above.below.size === 0) return;
  for (const id of below(story.steps, above)) {
    const step = story.steps.get(id);
    if (step) closeAs(story, step, ending);
    else drop(story, { step: id }, ending.listener);
  }
}

function closeAs<Own>(
  story: Story<Own>,
  step: OpenStep<Own>,
  { at, outcome, isSuperseded = false, listener }: Ending<Own>,
): void {
  const implied = { outcome, isImplied: true, ...(isSuperseded ? { isSuperseded } : {}) };
  const event = { type: 'step.closed', step: step.id, ...implied } as const;
  close(story, step, { at, event, listener });
}

function close<Own>(
  story: Story<Own>,
  step: OpenStep<Own>,
  { at, event, listener }: Telling<Own> & { readonly event: Closing },
): void {
  endWait(story, step, at);
  listener.hear(event, step);
  story.steps.delete(step.id);
  story.steps.get(step.parent)?.below.delete(step.id);
}

function drop<Own>(
  story: Story<Own>,
  { step: id, failure }: Pick<Dropped, 'step' | 'failure'>,
  listener: Listener<Own>,
): void {
  const above = stepOrRun(story, story.planned.get(id) ?? 0);
  story.planned.delete(id);
  above.below.delete(id);
  listener.hear({ type: 'step.dropped', step: id, failure }, above);
}

interface Opening<Own> {
  readonly parent: StepId;
  readonly at: number;
  readonly own: Own;
}

function openStep<Own>(opening: EventOf<'step.opened'>, { parent, at, own }: Opening<Own>): OpenStep<Own> {
  const { step: id, title, attempt = 1, model, call, started: isBegun = false } = opening;
  const known = { title, attempt, model, call, isBegun, text: '' };
  const time = { openedAt: at, startedAt: at, waits: undefined, waiting: undefined };
  return { id, parent, opening, ...time, ...known, below: new Set(), own };
}
