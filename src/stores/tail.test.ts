import { expect, test } from 'vitest';
import { frames, range, seqs } from './store.contract.ts';
import { tailOfRun } from './tail.ts';

function published(last: number, text: string, first = 1) {
  const tail = tailOfRun();
  for (const seq of range(first, last))
    tail.publish({ run: 'r', first: seq, last: seq, frames: frames(seq, seq, text) }, false);
  return tail;
}

test('[J15] the window keeps a bounded end of the run, and says when it cannot tell', () => {
  const tail = published(2_000, 'x'.repeat(10_000));
  expect(tail.after(0)).toBeUndefined();
  const kept = range(0, 1_999).filter((position) => tail.after(position) !== undefined);
  expect(kept.length).toBeGreaterThan(10);
  expect(kept.length * 10_000).toBeLessThan(300_000);
  expect(seqs(tail.after(1_997)?.chunks ?? [])).toEqual([1_998, 1_999, 2_000]);
  expect(tail.after(2_000)).toEqual({ chunks: [], isAll: true, ended: false });
  expect(tail.after(2_001)).toBeUndefined();
});

test('a chunk that does not follow the last one sends everyone behind it to the store', () => {
  const tail = published(5, 'x');
  tail.publish({ run: 'r', first: 8, last: 9, frames: frames(8, 9) }, false);
  expect(tail.after(5)).toBeUndefined();
  expect(seqs(tail.after(7)?.chunks ?? [])).toEqual([8, 9]);
});

test('whoever waits is woken by what happens and by their own signal, and leaves nothing behind', async () => {
  const tail = published(1, 'x');
  const stop = new AbortController();
  const [one, other] = [tail.change(stop.signal), tail.change(new AbortController().signal)];
  stop.abort();
  await one;
  const version = tail.version();
  tail.forget();
  await other;
  expect(tail.version()).toBe(version + 1);
  expect(tail.after(1)).toBeUndefined();
});
