import type { EventOf, StepId } from '../run/events.ts';
import { listed } from './chain.ts';
import { failed, isError, lengths, newCard, responseOf } from './console-card.ts';
import {
  handedUp,
  isNothing,
  nothing,
  roleOf,
  runPart,
  type Brought,
  type Part,
  type Speech,
} from './console-part.ts';
import type { Happening, ShownCard } from './console-story.ts';
import { cutWith } from './cut.ts';
import {
  onlyRun,
  openBelow,
  openStepOrRun,
  withChanged,
  withClosed,
  withOpened,
  type OpenStep,
  type OpenSteps,
} from './open-steps.ts';
import { part, untagged } from './thinking-tags.ts';

/** What a console must remember of a run. */
export interface Memory {
  readonly steps: OpenSteps<Part>;
  /** How many cards were opened; the next one gets the next number, also in a new attempt. */
  readonly cards: number;
  readonly startedAt: number | undefined;
  /** What the orchestrator said last, for the card it opens next. */
  readonly thought: string;
  /** The last message, whole. */
  readonly message: string;
}

export const noMemory: Memory = {
  steps: onlyRun(runPart),
  cards: 0,
  startedAt: undefined,
  thought: '',
  message: '',
};

/** The memory while one entry is told, and what is told of it. */
export interface Draft {
  memory: Memory;
  readonly told: Happening[];
  readonly at: number;
  readonly run: string;
  /** The number of the last card of the conversation's earlier runs. */
  readonly before: number;
}

const orchestrator = 'Orchestrator';

export function remember(draft: Draft, change: Partial<Memory>): void {
  draft.memory = { ...draft.memory, ...change };
}

export function changePart(draft: Draft, { id, value }: OpenStep<Part>, change: Partial<Part>): void {
  remember(draft, { steps: withChanged(draft.memory.steps, id, { ...value, ...change }) });
}

export function bring(draft: Draft, step: OpenStep<Part>, change: Partial<Brought>): void {
  changePart(draft, step, { brought: { ...step.value.brought, ...change } });
}

export function think(draft: Draft, id: StepId, status: string): void {
  draft.told.push({ type: 'thought', agent: agentAt(draft, id), status });
}

/** Who is at work there: the agent of the card, or the orchestrator. */
export function agentAt({ memory }: Draft, id: StepId): string {
  const { owner } = openStepOrRun(memory.steps, id).value;
  return owner === 0 ? orchestrator : nameOf(openStepOrRun(memory.steps, owner).value);
}

export function numberAt({ memory }: Draft, id: StepId): number {
  const { owner } = openStepOrRun(memory.steps, id).value;
  return openStepOrRun(memory.steps, owner).value.card?.number ?? 0;
}

export function openPart(draft: Draft, event: EventOf<'step.opened'>): void {
  endSpeech(draft, 0);
  const above = openStepOrRun(draft.memory.steps, event.parent);
  const role = roleOf(event, above.value);
  const title = event.title || event.kind;
  const owner = role === 'card' ? event.step : above.value.owner;
  const plainPart = { ...runPart, role, owner, title: event.title };
  if (role !== 'card') {
    remember(draft, { steps: withOpened(draft.memory.steps, event, plainPart) });
    return think(draft, event.step, title);
  }
  const { cards, thought } = draft.memory;
  const parent = numberAt(draft, above.id) || undefined;
  const number = draft.before + cards + 1;
  const card = newCard(event, { number, parent, thought, at: draft.at });
  const steps = withOpened(draft.memory.steps, event, { ...plainPart, card });
  remember(draft, { steps, cards: cards + 1, thought: '' });
  const opened = openStepOrRun(steps, event.step);
  draft.told.push({
    type: 'card.opened',
    step: event.step,
    card: shownCard(draft, opened, nothing),
    at: draft.at,
  });
}

type Closing = Pick<EventOf<'step.closed'>, 'outcome' | 'result' | 'failure'>;

/** Close a step, and before it all that is open below it: no card is left waiting. */
export function closePart(draft: Draft, step: OpenStep<Part>, closing: Closing): void {
  closeBelow(draft, step.id, closing.outcome === 'stopped' ? 'stopped' : 'abandoned');
  // What was below has handed up what it brought.
  const { value } = openStepOrRun(draft.memory.steps, step.id);
  shut(draft, { ...step, value }, closing);
}

export function closeBelow(draft: Draft, id: StepId, outcome: 'stopped' | 'abandoned'): void {
  for (const below of openBelow(draft.memory.steps, id)) {
    shut(draft, openStepOrRun(draft.memory.steps, below.id), { outcome });
  }
}

