import type { Entry, EventOf, RunEvent, StepId } from '../../run/events.ts';
import type { Item } from '../../run/values.ts';
import { cutWith, gathered } from './cut.ts';
import {
  onlyRun,
  openBelow,
  openStep,
  openStepOrRun,
  withChanged,
  withClosed,
  withNothingOpened,
  withOpened,
  type OpenStep,
  type OpenSteps,
} from './open-steps.ts';
import { placingOf, runPlacing, shownAs, type Placed, type Placing } from './placing.ts';
import type { Preferences, Projection } from '../projection.ts';

/** What a filter must remember of a run. */
export interface Shown {
  readonly steps: OpenSteps<Placing>;
  /** Undecided approvals of steps that are not shown. */
  readonly asked: readonly Asked[];
  /** Somebody has asked to stop it: all questions are over, also those still to come. */
  readonly isStopping?: boolean;
}

interface Asked {
  readonly approval: string;
  readonly step: StepId;
  readonly fingerprint: string;
}

/** Characters of what a step said that stand in its line. */
const longestLine = 500;

/**
 * A filter in front of every projection: entries in, at most one entry out for each, under the same number, so that every
 * cursor holds. What is not shown leaves a line in the log of the nearest step that is, and never a word in its answer.
 */
export function preferred(preferences: Preferences): Projection<{ shown: Shown }, Entry> {
  return {
    begin: () => ({ shown: { steps: onlyRun(runPlacing), asked: [] } }),
    project(state, entry) {
      const [next, event] = filter(preferences, state.shown, entry.event);
      state.shown = next;
      return event ? [event === entry.event ? entry : { ...entry, event }] : [];
    },
  };
}

/** The same for entries one after the other: each as it is shown, if it is. */
export function shower(preferences: Preferences): (entry: Entry) => Entry | undefined {
  if (Object.keys(preferences).length === 0) return (entry) => entry;
  const filter = preferred(preferences);
  const state = filter.begin();
  return (entry) => filter.project(state, entry)[0];
}

type Filtered = readonly [Shown, RunEvent | undefined];

function filter(preferences: Preferences, shown: Shown, event: RunEvent): Filtered {
  switch (event.type) {
    case 'step.planned':
    case 'step.opened':
      return place(preferences, shown, event);
    case 'title.appended':
      return rename(preferences, shown, event);
    case 'step.closed':
    case 'step.retried':
      return finish(shown, event);
    case 'step.started':
    case 'prompt.recorded':
    case 'phase.entered':
      return [shown, homeOf(shown, event.step) === event.step ? event : undefined];
    case 'text.appended':
      return speak(shown, event);
    case 'item.attached':
      return attach(shown, event);
    case 'notice.posted':
      return [shown, voiceOf(shown, event.step) === 'silent' ? undefined : atHome(shown, event)];
    case 'state.saved':
    case 'message.taken':
      return [shown, atHome(shown, event)];
    case 'approval.requested': {
      if (homeOf(shown, event.step) === event.step || shown.isStopping) return [shown, atHome(shown, event)];
      const { approval, step, fingerprint } = event;
      return [{ ...shown, asked: [...shown.asked, { approval, step, fingerprint }] }, atHome(shown, event)];
    }
    case 'approval.decided': {
      if (event.decision === 'defer' || shown.asked.length === 0) return [shown, event];
      const asked = shown.asked.filter(({ approval }) => approval !== event.approval);
      return [{ ...shown, asked }, event];
    }
    case 'approval.lapsed': {
      const asked = shown.asked.filter(({ approval }) => approval !== event.approval);
      return [{ ...shown, asked }, event];
    }
    case 'stop.requested':
      return [{ ...shown, asked: [], isStopping: true }, event];
    case 'run.started':
    case 'run.paused':
    case 'run.resumed':
    case 'run.ended':
    case 'worker.took':
    case 'message.queued':
    case 'unknown':
      return [shown, event];
  }
}

function place(preferences: Preferences, shown: Shown, event: Placed): Filtered {
  const known = openStep(shown.steps, event.step);
  if (known && !known.value.isPlanned) return [shown, known.value.home === event.step ? event : undefined];
  const above = openStepOrRun(shown.steps, known ? known.parent : event.parent).value;
  const placing = placingOf(preferences, above, event);
  const steps = known
    ? withChanged(shown.steps, event.step, placing)
    : withOpened(shown.steps, event, placing);
  const isShown = placing.home === event.step;
  return [{ ...shown, steps }, isShown ? shownAs(preferences, above, event) : undefined];
}

/** Titles arrive in pieces: a stage is shown from the moment it has a name that people asked for. */
function rename(preferences: Preferences, shown: Shown, event: EventOf<'title.appended'>): Filtered {
  const step = openStep(shown.steps, event.step);
  if (!step || step.value.home === step.id) return [shown, event];
  const title = step.value.title + event.text;
  const above = openStepOrRun(shown.steps, step.parent).value;
  const named = step.value.opening && { ...step.value.opening, title };
  const { said, attached } = step.value;
  const placing = named
    ? { ...placingOf(preferences, above, named), said, attached }
    : { ...step.value, title };
  const next = { ...shown, steps: withChanged(shown.steps, step.id, placing) };
  return [next, named && placing.home === step.id ? shownAs(preferences, above, named) : undefined];
}

