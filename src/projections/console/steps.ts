import type { EventOf, StepId } from '../../run/events.ts';
import { listed } from '../chain.ts';
import { activities, activityOf, isForMachines } from './activity.ts';
import { endedCard, failed, newCard, type Card, type Closing } from './card.ts';
import { bring, changePart, nameOf, remember, thinkAt, type Draft } from './draft.ts';
import { lengths } from './lengths.ts';
import { handedUp, isNothing, nothing, roleOf, runPart, type Brought, type Part } from './part.ts';
import { shownText, unsaid } from './said.ts';
import { endSpeech } from './speech.ts';
import type { ShownCard } from './story.ts';
import { endWait, waited } from './waits.ts';
import { cutWith } from '../preferences/cut.ts';
import {
  openBelow,
  openStepOrRun,
  withClosed,
  withOpened,
  type OpenStep,
} from '../preferences/open-steps.ts';

export function openPart(draft: Draft, event: EventOf<'step.opened'>): void {
  endSpeech(draft, 0, { isAside: true });
  const above = openStepOrRun(draft.memory.steps, event.parent);
  const role = roleOf(event, above.value);
  const owner = role === 'card' ? event.step : above.value.owner;
  const plainPart = { ...runPart, role, owner, title: event.title };
  if (role !== 'card') {
    remember(draft, { steps: withOpened(draft.memory.steps, event, plainPart) });
    return thinkAt(draft, event.step, activityOf(event, role));
  }
  const { cards, thought } = draft.memory;
  const { card: outer } = openStepOrRun(draft.memory.steps, above.value.owner).value;
  const number = draft.before + cards + 1;
  const card = newCard(event, { number, above: outer, thought, at: draft.at });
  const steps = withOpened(draft.memory.steps, event, { ...plainPart, card });
  remember(draft, { steps, cards: cards + 1, thought: '', ...quiet(draft) });
  const opened = openStepOrRun(steps, event.step);
  draft.told.push({
    type: 'card.opened',
    step: event.step,
    card: shownCard(draft, opened, nothing),
    at: draft.at,
  });
}

/** After a card somebody is at work again, and that is said again. */
function quiet({ memory }: Draft): { readonly line: string } {
  return { line: activities.has(memory.line) ? '' : memory.line };
}

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
  endWait(draft, step.id);
  if (role === 'card') return shutCard(draft, openStepOrRun(draft.memory.steps, step.id), closing);
  if (role === 'message') endSpeech(draft, step.id, { isStopped: closing.outcome === 'stopped' });
  const { mused } = step.value.brought;
  const said = shownText(step.value.brought.said) ?? '';
  const thought = said || mused;
  if (role === 'message' && thought !== '') {
    remember(draft, { thought: cutWith(thought, lengths.reasoning, '…') });
  }
  if (role === 'thinking' && !isForMachines(said)) {
    thinkAt(draft, step.id, said);
  }
  if (closing.failure) thinkAt(draft, step.id, failed(closing.failure));
  remember(draft, { steps: withClosed(draft.memory.steps, step.id) });
  const kept = role === 'part' ? step.value.brought : { ...step.value.brought, said: unsaid, mused: '' };
  if (isNothing(kept)) return;
  const home = openStepOrRun(draft.memory.steps, owner);
  changePart(draft, home, { brought: handedUp(home.value.brought, kept) });
}

function shutCard(draft: Draft, step: OpenStep<Part>, closing: Closing): void {
  const { said, action, shown, below } = step.value.brought;
  const shownOpen = shownCard(draft, step, step.value.brought);
  const ended = endedCard(faceOf(step), closing, { said: shownText(said), action: action?.name });
  const card = { ...shownOpen, query: ended.query };
  draft.told.push({
    type: 'card.closed',
    step: step.id,
    card,
    ended,
    visualizations: listed(shown),
    action,
    below: listed(below),
    at: draft.at,
  });
  remember(draft, { steps: withClosed(draft.memory.steps, step.id), ...quiet(draft) });
  const { owner } = openStepOrRun(draft.memory.steps, step.parent).value;
  if (owner === 0) return;
  const home = openStepOrRun(draft.memory.steps, owner);
  const summary = { query: card.query, result_summary: cutWith(ended.response, lengths.summary, '…') };
  bring(draft, home, {
    below: { value: { ...summary, agent: card.agent }, before: home.value.brought.below },
  });
}

function shownCard({ memory, at }: Draft, step: OpenStep<Part>, brought: Brought): ShownCard {
  const card = faceOf(step);
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
    milliseconds: Math.max(0, at - since - waited(step.value.waits, at)),
    parentStep,
  };
}

function faceOf({ id, value: { card } }: OpenStep<Part>): Card {
  if (!card) throw new RangeError(`step ${id} is a card without a face`);
  return card;
}
