import type { EventOf } from '../../run/events.ts';
import type { Item } from '../../run/values.ts';
import { below } from '../nested.ts';
import { cutWith } from '../preferences/cut.ts';
import type { Closing } from '../story.ts';
import { endedCard, newCard, type Card } from './card.ts';
import { handUp, type Part } from './part.ts';
import { lengths, shownText, unsaid } from './said.ts';
import { endSpeech } from './speech.ts';
import * as thinking from './thinking.ts';
import { isTold, nameOf, ownerOf, parentOf, tellFailure, type Draft, type Step } from './thinking.ts';

export function openPart(draft: Draft, opening: EventOf<'step.opened'>, step: Step): void {
  endSpeech(draft, draft.story.run, 'aside');
  const { own } = step;
  if (own.role !== 'card') {
    // Whoever takes up a failure may open a step for it.
    const { own: outer } = parentOf(draft, step);
    [own.failed, outer.failed] = [outer.failed, undefined];
    return thinking.thinkAt(draft, step, thinking.activityOf(opening, own.role));
  }
  tellFailure(draft, parentOf(draft, step));
  const { memory, at: since } = draft;
  memory.cards += 1;
  const { card: above } = ownerOf(draft, parentOf(draft, step)).own;
  const thought = memory.thought || undefined;
  own.card = newCard(opening, { number: memory.before + memory.cards, above, thought, since });
  memory.thought = '';
  thinking.quieten(draft);
  draft.frames.push({ type: 'card.opened', card: own.card, agent: nameOf(step) });
}

export function closePart(draft: Draft, closing: Closing, step: Step): void {
  const { role, brought } = step.own;
  const { failure } = closing;
  endWait(draft, step);
  tellFailure(draft, step, failure?.message);
  handDecline(draft, closing, step);
  if (step.own.card) return closeCard(draft, closing, { step, card: step.own.card });
  if (role === 'message') endSpeech(draft, step, closing.outcome === 'stopped' ? 'stopped' : 'whole');
  const said = shownText(brought.said) ?? '';
  const thought = said || brought.mused;
  if (role === 'message' && thought !== '') draft.memory.thought = cutWith(thought, lengths.reasoning, '…');
  if (role === 'thinking' && !thinking.isForMachines(said)) thinking.thinkAt(draft, step, said);
  // What was the last thing to be said need not be said again.
  if (failure && !isTold(failure, draft.memory.line)) {
    const outer = parentOf(draft, step);
    tellFailure(draft, outer, failure.message);
    outer.own.failed = failure;
  }
  const kept = role === 'part' ? brought : { ...brought, said: unsaid, mused: '' };
  handUp(ownerOf(draft, step).own.brought, kept);
}

/** A person's no ends all that was to come of it, and none of that has failed. */
function handDecline(draft: Draft, { outcome, failure }: Closing, step: Step): void {
  const isNo = outcome === 'skipped' && failure?.code === 'refused';
  if (isNo || isDeclined(step, failure)) parentOf(draft, step).own.declined = failure?.message;
}

function isDeclined({ own: { declined } }: Step, failure: Closing['failure']): boolean {
  return declined !== undefined && declined === failure?.message;
}

function closeCard(draft: Draft, closing: Closing, { step, card }: { step: Step; card: Card }): void {
  const { brought, waits } = step.own;
  const ended = endedCard(card, closing, {
    said: shownText(brought.said),
    action: brought.action?.name,
    isDeclined: isDeclined(step, closing.failure),
  });
  const { query, response } = ended;
  const mused = brought.mused.trim() === '' ? undefined : brought.mused;
  const milliseconds = Math.max(0, draft.at - card.since - waited(waits, draft.at));
  const agent = nameOf(step);
  const shown = { ...card, query, reasoning: card.reasoning ?? mused };
  draft.frames.push({ type: 'card.closed', card: shown, agent, milliseconds, ended, brought });
  thinking.quieten(draft);
  const home = ownerOf(draft, parentOf(draft, step));
  if (home.id === 0) return;
  const { below: cards } = home.own.brought;
  const result_summary = cutWith(response, lengths.summary, '…');
  cards.push({ index: cards.length + 1, query, result_summary, agent });
}

/** A person is asked: from now on the cards around it wait, and those below it, which nobody works on meanwhile. */
export function beginWait(draft: Draft, step: Step): void {
  if (step.own.waiting) return;
  const { steps } = draft.story;
  const around = cardsAround(draft, step).map(({ id }) => id);
  step.own.waiting = [...around, ...below(steps, step).filter((id) => steps.get(id)?.own.card)];
  for (const own of waitingWith(draft, step)) {
    if (own.waits.now === 0) own.waits.since = draft.at;
    own.waits.now += 1;
  }
}

/** It goes ahead, or is over. */
export function endWait(draft: Draft, step: Step): void {
  for (const own of waitingWith(draft, step)) {
    if (own.waits.now === 1) own.waits.before = waited(own.waits, draft.at);
    own.waits.now = Math.max(0, own.waits.now - 1);
  }
  step.own.waiting = undefined;
}

/** As far as they have not ended. */
function waitingWith({ story: { steps } }: Draft, { own: { waiting = [] } }: Step): readonly Part[] {
  return waiting.flatMap((id) => steps.get(id)?.own ?? []);
}

/** Milliseconds in which nobody worked on a card because a person was asked. */
function waited({ now, since, before }: Step['own']['waits'], at: number): number {
  return now === 0 ? before : before + Math.max(0, at - since);
}

/**
 * An action is told once, on the card that took it: agents attach what they did to the stage in which they did it, and
 * to their answer again.
 */
export function act(draft: Draft, step: Step, { name, data }: Extract<Item, { kind: 'action' }>): void {
  const action = JSON.stringify([name, data]);
  const [card, ...around] = [...cardsAround(draft, step), draft.story.run];
  const { own, below } = card.own.acts;
  if (below.has(action) || around.some((each) => each.own.acts.own.has(action))) return;
  if (!own.has(action)) {
    draft.frames.push({ type: 'acted', number: card.own.card?.number ?? 0, name, data });
    own.add(action);
    for (const each of around) each.own.acts.below.add(action);
  }
  step.own.brought.action = { name, data };
}

/** The card it belongs to, and those around that one. */
function cardsAround(draft: Draft, step: Step): readonly Step[] {
  const cards: Step[] = [];
  for (let card = ownerOf(draft, step); card.id !== 0; card = ownerOf(draft, parentOf(draft, card)))
    cards.push(card);
  return cards;
}
