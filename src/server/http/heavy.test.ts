import { expect, test } from 'vitest';
import { heavyWork, type HeavyWork } from './heavy.ts';

const megabyte = 1 << 20;

interface Asked {
  isIn: boolean;
  /** Why it was not let in. */
  refused?: unknown;
  leave(): void;
}

/** Begin some work, and tell whether it has been let in. */
async function asked(heavy: HeavyWork, tenant: string, bytes: number): Promise<Asked> {
  const left = new AbortController();
  const state: Asked = { isIn: false, leave: () => left.abort(gone) };
  heavy.enter(tenant, bytes, left.signal).then(
    () => (state.isIn = true),
    (refused: unknown) => (state.refused = refused),
  );
  await settled();
  return state;
}

const gone = new Error('left');

async function settled(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
}

test('[V40] what is light never waits', async () => {
  const heavy = heavyWork();
  for (let i = 0; i < 1_000; i += 1) expect((await asked(heavy, 'a', megabyte)).isIn).toBe(true);
});

test('[V40] a tenant works on so much at once, and nobody else waits for it', async () => {
  const heavy = heavyWork();
  const first = await asked(heavy, 'a', 48 * megabyte);
  const second = await asked(heavy, 'a', 48 * megabyte);
  const third = await asked(heavy, 'a', 2 * megabyte);
  const other = await asked(heavy, 'b', 48 * megabyte);
  expect([first.isIn, second.isIn, third.isIn, other.isIn]).toEqual([true, false, true, true]);
  first.leave();
  first.leave();
  await settled();
  expect(second.isIn).toBe(true);
});

test('[V40] the process works on so much at once, and on what is larger alone', async () => {
  const heavy = heavyWork();
  const giant = await asked(heavy, 'a', 1_000 * megabyte);
  const waiting = await asked(heavy, 'b', 2 * megabyte);
  expect([giant.isIn, waiting.isIn]).toEqual([true, false]);
  giant.leave();
  await settled();
  expect(waiting.isIn).toBe(true);
});

test('[V40] whoever has a long line waiting is refused, and nobody else', async () => {
  const heavy = heavyWork();
  for (let i = 0; i < 201; i += 1) await asked(heavy, 'a', 60 * megabyte);
  const one = await asked(heavy, 'a', 60 * megabyte);
  expect(one.refused).toMatchObject({ failure: { code: 'over-budget' } });
  expect((await asked(heavy, 'b', 60 * megabyte)).isIn).toBe(true);
});

test('[V137] whoever leaves gives back its place, and stands in no line', async () => {
  const heavy = heavyWork();
  const [first, second, third] = [
    await asked(heavy, 'a', 60 * megabyte),
    await asked(heavy, 'a', 60 * megabyte),
    await asked(heavy, 'a', 60 * megabyte),
  ];
  second.leave();
  await settled();
  expect([second.isIn, second.refused, third.isIn]).toEqual([false, gone, false]);
  first.leave();
  await settled();
  expect(third.isIn).toBe(true);
  for (let i = 0; i < 300; i += 1) (await asked(heavy, 'a', 60 * megabyte)).leave();
  expect((await asked(heavy, 'a', 60 * megabyte)).refused).toBeUndefined();
});
