import { expect, test } from 'vitest';
import { inTurn, soonInTurn } from './in-turn.ts';

/** Counts the turns of the loop until it is told to stop. */
function turns(): { readonly now: () => number; readonly stop: () => void } {
  let [turn, isOver] = [0, false];
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return { now: () => turn, stop: () => (isOver = true) };
}

test.for([
  { name: 'long', wait: inTurn },
  { name: 'short', wait: soonInTurn },
])('[X24] of all who wait with $name work one goes on in a turn of the loop, in order', async ({ wait }) => {
  const counted = turns();
  const [order, at]: [number[], number[]] = [[], []];
  const work = async (i: number): Promise<void> => {
    await wait();
    order.push(i);
    at.push(counted.now());
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => work(i)));
  counted.stop();
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(new Set(at).size).toBe(20);
});

test('[X24] what will soon be over does not wait for long work', async () => {
  const order: string[] = [];
  const waiting = Array.from({ length: 50 }, () => inTurn().then(() => order.push('long')));
  await soonInTurn();
  expect(order.length).toBeLessThan(50);
  await Promise.all(waiting);
});
