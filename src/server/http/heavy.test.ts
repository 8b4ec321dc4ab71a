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

test('[V40] a request that looks at several large things has room for the largest, and does not wait for itself', async () => {
  const heavy = heavyWork();
  const { signal } = new AbortController();
  let times = 0;
  const look = (bytes: number): Promise<number> => heavy.enter('a', bytes, signal).then(() => (times += 1));
  for (const count of [40, 40, 50, 48]) void look(count * megabyte);
  await settled();
  void look(1_000 * megabyte);
  await settled();
  expect(times).toBe(5);
  expect((await asked(heavy, 'a', 2 * megabyte)).isIn).toBe(false);
});

test('[V40] what a request looked at is given back once, however often it looked', async () => {
  const heavy = heavyWork();
  const one = new AbortController();
  for (const count of [40, 50, 50]) {
    void heavy.enter('a', count * megabyte, one.signal);
    await settled();
  }
  const next = await asked(heavy, 'a', 60 * megabyte);
  expect(next.isIn).toBe(false);
  one.abort();
  await settled();
  expect(next.isIn).toBe(true);
  expect((await asked(heavy, 'a', 60 * megabyte)).isIn).toBe(false);
});
