import type { Entry, EventOf, RunEvent, StepId } from '../../run/events.ts';
import type { Item } from '../../run/values.ts';
import { cutWith, gathered } from './cut.ts';
import { below, stepOrRun, type Nested } from '../nested.ts';
import { placingOf, runPlacing, shownAs, type Placed, type Placing } from './placing.ts';
import type { Preferences, Projection } from '../projection.ts';

/** What a filter must remember of a run: plain data, changed in place. */
export interface Shown {
  readonly steps: Map<StepId, Step>;
  readonly run: Step;
  /** Undecided approvals of steps that are not shown. */
  asked: readonly Asked[];
  /** Somebody has asked to stop it: all questions are over, also those still to come. */
  isStopping: boolean;
}

interface Step extends Nested {
  placing: Placing;
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
export function preferred(preferences: Preferences): Projection<Shown, Entry> {
  return {
    begin() {
      const run: Step = { id: 0, parent: 0, below: new Set(), placing: runPlacing };
      return { steps: new Map([[0, run]]), run, asked: [], isStopping: false };
    },
    weight: ({ steps }) => steps.size,
    project(shown, entry) {
      const event = filter(preferences, shown, entry.event);
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

type Filtered = RunEvent | undefined;

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
      return homeOf(shown, event.step) === event.step ? event : undefined;
    case 'text.appended':
      return speak(shown, event);
    case 'item.attached':
      return attach(shown, event);
    case 'notice.posted':
      return voiceOf(shown, event.step) === 'silent' ? undefined : atHome(shown, event);
    case 'state.saved':
    case 'message.taken':
      return atHome(shown, event);
    case 'approval.requested':
      return ask(shown, event);
    case 'approval.decided': {
      if (event.decision === 'defer' || shown.asked.length === 0) return event;
      shown.asked = shown.asked.filter(({ approval }) => approval !== event.approval);
      return event;
    }
    case 'approval.lapsed': {
      shown.asked = shown.asked.filter(({ approval }) => approval !== event.approval);
      return event;
    }
    case 'stop.requested':
      shown.asked = [];
      shown.isStopping = true;
      return event;
    case 'approval.returned':
    case 'run.started':
    case 'run.paused':
    case 'run.resumed':
    case 'run.ended':
    case 'worker.took':
    case 'message.queued':
    case 'unknown':
      return event;
  }
}

function ask(shown: Shown, event: EventOf<'approval.requested'>): Filtered {
  const { approval, step, fingerprint } = event;
  if (homeOf(shown, step) !== step && !shown.isStopping)
    shown.asked = [...shown.asked, { approval, step, fingerprint }];
  return atHome(shown, event);
}

function place(preferences: Preferences, shown: Shown, event: Placed): Filtered {
  const { step: id } = event;
  const known = shown.steps.get(id);
  if (known && !known.placing.isPlanned) return known.placing.home === id ? event : undefined;
  const above = stepOrRun(shown, known ? known.parent : event.parent);
  const placing = placingOf(preferences, above.placing, event);
  if (known) known.placing = placing;
  else shown.steps.set(id, { id, parent: above.id, below: new Set(), placing });
  above.below.add(id);
  return placing.home === id ? shownAs(preferences, above.placing, event) : undefined;
}

/** Titles arrive in pieces: a stage is shown from the moment it has a name that people asked for. */
function rename(preferences: Preferences, shown: Shown, event: EventOf<'title.appended'>): Filtered {
  const step = shown.steps.get(event.step);
  if (!step || step.placing.home === step.id) return event;
  const { said, attached, opening } = step.placing;
  const title = step.placing.title + event.text;
  const above = stepOrRun(shown, step.parent).placing;
  const named = opening && { ...opening, title };
  step.placing = named
    ? { ...placingOf(preferences, above, named), said, attached }
    : { ...step.placing, title };
  return named && step.placing.home === step.id ? shownAs(preferences, above, named) : undefined;
}

/** What a step that is not shown says waits for its line; what one said before it was shown comes with its next words. */
function speak(shown: Shown, event: EventOf<'text.appended'>): Filtered {
  const step = shown.steps.get(event.step);
  if (!step) return event;
  const { voice, said, isDecision } = step.placing;
  const { channel, text } = event;
  if (voice === 'silent') return undefined;
  if (voice === 'line') {
    if (!isDecision && (channel === 'content' || channel === 'log'))
      step.placing = { ...step.placing, said: gathered(said, text, longestLine) };
    return undefined;
  }
  if (said === '' || channel !== 'content') return atHome(shown, ownCall(shown, event));
  step.placing = { ...step.placing, said: '' };
  return { ...event, text: said + text };
}

/** What hangs on a stage that is not shown is named in its line. */
function attach(shown: Shown, event: EventOf<'item.attached'>): Filtered {
  const step = shown.steps.get(event.step);
  if (!step?.placing.isStage || step.placing.home === step.id) return atHome(shown, event);
  if (step.placing.voice === 'silent') return undefined;
  const { attached: before } = step.placing;
  const name = before === '' ? nameOf(event.item) : `, ${nameOf(event.item)}`;
  step.placing = { ...step.placing, attached: gathered(before, name, longestLine) };
  return undefined;
}

/** Whatever ends takes along what is open below it, shown or not. */
function finish(shown: Shown, event: EventOf<'step.closed'> | EventOf<'step.retried'>): Filtered {
  const { steps } = shown;
  const step = steps.get(event.step);
  if (!step || step.id === 0) return event;
  const over = new Set([step.id, ...below(steps, step)]);
  const lapsed = shown.asked.find((each) => over.has(each.step));
  if (lapsed) shown.asked = shown.asked.filter((each) => !over.has(each.step));
  if (event.type === 'step.retried') over.delete(step.id);
  else steps.get(step.parent)?.below.delete(step.id);
  for (const id of over) steps.delete(id);
  step.below.clear();
  return step.placing.home === step.id ? event : toldElsewhere(step, event, lapsed);
}

/** What people must know of the end of a step they do not see. Nobody may be left with a question that is over. */
function toldElsewhere(
  { placing }: Step,
  event: EventOf<'step.closed'> | EventOf<'step.retried'>,
  lapsed: Asked | undefined,
): RunEvent | undefined {
  const { home, title, isStage, voice } = placing;
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
  if (isStage || (event.outcome !== 'failed' && placing.said !== ''))
    return { type: 'text.appended', step: home, channel: 'log', text: `${lineOf(placing, event)}\n` };
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
  return steps.get(step)?.placing.voice ?? 'aloud';
}

function homeOf({ steps }: Shown, step: StepId): StepId {
  return steps.get(step)?.placing.home ?? step;
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
