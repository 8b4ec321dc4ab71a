import { expect, test } from 'vitest';
import type { RunRow } from '../../stores/store.ts';
import { treesOf } from './trees.ts';
import { encodeAll } from '../../run/entries.ts';

const row = { run: 'run', head: 10, bytes: 10, state: 'ended' } satisfies Partial<RunRow>;

/** A journal of ten pages of one entry. `then` hears of each that is read. */
function journalWith(then: (after: number) => void): Parameters<typeof treesOf>[0] {
  const event = { type: 'notice.posted', step: 0, code: 'SAID', message: 'a' } as const;
  return {
    async read(run, after) {
      then(after);
      const seq = after + 1;
      return [{ run, first: seq, last: seq, frames: encodeAll([{ seq, at: 0, event }]) }];
    },
  };
}

const trees = (journal: Parameters<typeof treesOf>[0]): ReturnType<typeof treesOf> =>
  treesOf(journal, () => (entry) => entry);

test('[V137] a tree that one alone looks at ends when they look away', async () => {
  const left = new AbortController();
  const read: number[] = [];
  const journal = journalWith((after) => {
    read.push(after);
    if (after === 2) left.abort(new Error('left'));
  });
  const looking = trees(journal).shown(row, { preferences: {}, signal: left.signal });
  await expect(looking).rejects.toThrow('left');
  expect(read).toEqual([0, 1, 2]);
});

test('[V137] whoever looks at the same tree goes on from there', async () => {
  const left = new AbortController();
  const read: number[] = [];
  const journal = journalWith((after) => {
    read.push(after);
    if (after === 2) left.abort(new Error('left'));
  });
  const kept = trees(journal);
  const first = kept.shown(row, { preferences: {}, signal: left.signal });
  const second = kept.shown(row, { preferences: {}, signal: new AbortController().signal });
  await expect(first).rejects.toThrow('left');
  expect((await second).seq).toBe(10);
  expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
