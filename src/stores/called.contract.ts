import { blobName } from './blob-name.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appending, frames, newRun, range, refused, seqs, type Opened } from './store.contract.ts';
import type { Append, Appender, Chunk, Fence, Haste, Store } from './store.ts';

/** What a store must do that can be given appends, and give out chunks, without promises. */
export function calledContract(name: string, open: () => Promise<Opened>): void {
  describe(`the called forms of a journal: ${name}`, () => {
    let store: Store;
    const fence: Fence = { run: 'r', epoch: 1 };

    beforeEach(async () => {
      ({ store } = await open());
      await store.dispatch.create(newRun('r', { claim: { worker: 'w', lease: 1_000 } }));
    });
    afterEach(() => store.close());

    test('[J38] an appender is asked when the commit begins, for one append at a time', async () => {
      const appender = writing(store, fence);
      appender.write(3);
      appender.write(2);
      expect(appender.asked).toEqual([]);
      await appender.settled(6);
      expect(appender.asked).toEqual([{ head: 1, last: 6 }]);
      appender.write(1);
      await appender.settled(7);
      expect(seqs(await store.journal.read('r', 0))).toEqual(range(1, 7));
    });

    test('[J38] what is asked of the run afterwards takes effect after what it has offered', async () => {
      const appender = writing(store, fence);
      appender.write(1, 'none');
      await store.dispatch.release({ fence, head: 2 });
      expect(appender.asked).toEqual([{ head: 1, last: 2 }]);
      expect(await store.dispatch.get('r')).toMatchObject({ state: 'waiting', head: 2 });
    });

    test('[J38] an appender whose fence does not hold is told so, and others are not', async () => {
      const stale = writing(store, { run: 'r', epoch: 9 });
      await store.dispatch.create(newRun('s', { claim: { worker: 'w', lease: 1_000 } }));
      const other = writing(store, { run: 's', epoch: 1 });
      stale.write(1);
      other.write(1);
      await other.settled(2);
      await refused(stale.failure, 'rejected', /epoch 1, not 9/);
      expect(seqs(await store.journal.read('r', 0))).toEqual([1]);
    });

    test('[J39] a watcher is given what is there and then what comes, and is told of the end', async () => {
      await store.journal.append(appending(fence, 1));
      const seen = watching(store, 0);
      const appender = writing(store, fence, 2);
      for (const _ of range(1, 20)) appender.write(1);
      await appender.settled(22);
      await store.journal.append(appending(fence, 22, { ends: true }));
      expect(await seen.over).toBe(undefined);
      expect(seqs(seen.chunks)).toEqual(range(1, 23));
    });

    test('[J39] nothing is shown of an append that was not committed', async () => {
      const seen = watching(store, 1);
      await store.journal.append(appending(fence, 1));
      await seen.until(2);
      // What the watcher reads for itself is read before this: from here on it only hears.
      for (let i = 0; i < 4; i += 1) await store.journal.read('r', 0);
      await refused(store.journal.append(appending({ run: 'r', epoch: 9 }, 2)), 'rejected');
      expect(seqs(seen.chunks)).toEqual([2]);
      await store.journal.append(appending(fence, 2));
      await seen.until(3);
      expect(seqs(seen.chunks)).toEqual([2, 3]);
    });

    test('[J39] a watcher that has left, or fails, hears nothing more, and keeps nobody from hearing', async () => {
      const left = watching(store, 1);
      const failing = watching(store, 1, () => {
        throw new Error('of the watcher');
      });
      const other = watching(store, 1);
      left.leave();
      await store.journal.append(appending(fence, 1));
      await store.journal.append(appending(fence, 2));
      await other.until(3);
      expect([seqs(left.chunks), seqs(other.chunks)]).toEqual([[], [2, 3]]);
      expect(String(await failing.over)).toContain('of the watcher');
    });

    test('[J39] a run that is erased is over, and one that never was is unknown', async () => {
      const seen = watching(store, 1);
      await store.journal.append(appending(fence, 1));
      await seen.until(2);
      await store.dispatch.erase('r');
      expect(await seen.over).toBe(undefined);
      await expect(watching(store, 0).over).resolves.toMatchObject({ failure: { code: 'unknown' } });
    });

    test('[J40] large texts of an append are kept with it, and not where it is refused', async () => {
      const texts = ['one', 'two'].map((text) => text.repeat(1_000));
      const blobs = texts.map((text) => ({ tenant: 't', blob: blobName(text), text }));
      await refused(store.journal.append(appending({ run: 'r', epoch: 9 }, 1, { blobs })), 'rejected');
      const others = blobs.map((kept) => ({ ...kept, tenant: 'u' }));
      await refused(store.journal.append(appending(fence, 1, { blobs: others })), 'malformed');
      const before = await store.blobs.held('t');
      await store.journal.append(appending(fence, 1, { blobs }));
      expect((await store.blobs.held('t')) - before).toBe(6_000 + frames(2, 2).length);
      const { blob } = await store.blobs.put({ tenant: 't', run: 'r' }, texts[0] ?? '');
      expect(await store.blobs.get('t', blob)).toBe(texts[0]);
      await store.dispatch.erase('r');
      expect(await store.blobs.get('t', blob)).toBe(undefined);
    });

    test('[D47] those of a tenant that have not ended are counted', async () => {
      await store.dispatch.create(newRun('s'));
      await store.dispatch.create(newRun('elsewhere', { tenant: 'other' }));
      expect(await store.dispatch.unfinished('t')).toEqual({ working: 2, waiting: 0 });
      await store.journal.append(appending(fence, 1, { ends: true }));
      expect(await store.dispatch.unfinished('t')).toEqual({ working: 1, waiting: 0 });
      expect(await store.dispatch.unfinished('nobody')).toEqual({ working: 0, waiting: 0 });
      await store.dispatch.erase('r');
      await store.dispatch.erase('s');
      expect(await store.dispatch.unfinished('t')).toEqual({ working: 0, waiting: 0 });
      await store.dispatch.create(newRun('u'));
      expect(await store.dispatch.unfinished('t')).toEqual({ working: 1, waiting: 0 });
      const [claim] = await store.dispatch.claim({
        worker: 'w',
        flows: ['flow@1'],
        max: 1,
        lease: 1_000,
        run: 'u',
      });
      if (claim) await store.dispatch.release(claim);
      expect(await store.dispatch.unfinished('t')).toEqual({ working: 0, waiting: 1 });
    });
  });
}

