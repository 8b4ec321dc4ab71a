import { expect, test } from 'vitest';
import { heavyWork } from './heavy.ts';

const megabyte = 1 << 20;

/** Begin some work, and tell whether it has been let in. */
async function asked(entering: Promise<() => void>): Promise<{ isIn: boolean; leave: () => void }> {
  const state = { isIn: false, leave: () => {} };
  void entering.then((leave) => Object.assign(state, { isIn: true, leave }));
  await settled();
  return state;
}

async function settled(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
}

test('[V40] what is light never waits', async () => {
  const heavy = heavyWork();
  for (let i = 0; i < 1_000; i += 1) expect((await asked(heavy.enter('a', megabyte))).isIn).toBe(true);
});

test('[V40] a tenant works on so much at once, and nobody else waits for it', async () => {
  const heavy = heavyWork();
  const first = await asked(heavy.enter('a', 48 * megabyte));
  const second = await asked(heavy.enter('a', 48 * megabyte));
  const third = await asked(heavy.enter('a', 2 * megabyte));
  const other = await asked(heavy.enter('b', 48 * megabyte));
  expect([first.isIn, second.isIn, third.isIn, other.isIn]).toEqual([true, false, true, true]);
  first.leave();
  first.leave();
  await settled();
  expect(second.isIn).toBe(true);
});

test('[V40] the process works on so much at once, and on what is larger alone', async () => {
  const heavy = heavyWork();
  const giant = await asked(heavy.enter('a', 1_000 * megabyte));
  const waiting = await asked(heavy.enter('b', 2 * megabyte));
  expect([giant.isIn, waiting.isIn]).toEqual([true, false]);
  giant.leave();
  await settled();
  expect(waiting.isIn).toBe(true);
});

test('[V40] whoever has a long line waiting is refused, and nobody else', async () => {
  const heavy = heavyWork();
  for (let i = 0; i < 201; i += 1) await asked(heavy.enter('a', 60 * megabyte));
  await expect(heavy.enter('a', 60 * megabyte)).rejects.toMatchObject({ failure: { code: 'over-budget' } });
  expect((await asked(heavy.enter('b', 60 * megabyte))).isIn).toBe(true);
});
