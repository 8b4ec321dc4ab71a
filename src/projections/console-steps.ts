import type { EventOf, StepId } from '../run/events.ts';
import { listed } from './chain.ts';
import { failed, isError, lengths, newCard, responseOf } from './console-card.ts';
import { bring, changePart, nameOf, numberAt, remember, think, type Draft } from './console-draft.ts';
import { handedUp, isNothing, nothing, roleOf, runPart, type Brought, type Part } from './console-part.ts';
import { endSpeech } from './console-speech.ts';
import type { ShownCard } from './console-story.ts';
import { cutWith } from './cut.ts';
import { openBelow, openStepOrRun, withClosed, withOpened, type OpenStep } from './open-steps.ts';

export function openPart(draft: Draft, event: EventOf<'step.opened'>): void {
  endSpeech(draft, 0, true);
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
    think(draft, step.id, cutWith(said.trim(), lengths.reasoning, '…'));
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
