import { expect, test } from 'vitest';
import type { Page } from './rules/journal.ts';
import { frames, range, seqs } from './store.contract.ts';
import type { Chunk } from './store.ts';
import { Watch } from './follow.ts';

const chunk = (seq: number): Chunk => ({ run: 'r', first: seq, last: seq, frames: frames(seq, seq) });

interface Watched {
  readonly watch: Watch;
  readonly given: Chunk[];
  readonly over: Promise<unknown>;
  /** Answer the oldest read, with these entries. */
  readonly answer: (from: number, to: number, page?: Partial<Page>) => Promise<void>;
  readonly asked: number[];
}

function watched(): Watched {
  const reads: PromiseWithResolvers<Page>[] = [];
  const given: Chunk[] = [];
  const asked: number[] = [];
  const over = Promise.withResolvers<unknown>();
  const watch = new Watch({
    run: 'r',
    after: 0,
    watcher: { chunk: (one) => given.push(one), over: (failure) => over.resolve(failure) },
    read: (_, after) => {
      const reading = Promise.withResolvers<Page>();
      reads.push(reading);
      asked.push(after);
      return reading.promise;
    },
    left: () => {},
  });
  const answer: Watched['answer'] = async (from, to, { ended = false, isAll = ended } = {}) => {
    while (reads.length === 0) await turn();
    reads.shift()?.resolve({ chunks: range(from, to).map(chunk), isAll, ended });
    await turn();
  };
  return { watch, given, over: over.promise, answer, asked };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('[J39] what is shown to one who reads, or is behind, is taken in order all the same', async () => {
  const { watch, given, over, answer } = watched();
  watch.look();
  watch.show(chunk(3), false);
  expect(given).toEqual([]);
  await answer(1, 2);
  expect(seqs(given)).toEqual([1, 2, 3]);
  watch.show(chunk(4), false);
  watch.show(chunk(6), true);
  await answer(5, 6, { ended: true });
  expect(await over).toBe(undefined);
  expect(seqs(given)).toEqual(range(1, 6));
});

test('[J45] what was shown meanwhile is not read as well', async () => {
  const { watch, given, answer, asked } = watched();
  watch.look();
  watch.show(chunk(2), false);
  watch.show(chunk(3), false);
  await answer(1, 2);
  expect([seqs(given), asked]).toEqual([[1, 2, 3], [0]]);
});

test('[J46] what was read up to the head is not asked for once more, and what comes then is taken', async () => {
  const { watch, given, answer, asked } = watched();
  watch.look();
  await answer(1, 2, { isAll: true });
  watch.show(chunk(3), false);
  expect([seqs(given), asked]).toEqual([[1, 2, 3], [0]]);
});

test('[J45] what comes next does not wait for a read that is under way, and is given once', async () => {
  const { watch, given, answer, asked } = watched();
  watch.look();
  await answer(1, 2);
  watch.show(chunk(3), false);
  expect([seqs(given), asked]).toEqual([
    [1, 2, 3],
    [0, 2],
  ]);
  await answer(3, 3);
  expect([seqs(given), asked]).toEqual([
    [1, 2, 3],
    [0, 2],
  ]);
});

test('[J45] behind a hole, and behind more than is kept, the store is asked', async () => {
  const { watch, given, answer, asked } = watched();
  watch.look();
  for (const seq of range(3, 40)) watch.show(chunk(seq), false);
  await answer(1, 1);
  await answer(2, 2);
  await answer(3, 40);
  await answer(41, 40);
  expect([seqs(given), asked]).toEqual([range(1, 40), [0, 1, 2, 40]]);
});
