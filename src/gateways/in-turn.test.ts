import { expect, test } from 'vitest';
import { inTurn } from './in-turn.ts';

test('[X24] of all who wait one goes on in a turn of the loop, in the order they came', async () => {
  const order: number[] = [];
  let [together, inThisTurn] = [0, 0];
  const work = async (i: number): Promise<void> => {
    await inTurn();
    order.push(i);
    if (inThisTurn === 0) setImmediate(() => (inThisTurn = 0));
    inThisTurn += 1;
    together = Math.max(together, inThisTurn);
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => work(i)));
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
  expect(together).toBe(1);
});
