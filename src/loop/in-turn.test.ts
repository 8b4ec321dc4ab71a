import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { inTurn, soonInTurn } from './machine.ts';

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

describe('while somebody waits for the answer to a short question', () => {
  let loop: typeof import('./machine.ts');
  beforeEach(async () => {
    // Nothing may be left of whoever waited before.
    vi.resetModules();
    loop = await import('./machine.ts');
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  /** How many parts of long work, each of two milliseconds, are done in so many. */
  async function partsIn(milliseconds: number): Promise<number> {
    let [parts, isOver, worked] = [0, false, 0];
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + worked);
    const work = async (): Promise<void> => {
      for (; !isOver; parts += 1) {
        await loop.inTurn();
        worked += 2;
      }
    };
    void work();
    await vi.advanceTimersByTimeAsync(milliseconds);
    isOver = true;
    await vi.advanceTimersByTimeAsync(100);
    vi.restoreAllMocks();
    return parts;
  }

  test('[X27] long work lets them pass, and goes on when they have their answer', async () => {
    const answered = loop.letPass();
    let isDone = false;
    void loop.inTurn().then(() => (isDone = true));
    await vi.advanceTimersByTimeAsync(15);
    expect(isDone).toBe(false);
    answered();
    await vi.advanceTimersByTimeAsync(2);
    expect(isDone).toBe(true);
  });

  test('[X27] however many there are, it has a ninth of the time', async () => {
    const alone = await partsIn(400);
    const asking = setInterval(() => loop.letPass(), 10);
    const beside = await partsIn(400);
    clearInterval(asking);
    expect(alone).toBeGreaterThan(50);
    expect(beside).toBeGreaterThanOrEqual(20);
    expect(beside).toBeLessThan(30);
  });

  test('[X27] a question that is not answered soon is no short one', async () => {
    await vi.advanceTimersByTimeAsync(1_000);
    const answered = loop.letPass();
    await vi.advanceTimersByTimeAsync(101);
    expect(await partsIn(400)).toBeGreaterThan(50);
    answered();
  });
});
