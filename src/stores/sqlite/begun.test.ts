import { expect, test } from 'vitest';
import type { Operation, Reply } from '../batch.ts';
import { appending, newRun } from '../store.contract.ts';
import type { Chunk } from '../store.ts';
import { begunRuns } from './thread.ts';

const fence = { run: 'r', epoch: 1 };
const create: Operation = {
  name: 'create',
  argument: newRun('r', { last: 2, frames: 'one' }),
};
const append = (head: number, change: object = {}): Operation => ({
  name: 'append',
  argument: { ...appending(fence, head), ...change },
});

function begun(created = true) {
  const runs = begunRuns();
  const committed = (operation: Operation, reply: Partial<Reply> = {}): void =>
    runs.committed([operation], { results: [undefined], refusals: [], hints: [], ...reply });
  committed(create, { results: [{ run: 'r', created }] });
  return { runs, committed };
}

const places = (chunks: readonly Chunk[] | undefined) => chunks?.map(({ first, last }) => [first, last]);

test('[Q134] the beginning of a run that was created here is known, from any place', () => {
  const { runs, committed } = begun();
  committed(append(2));
  expect(runs.after('r', 0)).toMatchObject({ isAll: true, ended: false });
  expect(places(runs.after('r', 0)?.chunks)).toEqual([
    [1, 2],
    [3, 3],
  ]);
  expect(places(runs.after('r', 1)?.chunks)).toEqual([
    [1, 2],
    [3, 3],
  ]);
  expect(places(runs.after('r', 2)?.chunks)).toEqual([[3, 3]]);
  expect(places(runs.after('r', 3)?.chunks)).toEqual([]);
  expect(runs.after('r', 4)).toBeUndefined();
});

test('[Q134] what was refused is not in it', () => {
  const { runs, committed } = begun();
  const failure = { code: 'rejected', message: 'no' } as const;
  committed(append(2), { refusals: [{ index: 0, failure }] });
  expect(places(runs.after('r', 0)?.chunks)).toEqual([[1, 2]]);
});

test.for<{ readonly name: string; readonly after: readonly Operation[]; readonly created?: boolean }>([
  { name: 'was there before', after: [], created: false },
  { name: 'has ended', after: [append(2, { ends: true })] },
  { name: 'was erased', after: [{ name: 'erase', argument: 'r' }] },
  { name: 'has grown by what was not seen', after: [append(3)] },
  { name: 'is long', after: [append(2, { frames: 'x'.repeat(5_000) })] },
])('[Q134] of a run that $name the store is asked', ({ after, created = true }) => {
  const { runs, committed } = begun(created);
  for (const operation of after) committed(operation);
  expect(runs.after('r', 0)).toBeUndefined();
});

test('[Q134] only the newest runs are known', () => {
  const { runs, committed } = begun();
  for (let i = 0; i < 500; i += 1)
    committed(
      { name: 'create', argument: newRun(`r${i}`, { last: 2, frames: 'one' }) },
      { results: [{ run: `r${i}`, created: true }] },
    );
  expect([runs.after('r', 0), runs.after('r0', 0)?.isAll]).toEqual([undefined, true]);
});
