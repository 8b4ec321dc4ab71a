import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { byTurns, type ByTurns } from './sqlite.worker.ts';

interface Asking {
  readonly turns: ByTurns;
  /** Asks for so many pieces; each notes that it was done. */
  readonly ask: (whose: string, pieces?: number) => void;
  readonly done: readonly string[];
}

function asking(): Asking {
  const turns = byTurns();
  const done: string[] = [];
  return {
    turns,
    ask(whose, pieces = 1) {
      for (let i = 1; i <= pieces; i += 1) turns.add(whose, () => done.push(`${whose} ${i}`));
    },
    done,
  };
}

async function untilDone(done: readonly string[], pieces: number): Promise<readonly string[]> {
  while (done.length < pieces) await turn();
  return done;
}

test('[V136] of all who wait each gets one piece done before anybody gets another, in order', async () => {
  const { ask, done } = asking();
  ask('evil', 4);
  ask('calm', 2);
  ask('other');
  const order = ['evil 1', 'calm 1', 'other 1', 'evil 2', 'calm 2', 'evil 3', 'evil 4'];
  expect(await untilDone(done, 7)).toEqual(order);
});

test('[V136] whoever comes while another has much waiting waits for one piece of it', async () => {
  const { ask, done } = asking();
  ask('evil', 100);
  await untilDone(done, 3);
  const before = done.length;
  ask('calm');
  await untilDone(done, 104 - 3);
  expect(done.indexOf('calm 1')).toBe(before + 1);
});

test('[V136] one piece is done in a turn of the loop: what is done at once comes in between', async () => {
  const { ask, done } = asking();
  ask('evil', 50);
  for (let i = 0; i < 10; i += 1) {
    await turn();
    expect(done.length).toBeLessThanOrEqual(i + 1);
  }
});

test('[V136] what waits at the end is done before it', () => {
  const { turns, ask, done } = asking();
  ask('evil', 3);
  turns.finish();
  expect(done).toEqual(['evil 1', 'evil 2', 'evil 3']);
});