function shut(draft: Draft, step: OpenStep<Part>, closing: Closing): void {
  const { role, owner } = step.value;
  if (role === 'card') return shutCard(draft, step, closing);
  if (role === 'message') endSpeech(draft, step.id);
  const { said, mused } = step.value.brought;
  const thought = said || mused;
  if (role === 'message' && thought !== '') {
    remember(draft, { thought: cutWith(thought, lengths.reasoning, '…') });
  }
  if (role === 'thinking' && said.trim() !== '') {
    think(draft, step.id, cutWith(said, lengths.reasoning, '…'));
  }
  if (closing.failure) think(draft, step.id, failed(closing.failure));
  remember(draft, { steps: withClosed(draft.memory.steps, step.id) });
  const kept = role === 'part' ? step.value.brought : { ...step.value.brought, said: '', mused: '' };
  if (isNothing(kept)) return;
  const home = openStepOrRun(draft.memory.steps, owner);
  changePart(draft, home, { brought: handedUp(home.value.brought, kept) });
}

function shutCard(draft: Draft, step: OpenStep<Part>, closing: Closing): void {
  const { said, action, shown, below } = step.value.brought;
  const card = shownCard(draft, step, step.value.brought);
  const response = responseOf(closing, said, action?.name);
  draft.told.push({
    type: 'card.closed',
    step: step.id,
    card,
    response,
    isError: isError(closing.outcome),
    visualizations: listed(shown),
    action,
    below: listed(below),
    at: draft.at,
  });
  remember(draft, { steps: withClosed(draft.memory.steps, step.id) });
  const { owner } = openStepOrRun(draft.memory.steps, step.parent).value;
  if (owner === 0) return;
  const home = openStepOrRun(draft.memory.steps, owner);
  const summary = { query: card.query, result_summary: cutWith(response, lengths.summary, '…') };
  bring(draft, home, {
    below: { value: { ...summary, agent: card.agent }, before: home.value.brought.below },
  });
}

/** A piece of a message to the person. It begins with the first text that is for them. */
export function speak(draft: Draft, step: OpenStep<Part>, text: string): void {
  const { speeches } = step.value;
  const id = `${draft.run}-s${step.id}${speeches === 0 ? '' : `-${speeches + 1}`}`;
  const before = step.value.speech ?? { id, text: '', tagged: untagged, hasBegun: false };
  const [tagged, { shown }] = part(before.tagged, text);
  changePart(draft, step, { speech: { ...grown(draft, before, shown), tagged } });
}

/** A new attempt says it anew, under the same id: whoever has had the former one begins again. */
export function restartSpeech(draft: Draft, speech: Speech): Speech {
  if (speech.hasBegun) draft.told.push({ type: 'speech.begun', id: speech.id });
  return { ...speech, text: '', tagged: untagged };
}

export function endSpeech(draft: Draft, id: StepId): void {
  const step = openStepOrRun(draft.memory.steps, id);
  const { speech, speeches } = step.value;
  if (!speech) return;
  const rest = speech.tagged.isInside ? '' : speech.tagged.held;
  const { text, hasBegun } = grown(draft, speech, rest);
  if (hasBegun) draft.told.push({ type: 'speech.ended', id: speech.id, text });
  changePart(draft, step, { speech: undefined, speeches: speeches + 1 });
  if (text !== '') remember(draft, { message: text });
}

function grown(draft: Draft, speech: Speech, more: string): Speech {
  if (more === '') return speech;
  if (!speech.hasBegun) draft.told.push({ type: 'speech.begun', id: speech.id });
  draft.told.push({ type: 'speech.grew', id: speech.id, text: more });
  return { ...speech, text: speech.text + more, hasBegun: true };
}

function shownCard({ memory, at }: Draft, step: OpenStep<Part>, brought: Brought): ShownCard {
  const { card } = step.value;
  if (!card) throw new RangeError(`step ${step.id} is a card without a face`);
  const { owner } = openStepOrRun(memory.steps, step.parent).value;
  const { number, parent, query, thought, since } = card;
  const reasoning = card.reasoning ?? (brought.mused.trim() === '' ? undefined : brought.mused);
  const parentStep = parent === undefined ? undefined : owner;
  const agent = nameOf(step.value);
  return {
    number,
    parent,
    query,
    reasoning,
    thought,
    agent,
    milliseconds: Math.max(0, at - since),
    parentStep,
  };
}

function nameOf({ card, title }: Part): string {
  return card?.agent ?? (title.trim() === '' ? 'Step' : title);
}