/** Somebody who writes entries of a run, as a worker does. */
function writing(store: Store, fence: Fence, from = 1) {
  const asked: Pick<Append, 'head' | 'last'>[] = [];
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  let waiting: { readonly seq: number; resolve(): void } | undefined;
  let head = from;
  let last = from;
  let underWay: number | undefined;
  const appender: Appender = {
    run: fence.run,
    next() {
      if (underWay !== undefined || last === head) return undefined;
      underWay = last;
      asked.push({ head, last });
      return appending(fence, head, { last, frames: frames(head + 1, last) });
    },
    durable() {
      head = underWay ?? head;
      underWay = undefined;
      if (last > head) store.journal.offer?.(appender, 'great');
      if (waiting && head >= waiting.seq) waiting.resolve();
    },
    failed: (thrown) => failure.reject(thrown),
  };
  return {
    asked,
    failure: failure.promise,
    write(entries: number, haste: Haste = 'great'): void {
      last += entries;
      store.journal.offer?.(appender, haste);
    },
    settled: (seq: number): Promise<void> =>
      head >= seq
        ? Promise.resolve()
        : new Promise((resolve) => (waiting = { seq, resolve: () => resolve() })),
  };
}

function watching(store: Store, after: number, heard: () => void = () => {}) {
  const chunks: Chunk[] = [];
  const over = Promise.withResolvers<unknown>();
  let waiting: { readonly seq: number; resolve(): void } | undefined;
  const leave = store.journal.watch?.('r', after, {
    chunk(chunk) {
      heard();
      chunks.push(chunk);
      if (waiting && chunk.last >= waiting.seq) waiting.resolve();
    },
    over: (failure) => over.resolve(failure),
  });
  return {
    chunks,
    over: over.promise,
    leave: () => leave?.(),
    until: (seq: number): Promise<void> =>
      (chunks.at(-1)?.last ?? 0) >= seq
        ? Promise.resolve()
        : new Promise((resolve) => (waiting = { seq, resolve: () => resolve() })),
  };
}
