import { expect, test } from 'vitest';
import type { Page } from './rules/journal.ts';
import { frames, range, seqs } from './store.contract.ts';
import type { Chunk } from './store.ts';
import { Watch } from './watch.ts';

const chunk = (seq: number): Chunk => ({ run: 'r', first: seq, last: seq, frames: frames(seq, seq) });

test('[J39] what is shown to one who reads, or is behind, is taken in order all the same', async () => {
  const reads: PromiseWithResolvers<Page>[] = [];
  const given: Chunk[] = [];
  const over = Promise.withResolvers<unknown>();
  const watch = new Watch({
    run: 'r',
    after: 0,
    watcher: { chunk: (one) => given.push(one), over: (failure) => over.resolve(failure) },
    read: () => {
      const reading = Promise.withResolvers<Page>();
      reads.push(reading);
      return reading.promise;
    },
    left: () => {},
  });
  const answer = async (from: number, to: number, ended = false): Promise<void> => {
    while (reads.length === 0) await new Promise((resolve) => setImmediate(resolve));
    reads.shift()?.resolve({ chunks: range(from, to).map(chunk), ended });
  };
  watch.look();
  watch.show(chunk(3), false);
  expect(given).toEqual([]);
  await answer(1, 2);
  await answer(3, 3);
  await answer(4, 3);
  await new Promise((resolve) => setImmediate(resolve));
  watch.show(chunk(4), false);
  watch.show(chunk(6), true);
  await answer(5, 6, true);
  expect(await over.promise).toBe(undefined);
  expect(seqs(given)).toEqual(range(1, 6));
});
