import type { StepId } from '../../run/events.ts';
import { cardsAround, changePart, type Draft } from './draft.ts';
import type { Waits } from './part.ts';
import { openStep } from '../preferences/open-steps.ts';

/** A person is asked: from now on the cards around it wait. */
export function beginWait(draft: Draft, id: StepId): void {
  const step = openStep(draft.memory.steps, id);
  if (!step || step.value.isAsking) return;
  changePart(draft, step, { isAsking: true });
  for (const card of cardsAround(draft, id)) {
    const { now, since, before } = card.value.waits;
    changePart(draft, card, { waits: { now: now + 1, since: now === 0 ? draft.at : since, before } });
  }
}

/** It goes ahead, or is over. */
export function endWait(draft: Draft, id: StepId): void {
  const step = openStep(draft.memory.steps, id);
  if (!step?.value.isAsking) return;
  changePart(draft, step, { isAsking: false });
  for (const card of cardsAround(draft, id)) {
    const { waits } = card.value;
    const before = waits.now === 1 ? waited(waits, draft.at) : waits.before;
    changePart(draft, card, { waits: { ...waits, now: waits.now - 1, before } });
  }
}

/** Milliseconds in which nobody worked on a card because a person was asked. */
export function waited({ now, since, before }: Waits, at: number): number {
  return now === 0 ? before : before + Math.max(0, at - since);
}