/** What a step that is not shown says waits for its line; what one said before it was shown comes with its next words. */
function speak(shown: Shown, event: EventOf<'text.appended'>): Filtered {
  const step = openStep(shown.steps, event.step);
  if (!step) return [shown, event];
  const { value } = step;
  const { channel, text } = event;
  if (value.voice === 'silent') return [shown, undefined];
  if (value.voice === 'line') {
    if (channel !== 'content' && channel !== 'log') return [shown, undefined];
    return [changed(shown, step, { said: gathered(value.said, text, longestLine) }), undefined];
  }
  if (value.said === '' || channel !== 'content') return [shown, atHome(shown, ownCall(shown, event))];
  return [changed(shown, step, { said: '' }), { ...event, text: value.said + text }];
}

/** What hangs on a stage that is not shown is named in its line. */
function attach(shown: Shown, event: EventOf<'item.attached'>): Filtered {
  const step = openStep(shown.steps, event.step);
  if (!step?.value.isStage || step.value.home === step.id) return [shown, atHome(shown, event)];
  if (step.value.voice === 'silent') return [shown, undefined];
  const { attached: before } = step.value;
  const name = before === '' ? nameOf(event.item) : `, ${nameOf(event.item)}`;
  return [changed(shown, step, { attached: gathered(before, name, longestLine) }), undefined];
}

function changed(shown: Shown, { id, value }: OpenStep<Placing>, change: Partial<Placing>): Shown {
  return { ...shown, steps: withChanged(shown.steps, id, { ...value, ...change }) };
}

/** Whatever ends takes along what is open below it, shown or not. */
function finish(shown: Shown, event: EventOf<'step.closed'> | EventOf<'step.retried'>): Filtered {
  const step = openStep(shown.steps, event.step);
  if (!step || step.id === 0) return [shown, event];
  const over = new Set([step.id]);
  let { steps } = shown;
  for (const { id } of openBelow(steps, step.id)) {
    over.add(id);
    steps = withClosed(steps, id);
  }
  steps = event.type === 'step.closed' ? withClosed(steps, step.id) : withNothingOpened(steps, step.id);
  const lapsed = shown.asked.find((each) => over.has(each.step));
  const asked = lapsed ? shown.asked.filter((each) => !over.has(each.step)) : shown.asked;
  const isShown = step.value.home === step.id;
  return [{ ...shown, steps, asked }, isShown ? event : toldElsewhere(step, event, lapsed)];
}

/** What people must know of the end of a step they do not see. Nobody may be left with a question that is over. */
function toldElsewhere(
  { value }: OpenStep<Placing>,
  event: EventOf<'step.closed'> | EventOf<'step.retried'>,
  lapsed: Asked | undefined,
): RunEvent | undefined {
  const { home, title, isStage, voice } = value;
  if (lapsed) {
    const reason = 'What it was about has ended.';
    const { approval, fingerprint } = lapsed;
    return { type: 'approval.lapsed', approval, fingerprint, reason };
  }
  if (voice === 'silent') return undefined;
  if (event.type === 'step.retried') {
    const message = `«${title}» is tried again: ${event.reason}`;
    return { type: 'notice.posted', step: home, code: 'STEP_RETRIED', message };
  }
  if (isStage || (event.outcome !== 'failed' && value.said !== ''))
    return { type: 'text.appended', step: home, channel: 'log', text: `${lineOf(value, event)}\n` };
  if (event.outcome !== 'failed') return undefined;
  const message = event.failure ? `«${title}» failed: ${event.failure.message}` : `«${title}» failed.`;
  return { type: 'notice.posted', step: home, code: 'STEP_FAILED', message };
}

/** `Web Search: weather in Paris [results.txt]` */
function lineOf({ title, said, attached }: Placing, { outcome }: EventOf<'step.closed'>): string {
  const name = outcome === 'completed' ? title : `${title} (${outcome})`;
  const words = cutWith(said.trim(), longestLine, '…');
  const items = attached === '' ? '' : ` [${cutWith(attached, longestLine, '…')}]`;
  return `${words === '' ? name : `${name}: ${words}`}${items}`.replaceAll(/\s+/g, ' ').trim();
}

function nameOf(item: Item): string {
  switch (item.kind) {
    case 'attachment':
      return item.attachment.title ?? item.attachment.url ?? item.attachment.type;
    case 'visualization':
      return item.shape;
    case 'citation':
      return item.title;
    case 'action':
      return item.name;
  }
}

function voiceOf({ steps }: Shown, step: StepId): Placing['voice'] {
  return openStep(steps, step)?.value.voice ?? 'aloud';
}

function homeOf({ steps }: Shown, step: StepId): StepId {
  return openStep(steps, step)?.value.home ?? step;
}

function atHome<Event extends { readonly step: StepId }>(shown: Shown, event: Event): Event {
  const step = homeOf(shown, event.step);
  return step === event.step ? event : { ...event, step };
}

/** Two turns may give their calls the same ids; where they speak through one step, they must not be mixed up. */
function ownCall(shown: Shown, event: EventOf<'text.appended'>): EventOf<'text.appended'> {
  const { call, step } = event;
  if (call === undefined || homeOf(shown, step) === step) return event;
  return { ...event, call: `s${step}/${call}` };
}
