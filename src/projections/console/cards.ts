import type { EventOf } from '../../run/events.ts';
import type { Item } from '../../run/values.ts';
import { around, parentOf } from '../nested.ts';
import { cutWith } from '../preferences/cut.ts';
import type { Closing } from '../story.ts';
import { endedCard, isDeclined, newCard, type Carded } from './card.ts';
import { handUp } from './part.ts';
import { lengths, shownText, unsaid } from './said.ts';
import { endSpeech } from './speech.ts';
import * as thinking from './thinking.ts';
import { isTold, nameOf, ownerOf, tellFailure, type Draft, type Step } from './thinking.ts';

export function openPart(draft: Draft, opening: EventOf<'step.opened'>, step: Step): void {
  endSpeech(draft, draft.story.run, 'aside');
  const { own } = step;
  if (own.role !== 'card') {
    // Whoever takes up a failure may open a step for it.
    const { own: outer } = parentOf(draft.story, step);
    [own.failed, outer.failed] = [outer.failed, undefined];
    return thinking.thinkAt(draft, step, thinking.activityOf(opening, own.role));
  }
  tellFailure(draft, parentOf(draft.story, step));
  const { memory } = draft;
  memory.cards += 1;
  const { card: above } = ownerOf(draft, parentOf(draft.story, step)).own;
  const thought = memory.thought || undefined;
  own.card = newCard(opening, { number: memory.before + memory.cards, above, thought });
  memory.thought = '';
  thinking.quieten(draft);
  draft.frames.push({ type: 'card.opened', card: own.card, agent: nameOf(step) });
}

export function closePart(draft: Draft, closing: Closing, step: Step): void {
  const { role, brought } = step.own;
  const { failure } = closing;
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
    const outer = parentOf(draft.story, step);
    tellFailure(draft, outer, failure.message);
    outer.own.failed = failure;
  }
  const kept = role === 'part' ? brought : { ...brought, said: unsaid, mused: '' };
  handUp(ownerOf(draft, step).own.brought, kept);
}

/** A person's no ends all that was to come of it, and none of that has failed. */
function handDecline(draft: Draft, { outcome, failure }: Closing, step: Step): void {
  const isNo = outcome === 'skipped' && failure?.code === 'refused';
  if (isNo || isDeclined(step, failure)) parentOf(draft.story, step).own.declined = failure?.message;
}

function closeCard(draft: Draft, closing: Closing, { step, card }: Carded): void {
  const { query, body } = endedCard({ step, card }, closing, draft.at);
  const agent = nameOf(step);
  draft.frames.push({ type: 'card.closed', card: { ...card, query }, agent, body });
  thinking.quieten(draft);
  const home = ownerOf(draft, parentOf(draft.story, step));
  if (home.id === 0) return;
  const { below: cards } = home.own.brought;
  const result_summary = cutWith(body.response, lengths.summary, '…');
  cards.push({ index: cards.length + 1, query, result_summary, agent });
}

/**
 * An action is told once, on the card that took it: agents attach what they did to the stage in which they did it, and
 * to their answer again.
 */
export function act(draft: Draft, step: Step, { name, data }: Extract<Item, { kind: 'action' }>): void {
  const action = JSON.stringify([name, data]);
  const cards = around(draft.story, step).filter((each) => each.own.card);
  const [card, ...outer] = [...cards, draft.story.run];
  const { own, below } = card.own.acts;
  if (below.has(action) || outer.some((each) => each.own.acts.own.has(action))) return;
  if (!own.has(action)) {
    draft.frames.push({ type: 'acted', number: card.own.card?.number ?? 0, name, data });
    own.add(action);
    for (const each of outer) each.own.acts.below.add(action);
  }
  step.own.brought.action = { name, data };
}
