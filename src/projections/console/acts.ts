import type { EventOf } from '../../run/events.ts';
import type { Chain } from '../chain.ts';
import { bring, cardsAround, changePart, numberAt, type Draft } from './draft.ts';
import type { Part } from './part.ts';
import { openStepOrRun, type OpenStep } from '../preferences/open-steps.ts';

type Action = Extract<EventOf<'item.attached'>['item'], { kind: 'action' }>;

/**
 * An action is told once, on the card that took it: agents attach what they did to the stage in which they did it, and
 * to their answer again.
 */
export function act(draft: Draft, { id }: OpenStep<Part>, { name, data }: Action): void {
  const action = JSON.stringify([name, data]);
  const run = openStepOrRun(draft.memory.steps, 0);
  const [own, ...around] = [...cardsAround(draft, id), run];
  const isAbove = around.some(({ value }) => has(value.acts.own, action));
  if (isAbove || has(own.value.acts.below, action)) return;
  if (!has(own.value.acts.own, action)) {
    draft.told.push({ type: 'acted', number: numberAt(draft, id), name, data, at: draft.at });
    const { acts } = own.value;
    changePart(draft, own, { acts: { ...acts, own: { value: action, before: acts.own } } });
    for (const card of around) {
      const { own: ofCard, below } = card.value.acts;
      changePart(draft, card, { acts: { own: ofCard, below: { value: action, before: below } } });
    }
  }
  bring(draft, openStepOrRun(draft.memory.steps, id), { action: { name, data } });
}

function has(chain: Chain<string> | undefined, value: string): boolean {
  for (let link = chain; link; link = link.before) if (link.value === value) return true;
  return false;
}
