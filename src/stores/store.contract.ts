import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Command } from '../run/commands.ts';
import { definitionsContract } from './definitions.contract.ts';
import type {
  Append,
  Chunk,
  Claim,
  Fence,
  Hint,
  NewRun,
  SharedChange,
  SharedFilter,
  Store,
} from './store.ts';

/** A fresh store, and a way to let time pass on its clock. */
export interface Opened {
  readonly store: Store;
  pass(milliseconds: number): void;
}

/** What every store must do. The rules are in `docs/spec/stores.md`. */
export function storeContract(name: string, open: () => Promise<Opened>): void {
  describe(`the store contract: ${name}`, () => {
    let store: Store;
    let pass: (milliseconds: number) => void;
    let hints: Hint[];

    beforeEach(async () => {
      const opened = await open();
      store = opened.store;
      pass = (milliseconds) => opened.pass(milliseconds);
      hints = [];
      store.listen((hint) => hints.push(hint));
    });

    afterEach(() => store.close());

    const create = (run: string, change: Partial<NewRun> = {}) => store.dispatch.create(newRun(run, change));

    /** A run at epoch 1 and head 1, held by `worker`. */
    const started = async (run = 'r', change: Partial<NewRun> = {}): Promise<Fence> => {
      await create(run, { claim: { worker: 'w', lease: 1_000 }, ...change });
      return { run, epoch: 1 };
    };
    const claim = (change: Partial<Parameters<Store['dispatch']['claim']>[0]> = {}) =>
      store.dispatch.claim({ worker: 'other', flows: ['flow@1'], max: 10, lease: 1_000, ...change });
    const append = (fence: Fence, head: number, change: Partial<Append> = {}) =>
      store.journal.append(appending(fence, head, change));
    const end = (fence: Fence, head: number) =>
      append(fence, head, { ends: true, summary: { status: 'completed', approvals: 0 } });
    const send = (run: string, id: string, command: Command = pause) =>
      store.mailbox.send({ run, id, command });
    const state = async (run = 'r') => (await store.dispatch.get(run))?.state;
    const heard = (type: Hint['type']) =>
      hints.flatMap((hint) => (hint.type === type && hint.type !== 'shared' ? [hint.run] : []));

    describe('journal', () => {
      test('[J1] what was acknowledged is read, from any cursor', async () => {
        const fence = await started();
        await append(fence, 1);
        await append(fence, 2, { last: 4, frames: frames(3, 4) });
        expect(await store.journal.read('r', 0)).toEqual([chunk(1, 1), chunk(2, 2), chunk(3, 4)]);
        expect(await store.journal.read('r', 2)).toEqual([chunk(3, 4)]);
        expect(await store.journal.read('r', 3)).toEqual([chunk(3, 4)]);
        expect(await store.journal.read('r', 4)).toEqual([]);
        expect(await store.dispatch.get('r')).toMatchObject({ head: 4 });
      });

      test('[J2] a writer that is behind is turned away, and told by how much', async () => {
        const fence = await started();
        await append(fence, 1);
        await refused(append(fence, 1), 'rejected', /entry 2, not 1/);
        await refused(append(fence, 5), 'rejected', /entry 2, not 5/);
        expect(await store.journal.read('r', 0)).toEqual([chunk(1, 1), chunk(2, 2)]);
      });

      test('[J3] a writer whose run was taken over is turned away, also at the right head', async () => {
        const fence = await started();
        pass(1_000);
        await claim();
        await refused(append(fence, 1), 'rejected', /epoch 2, not 1/);
        await refused(append({ ...fence, epoch: 3 }, 1), 'rejected', /epoch 2, not 3/);
        await append({ ...fence, epoch: 2 }, 1);
      });

      test('[J4] a parked, returned or ended run is held by nobody', async () => {
        const parked = await started('parked');
        await store.dispatch.release({ fence: parked, head: 1 });
        await refused(append(parked, 1), 'rejected', /waiting/);
        const returned = await started('returned');
        await store.dispatch.handBack(returned);
        await refused(append(returned, 1), 'rejected', /ready/);
        const ended = await started('ended');
        await end(ended, 1);
        await refused(append(ended, 2), 'rejected', /ended/);
        await refused(store.dispatch.release({ fence: ended, head: 2 }), 'rejected', /ended/);
      });

      test('[J5] pipelined appends take effect in the order of the calls', async () => {
        const fence = await started();
        await Promise.all(range(1, 50).map((head) => append(fence, head)));
        expect(seqs(await store.journal.read('r', 0))).toEqual(range(1, 51));
      });

      test('[J5] when a pipelined append is refused, so is what follows it', async () => {
        const fence = await started();
        const outcomes = await Promise.allSettled([
          append(fence, 1),
          append(fence, 7),
          append(fence, 8),
          append(fence, 2),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual([
          'fulfilled',
          'rejected',
          'rejected',
          'fulfilled',
        ]);
        expect(seqs(await store.journal.read('r', 0))).toEqual([1, 2, 3]);
      });

      test('[J6] an append that is repeated because its answer was lost is not recorded twice', async () => {
        const fence = await started();
        await append(fence, 1);
        await refused(append(fence, 1), 'rejected');
        expect(await store.journal.read('r', 1)).toEqual([chunk(2, 2)]);
        await append(fence, 2);
      });

      test('[J7] an append of no entries changes the summary and leaves no chunk', async () => {
        const fence = await started();
        await append(fence, 1, { last: 1, frames: '', summary: { status: 'waiting', approvals: 2 } });
        expect(await store.dispatch.get('r')).toMatchObject({ head: 1, status: 'waiting', approvals: 2 });
        expect(await store.journal.read('r', 0)).toEqual([chunk(1, 1)]);
        await append(fence, 1, { last: 1, frames: '', ends: true });
        expect(await state()).toBe('ended');
      });

      test('[J8] a long run is read in bounded pages without gap', async () => {
        const fence = await started();
        const large = 'x'.repeat(300_000);
        for (const head of range(1, 12))
          await append(fence, head, { frames: frames(head + 1, head + 1, large) });
        const pages: (readonly Chunk[])[] = [];
        for (let after = 0; ;) {
          const page = await store.journal.read('r', after);
          if (page.length === 0) break;
          pages.push(page);
          after = page.at(-1)?.last ?? after;
        }
        expect(seqs(pages.flat())).toEqual(range(1, 13));
        for (const page of pages)
          expect(page.reduce((size, { frames: text }) => size + text.length, 0)).toBeLessThan(1.5e6);
        expect(pages.length).toBeGreaterThan(2);
      });

      test('[J9] the summary of the last append is shown', async () => {
        const fence = await started();
        await append(fence, 1, { summary: { status: 'paused', approvals: 3 } });
        pass(5);
        await append(fence, 2, { summary: { status: 'running', approvals: 1 } });
        const row = await store.dispatch.get('r');
        expect(row).toMatchObject({
          status: 'running',
          approvals: 1,
          head: 3,
          state: 'running',
          worker: 'w',
        });
        expect((row?.updatedAt ?? 0) - (row?.createdAt ?? 0)).toBe(5);
        expect(await store.dispatch.list({ tenant: 't' })).toEqual([row]);
      });

      test('[J10] a run that does not exist is unknown', async () => {
        await refused(store.journal.read('nobody', 0), 'unknown', /nobody/);
        await refused(append({ run: 'nobody', epoch: 1 }, 0), 'unknown', /nobody/);
        await refused(
          collect(store.journal.follow('nobody', 0, AbortSignal.timeout(5_000))),
          'unknown',
          /nobody/,
        );
      });

      test('[J11] an append that cannot be is malformed', async () => {
        const fence = await started();
        await refused(append(fence, 1, { last: 0 }), 'malformed');
        await refused(append(fence, 1, { last: 1 }), 'malformed');
        await refused(append(fence, 1, { last: 3, frames: '' }), 'malformed');
        expect(seqs(await store.journal.read('r', 0))).toEqual([1]);
      });

      test('[J12] a follower gets what is there and then what comes', async () => {
        const fence = await started();
        const following = collect(store.journal.follow('r', 0, AbortSignal.timeout(5_000)));
        for (const head of range(1, 20)) await append(fence, head);
        await end(fence, 21);
        expect(seqs(await following)).toEqual(range(1, 22));
      });

      test('[J12] [R15] no gap and no duplicate, whatever is appended while followers come', async () => {
        let runs = 0;
        const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
          runs += 1;
          await followed(store, await started(`r${runs}`), steps);
        });
        await fc.assert(property, { numRuns: 60 });
      });

      test('[J13] a follower of an ended run gets all of it and ends', async () => {
        const fence = await started();
        await append(fence, 1);
        await end(fence, 2);
        const signal = AbortSignal.timeout(5_000);
        expect(seqs(await collect(store.journal.follow('r', 0, signal)))).toEqual([1, 2, 3]);
        expect(seqs(await collect(store.journal.follow('r', 2, signal)))).toEqual([3]);
        expect(seqs(await collect(store.journal.follow('r', 3, signal)))).toEqual([]);
        expect(seqs(await collect(store.journal.follow('r', 9, signal)))).toEqual([]);
        expect(signal.aborted).toBe(false);
      });

      test('[J13] a follower ends when the run ends without another entry, and when it is erased', async () => {
        const signal = AbortSignal.timeout(5_000);
        for (const [run, finish] of [
          ['ends', (fence: Fence) => append(fence, 2, { last: 2, frames: '', ends: true })],
          ['erased', () => store.dispatch.erase('erased')],
        ] as const) {
          const fence = await started(run);
          const iterator = store.journal.follow(run, 1, signal)[Symbol.asyncIterator]();
          const next = iterator.next();
          await append(fence, 1);
          expect((await next).value).toMatchObject({ first: 2, last: 2 });
          const last = iterator.next();
          await finish(fence);
          expect(await last).toMatchObject({ done: true });
        }
        expect(signal.aborted).toBe(false);
      });

      test('[J14] a follower ends when it is told to', async () => {
        await started();
        const stop = new AbortController();
        const iterator = store.journal.follow('r', 0, stop.signal)[Symbol.asyncIterator]();
        expect((await iterator.next()).value).toEqual(chunk(1, 1));
        const next = iterator.next();
        stop.abort();
        expect(await next).toMatchObject({ done: true });
        expect(await collect(store.journal.follow('r', 0, stop.signal))).toEqual([]);
      });

      test('[J15] a follower that falls far behind catches up from the store', async () => {
        const fence = await started();
        const slow = store.journal.follow('r', 0, AbortSignal.timeout(10_000))[Symbol.asyncIterator]();
        const first = await slow.next();
        const large = 'x'.repeat(50_000);
        for (const head of range(1, 40))
          await append(fence, head, { frames: frames(head + 1, head + 1, large) });
        await end(fence, 41);
        const rest = await collect({ [Symbol.asyncIterator]: () => slow });
        expect(seqs([first.value as Chunk, ...rest])).toEqual(range(1, 42));
      });

      test('[J16] what is refused does not touch what is committed with it', async () => {
        const [one, other] = [await started('one'), await started('other')];
        const outcomes = await Promise.allSettled([
          append(one, 1),
          append(other, 9),
          send('nobody', 'c'),
          send('other', 'c'),
          store.dispatch.handBack({ run: 'other', epoch: 5 }),
          append(other, 1),
        ]);
        expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
          true,
          false,
          false,
          true,
          false,
          true,
        ]);
        expect(seqs(await store.journal.read('one', 0))).toEqual([1, 2]);
        expect(seqs(await store.journal.read('other', 0))).toEqual([1, 2]);
        expect(await store.dispatch.get('other')).toMatchObject({ state: 'running', epoch: 1 });
      });
    });

    describe('dispatch', () => {
      test('[D1] one idempotency key of a tenant creates one run', async () => {
        expect(await create('a', { idempotencyKey: 'k' })).toEqual({ run: 'a', created: true });
        expect(await create('b', { idempotencyKey: 'k', title: 'other' })).toEqual({
          run: 'a',
          created: false,
        });
        expect(await create('c', { idempotencyKey: 'k', tenant: 'u' })).toEqual({ run: 'c', created: true });
        expect(await store.dispatch.get('b')).toBeUndefined();
        const found = (tenant: string, idempotencyKey: string) =>
          store.dispatch.find({ tenant, idempotencyKey }).then((row) => row?.run);
        expect(await Promise.all([found('t', 'k'), found('u', 'k'), found('t', 'other')])).toEqual([
          'a',
          'c',
          undefined,
        ]);
      });

      test('[D1] of many that create at once with one key, one succeeds', async () => {
        const made = await Promise.all(range(1, 10).map((i) => create(`r${i}`, { idempotencyKey: 'k' })));
        expect(made.filter(({ created }) => created)).toHaveLength(1);
        expect(new Set(made.map(({ run }) => run)).size).toBe(1);
      });

      test('[N12] a run takes the place of one that has ended, and both say so', async () => {
        await end(await started('a'), 1);
        expect(await store.dispatch.get('a')).toMatchObject({ replaces: null, replacedBy: null });
        await end(await started('b', { replaces: 'a' }), 1);
        const [newest, older] = await store.dispatch.list({ tenant: 't' });
        expect(newest).toMatchObject({ run: 'b', replaces: 'a', replacedBy: null });
        expect(older).toMatchObject({ run: 'a', replaces: null, replacedBy: 'b', state: 'ended' });
        await started('c', { replaces: 'b' });
        expect(await store.dispatch.get('b')).toMatchObject({ replaces: 'a', replacedBy: 'c' });
      });

      test('[N12] a place is taken once, of a run of the same conversation that has ended', async () => {
        const fence = await started('a');
        await refused(create('b', { replaces: 'a' }), 'rejected', /a has not ended/);
        await end(fence, 1);
        await refused(create('b', { replaces: 'nobody' }), 'unknown');
        await refused(create('b', { replaces: 'a', conversation: 'other' }), 'unknown');
        await refused(create('b', { replaces: 'a', tenant: 'u' }), 'unknown');
        expect(await store.dispatch.get('b')).toBeUndefined();
        const all = range(1, 10).map((i) => create(`r${i}`, { replaces: 'a' }).catch(() => undefined));
        const made = (await Promise.all(all)).flatMap((one) => one ?? []);
        expect(made).toHaveLength(1);
        const [first] = made;
        await refused(create('late', { replaces: 'a' }), 'rejected', new RegExp(`replaced by ${first?.run}`));
        const keyed = { replaces: first?.run ?? '', idempotencyKey: 'k' };
        await end({ run: first?.run ?? '', epoch: (await claim())[0]?.fence.epoch ?? 0 }, 1);
        expect(await create('next', keyed)).toEqual({ run: 'next', created: true });
        expect(await create('again', keyed)).toEqual({ run: 'next', created: false });
      });

      test('[D2] creating the same run again changes nothing, and not for another tenant', async () => {
        await create('a', { title: 'first' });
        expect(await create('a', { title: 'second' })).toEqual({ run: 'a', created: false });
        await refused(create('a', { tenant: 'u' }), 'rejected', /exists already/);
        expect(await store.dispatch.get('a')).toMatchObject({ title: 'first', tenant: 't' });
      });

      test('[D3] a run can be created claimed, or ready for anyone', async () => {
        await create('ready');
        expect(await store.dispatch.get('ready')).toMatchObject({
          state: 'ready',
          epoch: 0,
          head: 1,
          worker: null,
          status: 'running',
        });
        await started('claimed');
        expect(await store.dispatch.get('claimed')).toMatchObject({
          state: 'running',
          epoch: 1,
          worker: 'w',
        });
        expect(await claim()).toEqual([{ fence: { run: 'ready', epoch: 1 }, head: 1, reason: 'started' }]);
      });

      test('[D4] a claim takes what is due, the longest due first, and no more than asked', async () => {
        for (const run of ['a', 'b', 'c']) {
          await create(run);
          pass(1);
        }
        await create('foreign', { flow: 'else@1' });
        await started('held');
        expect(runs(await claim({ max: 2 }))).toEqual(['a', 'b']);
        expect(runs(await claim({ flows: ['flow@1', 'else@1'] }))).toEqual(['c', 'foreign']);
        expect(await claim({ flows: ['flow@1', 'else@1'] })).toEqual([]);
        expect(await claim({ flows: [] })).toEqual([]);
      });

      test('[D4] a run that became ready later is claimed later, however old it is', async () => {
        const fence = await started('old');
        pass(1);
        await create('young');
        pass(1);
        await store.dispatch.handBack(fence);
        expect(runs(await claim({ max: 1 }))).toEqual(['young']);
        expect(runs(await claim({ max: 1 }))).toEqual(['old']);
      });

      test('[D4] a claim for one run takes that one or none', async () => {
        await create('a');
        await create('b');
        await create('foreign', { flow: 'else@1' });
        expect(runs(await claim({ run: 'b' }))).toEqual(['b']);
        expect(await claim({ run: 'b' })).toEqual([]);
        expect(await claim({ run: 'foreign' })).toEqual([]);
        expect(await claim({ run: 'nobody' })).toEqual([]);
      });

      test('[D5, D6] the reason tells what happened, and each claim raises the epoch', async () => {
        await create('r');
        expect(await claim()).toMatchObject([{ fence: { epoch: 1 }, reason: 'started' }]);
        pass(1_000);
        expect(await claim()).toMatchObject([{ fence: { epoch: 2 }, reason: 'recovered' }]);
        await append({ run: 'r', epoch: 2 }, 1);
        await store.dispatch.renew([{ run: 'r', epoch: 2 }], 1_000);
        await store.dispatch.release({ fence: { run: 'r', epoch: 2 }, head: 2 });
        await send('r', 'c');
        expect(await claim()).toEqual([{ fence: { run: 'r', epoch: 3 }, head: 2, reason: 'woken' }]);
        await store.dispatch.handBack({ run: 'r', epoch: 3 });
        expect(await claim()).toMatchObject([{ fence: { epoch: 4 }, reason: 'woken' }]);
      });

      test('[D25] tells the time by which it decides', async () => {
        await create('r');
        const { createdAt = 0 } = (await store.dispatch.get('r')) ?? {};
        const before = await store.dispatch.time();
        expect(before).toBeGreaterThanOrEqual(createdAt);
        pass(5_000);
        expect(await store.dispatch.time()).toBeGreaterThanOrEqual(before + 5_000);
      });

      test('[D7] a lease is over when the clock of the store reaches its end', async () => {
        await started();
        pass(999);
        expect(await claim()).toEqual([]);
        pass(1);
        expect(await claim({ worker: 'next' })).toMatchObject([{ reason: 'recovered' }]);
        expect(await store.dispatch.get('r')).toMatchObject({ worker: 'next', epoch: 2 });
      });

      test('[D8] only what is held is renewed', async () => {
        const [held, lost, parked, ended] = [
          await started('held'),
          await started('lost'),
          await started('parked'),
          await started('ended'),
        ];
        await store.dispatch.release({ fence: parked, head: 1 });
        await end(ended, 1);
        pass(1_000);
        await claim({ run: 'lost' });
        const unknown = { run: 'nobody', epoch: 1 };
        expect(await store.dispatch.renew([held, lost, parked, ended, unknown], 500)).toEqual([held]);
        pass(499);
        expect(await claim()).toEqual([]);
        pass(1);
        expect(runs(await claim())).toContain('held');
      });

      test('[D9] a run with nothing to do is parked', async () => {
        const fence = await started();
        expect(await store.dispatch.release({ fence, head: 1 })).toBe('waiting');
        expect(await store.dispatch.get('r')).toMatchObject({
          state: 'waiting',
          worker: null,
          wakeAt: null,
          epoch: 1,
        });
        pass(1e9);
        expect(await claim()).toEqual([]);
      });

      test('[D10] a run with a pending command is not parked, and its worker goes on', async () => {
        const fence = await started();
        await send('r', 'c');
        expect(await store.dispatch.release({ fence, head: 1 })).toBe('running');
        await append(fence, 1, { uses: [{ command: 'c', seq: 2 }] });
        expect(await store.dispatch.release({ fence, head: 2 })).toBe('waiting');
      });

      test('[D10] a command that meets a run being parked is never lost', async () => {
        for (const run of range(1, 30).map((i) => `r${i}`)) {
          const fence = await started(run);
          const asked = [() => send(run, 'c'), () => store.dispatch.release({ fence, head: 1 })];
          if (Number(run.slice(1)) % 2) asked.reverse();
          await Promise.all(asked.map((ask) => ask()));
          expect(await state(run)).not.toBe('waiting');
        }
      });

      test('[D11] a parked run wakes at its time', async () => {
        const fence = await started();
        const now = (await store.dispatch.get('r'))?.createdAt ?? 0;
        await store.dispatch.release({ fence, head: 1, wakeAt: now + 50 });
        pass(49);
        expect(await claim()).toEqual([]);
        pass(1);
        expect(await claim()).toMatchObject([{ reason: 'woken' }]);
        expect(await store.dispatch.get('r')).toMatchObject({ wakeAt: null, state: 'running' });
      });

      test('[D12] parking needs the epoch and the head', async () => {
        const fence = await started();
        await refused(store.dispatch.release({ fence, head: 0 }), 'rejected', /entry 1, not 0/);
        await refused(
          store.dispatch.release({ fence: { run: 'r', epoch: 2 }, head: 1 }),
          'rejected',
          /epoch 1, not 2/,
        );
        await refused(store.dispatch.release({ fence: { run: 'nobody', epoch: 2 }, head: 1 }), 'unknown');
        expect(await state()).toBe('running');
      });

      test('[D13] a run that is handed back can be claimed at once', async () => {
        const fence = await started();
        await store.dispatch.handBack(fence);
        expect(await store.dispatch.get('r')).toMatchObject({ state: 'ready', worker: null });
        await refused(store.dispatch.handBack(fence), 'rejected');
        expect(runs(await claim())).toEqual(['r']);
      });

      test('[D14] there is no row of a run that does not exist', async () => {
        expect(await store.dispatch.get('nobody')).toBeUndefined();
      });

      test('[Q42] runs are counted for each tenant, the one with most first', async () => {
        await started('a', { tenant: 'u' });
        await started('b', {});
        await started('c', {});
        const counts = [
          { tenant: 't', runs: 2 },
          { tenant: 'u', runs: 1 },
        ];
        expect(await store.dispatch.count({ damaged: false })).toEqual(counts);
        expect(await store.dispatch.count({ damaged: true })).toEqual([]);
      });

      test('[D15] runs are listed newest first, by what is asked', async () => {
        await started('a', { conversation: 'one' });
        await started('b', { app: 'other' });
        await started('c', { conversation: 'one' });
        await started('d', { tenant: 'u' });
        await append({ run: 'a', epoch: 1 }, 1, { summary: { status: 'waiting', approvals: 1 } });
        await end({ run: 'b', epoch: 1 }, 1);
        const found = async (filter: object) =>
          (await store.dispatch.list({ tenant: 't', ...filter })).map(({ run }) => run);
        expect(await found({})).toEqual(['c', 'b', 'a']);
        expect(await found({ tenant: 'u' })).toEqual(['d']);
        expect(await found({ conversation: 'one' })).toEqual(['c', 'a']);
        expect(await found({ app: 'other' })).toEqual(['b']);
        expect(await found({ status: 'waiting' })).toEqual(['a']);
        expect(await found({ unfinished: true })).toEqual(['c', 'a']);
        expect(await found({ withApprovals: true })).toEqual(['a']);
        expect(await found({ conversation: 'one', unfinished: true, status: 'running' })).toEqual(['c']);
      });

      test('[D48] a row that was given stays as it was, whatever becomes of its run', async () => {
        const fence = await started('r', { idempotencyKey: 'k' });
        const given = await Promise.all([
          store.dispatch.get('r'),
          store.dispatch.find({ tenant: 't', idempotencyKey: 'k' }),
          store.dispatch.list({ tenant: 't' }).then(([row]) => row),
          store.dispatch.list({ tenant: 't', since: 0 }).then(([row]) => row),
          store.feed.read({ tenant: 't' }).then(({ items: [item] }) => item?.row),
        ]);
        await append(fence, 1);
        await end(fence, 2);
        expect(given.map((row) => [row?.head, row?.state])).toEqual(given.map(() => [1, 'running']));
      });

      test('[V105] says how many questions wait, of all tenants, and none of what has ended', async () => {
        const fence = await started();
        expect(await store.dispatch.questions()).toBe(0);
        await append(fence, 1, { summary: { status: 'waiting', approvals: 2 } });
        expect(await store.dispatch.questions()).toBe(2);
        await end(fence, 2);
        expect(await store.dispatch.questions()).toBe(0);
      });

      test('[D16] a list goes on where it stopped', async () => {
        for (const i of range(1, 60)) await create(`r${i}`, i % 2 ? {} : { app: 'even' });
        const names = (rows: readonly { run: string }[]) => rows.map(({ run }) => run);
        const first = await store.dispatch.list({ tenant: 't' });
        expect(names(first)).toEqual(
          range(11, 60)
            .reverse()
            .map((i) => `r${i}`),
        );
        expect(names(await store.dispatch.list({ tenant: 't', after: 'r11' }))).toEqual(
          range(1, 10)
            .reverse()
            .map((i) => `r${i}`),
        );
        expect(names(await store.dispatch.list({ tenant: 't', after: 'r6', limit: 2, app: 'even' }))).toEqual(
          ['r4', 'r2'],
        );
        await refused(store.dispatch.list({ tenant: 't', after: 'nobody' }), 'unknown', /nobody/);
        await refused(store.dispatch.list({ tenant: 'u', after: 'r1' }), 'unknown');
      });

      test('[D17] a name belongs to one run at a time, in the order of asking', async () => {
        const [a, b, c] = [await started('a'), await started('b'), await started('c')];
        expect(await store.dispatch.hold(a, 'n')).toBe(true);
        expect(await store.dispatch.hold(c, 'n')).toBe(false);
        expect(await store.dispatch.hold(b, 'n')).toBe(false);
        expect(await store.dispatch.hold(b, 'other')).toBe(true);
        expect(await store.dispatch.hold(a, 'n')).toBe(true);
        await store.dispatch.letGo(a, 'n');
        expect(await store.dispatch.hold(b, 'n')).toBe(false);
        expect(await store.dispatch.hold(c, 'n')).toBe(true);
        expect(await store.dispatch.hold(a, 'n')).toBe(false);
        await store.dispatch.letGo(c, 'n');
        expect(await store.dispatch.hold(b, 'n')).toBe(true);
        await refused(store.dispatch.hold({ run: 'a', epoch: 7 }, 'n'), 'rejected');
      });

      test('[D17] a worker that takes a run over keeps its place', async () => {
        const [a, b] = [await started('a'), await started('b')];
        await store.dispatch.hold(a, 'n');
        await store.dispatch.hold(b, 'n');
        pass(1_000);
        await claim();
        expect(await store.dispatch.hold({ run: 'a', epoch: 2 }, 'n')).toBe(true);
        expect(await store.dispatch.hold({ run: 'b', epoch: 2 }, 'n')).toBe(false);
      });

      test('[D18] a place is freed by letting go, by the end and by erasing', async () => {
        const [a, b, c, d] = [await started('a'), await started('b'), await started('c'), await started('d')];
        for (const fence of [a, b, c, d]) await store.dispatch.hold(fence, 'n');
        await store.dispatch.letGo(a, 'n');
        await store.dispatch.letGo(a, 'n');
        await end(b, 1);
        await store.dispatch.erase('c');
        expect(await store.dispatch.hold(d, 'n')).toBe(true);
        expect(heard('freed')).toEqual(['b', 'c', 'd']);
      });

      test('[D18] whoever leaves from the middle of a line frees nothing', async () => {
        const [a, b, c] = [await started('a'), await started('b'), await started('c')];
        for (const fence of [a, b, c]) await store.dispatch.hold(fence, 'n');
        await store.dispatch.letGo(b, 'n');
        expect(heard('freed')).toEqual([]);
        expect(await store.dispatch.hold(c, 'n')).toBe(false);
      });

      test('[D19] a parked run whose turn comes is woken', async () => {
        const [a, b] = [await started('a'), await started('b')];
        await store.dispatch.hold(a, 'n');
        await store.dispatch.hold(b, 'n');
        expect(await store.dispatch.release({ fence: b, head: 1 })).toBe('waiting');
        await store.dispatch.letGo(a, 'n');
        expect(await claim()).toMatchObject([{ fence: { run: 'b', epoch: 2 }, reason: 'woken' }]);
        expect(await store.dispatch.hold({ run: 'b', epoch: 2 }, 'n')).toBe(true);
      });

      test('[D20] a run whose turn came unnoticed is not parked, once', async () => {
        const [a, b] = [await started('a'), await started('b')];
        await store.dispatch.hold(a, 'n');
        await store.dispatch.hold(b, 'n');
        await store.dispatch.letGo(a, 'n');
        expect(await store.dispatch.release({ fence: b, head: 1 })).toBe('running');
        expect(await store.dispatch.hold(b, 'n')).toBe(true);
        expect(await store.dispatch.release({ fence: b, head: 1 })).toBe('waiting');
      });

      test('[D24] a paused run that is parked leaves the lines in which its turn has not begun', async () => {
        const [a, b, c] = [await started('a'), await started('b'), await started('c')];
        await store.dispatch.hold(b, 'own');
        await store.dispatch.hold(b, 'told');
        for (const fence of [a, b, c]) await store.dispatch.hold(fence, 'n');
        await store.journal.append(appending(b, 1, { summary: { status: 'paused', approvals: 0 } }));
        expect(await store.dispatch.release({ fence: b, head: 2, begun: ['own'] })).toBe('waiting');
        await store.dispatch.letGo(a, 'n');
        expect(await store.dispatch.hold(c, 'n')).toBe(true);
        expect(await store.dispatch.hold(c, 'own')).toBe(false);
        expect(await store.dispatch.hold(c, 'told')).toBe(true);
        expect(await store.dispatch.get('b')).toMatchObject({ state: 'waiting' });
      });

      test('[D17] a run that comes to be and stands in line at once is behind those who stand there', async () => {
        const first = await started('first');
        expect(await store.dispatch.hold(first, 'n')).toBe(true);
        const [, isItsTurn] = await Promise.all([
          started('late'),
          store.dispatch.hold({ run: 'late', epoch: 1 }, 'n'),
        ]);
        expect(isItsTurn).toBe(false);
        await store.dispatch.letGo(first, 'n');
        expect(heard('freed')).toEqual(['late']);
      });

      test('[D21] lines of different tenants do not meet', async () => {
        expect(await store.dispatch.hold(await started('a'), 'n')).toBe(true);
        expect(await store.dispatch.hold(await started('b', { tenant: 'u' }), 'n')).toBe(true);
      });

      test('[D22] nothing of an erased run is left', async () => {
        const fence = await started('r', { idempotencyKey: 'k' });
        const { blob } = await store.blobs.put({ tenant: 't', run: 'r' }, 'text');
        await send('r', 'c');
        await store.dispatch.erase('r');
        await store.dispatch.erase('r');
        expect(await store.dispatch.get('r')).toBeUndefined();
        expect(await store.dispatch.list({ tenant: 't' })).toEqual([]);
        expect(await store.blobs.get('t', blob)).toBeUndefined();
        await refused(store.journal.read('r', 0), 'unknown');
        await refused(store.mailbox.pending('r'), 'unknown');
        await refused(append(fence, 1), 'unknown');
        expect(await create('r', { idempotencyKey: 'k' })).toEqual({ run: 'r', created: true });
        expect(await store.mailbox.pending('r')).toEqual([]);
        expect(await store.journal.read('r', 0)).toEqual([chunk(1, 1)]);
      });

      test('[D23] hints say what to look at', async () => {
        await create('new');
        await create('new');
        const fence = await started();
        await send('r', 'c');
        await send('r', 'c');
        expect(hints.filter(({ type }) => type !== 'changed')).toEqual([
          { type: 'ready', run: 'new' },
          { type: 'command', run: 'r' },
        ]);
        await append(fence, 1, { uses: [{ command: 'c', seq: 2 }] });
        await store.dispatch.release({ fence, head: 2 });
        await send('r', 'd');
        await send('r', 'e');
        await send('new', 'f');
        await refused(store.dispatch.handBack(fence), 'rejected');
        expect(heard('ready')).toEqual(['new', 'r']);
        await store.dispatch.handBack(((await claim({ run: 'r' }))[0] as Claim).fence);
        expect(heard('ready')).toEqual(['new', 'r', 'r']);
        expect(heard('command')).toEqual(['r']);
      });

      test('[D23] nobody hears hints after hanging up', async () => {
        const late: Hint[] = [];
        store.listen((hint) => late.push(hint))();
        await create('r');
        expect(late).toEqual([]);
        expect(heard('ready')).toEqual(['r']);
      });
    });

    describe('mailbox', () => {
      test('[M1] commands wait in the order they came', async () => {
        const fence = await started();
        expect(await send('r', 'z')).toEqual({ id: 'z', used: null, fresh: true, command: pause });
        await send('r', 'a', stop);
        await send('r', 'm');
        const left = async () => (await store.mailbox.pending('r')).map(({ id }) => id);
        expect(await left()).toEqual(['z', 'a', 'm']);
        expect((await store.mailbox.pending('r'))[1]).toEqual({ run: 'r', id: 'a', command: stop });
        await append(fence, 1, { uses: [{ command: 'a', seq: 2 }] });
        expect(await left()).toEqual(['z', 'm']);
      });

      test('[M2] a repeated command gets the same receipt, and its first version counts', async () => {
        const fence = await started();
        await send('r', 'c', pause);
        expect(await send('r', 'c', stop)).toEqual({ id: 'c', used: null, fresh: false, command: pause });
        await append(fence, 1, { uses: [{ command: 'c', seq: 2 }] });
        await store.dispatch.release({ fence, head: 2 });
        expect(await send('r', 'c', stop)).toEqual({ id: 'c', used: 2, fresh: false, command: pause });
        expect(await state()).toBe('waiting');
        expect(await store.mailbox.pending('r')).toEqual([]);
      });

      test('[M3] a run that does not exist or has ended takes no command', async () => {
        await refused(send('nobody', 'c'), 'unknown', /nobody/);
        const fence = await started();
        await send('r', 'early');
        await end(fence, 1);
        await refused(send('r', 'late', stop), 'rejected', /ended .*stop/);
        expect(await send('r', 'early')).toMatchObject({ fresh: false, command: pause });
      });

      test('[M4] a command wakes a parked run', async () => {
        const fence = await started();
        await store.dispatch.release({ fence, head: 1, wakeAt: 1e15 });
        await send('r', 'c');
        expect(await store.dispatch.get('r')).toMatchObject({ state: 'ready', wakeAt: null });
      });

      test('[M5] a refused append uses no command', async () => {
        const fence = await started();
        await send('r', 'c');
        await refused(append(fence, 7, { uses: [{ command: 'c', seq: 8 }] }), 'rejected');
        expect(await store.mailbox.pending('r')).toHaveLength(1);
        await append(fence, 1, { uses: [{ command: 'c', seq: 2 }] });
        expect(await store.mailbox.pending('r')).toHaveLength(0);
      });

      test('[M6] a command is used once', async () => {
        const fence = await started();
        await send('r', 'c');
        await append(fence, 1, { uses: [{ command: 'c', seq: 2 }] });
        await refused(append(fence, 2, { uses: [{ command: 'c', seq: 3 }] }), 'rejected', /entry 2/);
        await refused(append(fence, 2, { uses: [{ command: 'none', seq: 3 }] }), 'unknown', /none/);
        expect(seqs(await store.journal.read('r', 0))).toEqual([1, 2]);
      });

      test('[M7] the same id sent to two runs is two commands', async () => {
        await started('a');
        await started('b');
        expect(await send('a', 'c')).toMatchObject({ fresh: true });
        expect(await send('b', 'c', stop)).toMatchObject({ fresh: true, command: stop });
        await store.dispatch.erase('a');
        expect(await store.mailbox.pending('b')).toHaveLength(1);
      });

      test('[M8] a command that the end overtook is answered by the end', async () => {
        const fence = await started();
        await send('r', 'used');
        await send('r', 'overtaken');
        await append(fence, 1, { uses: [{ command: 'used', seq: 2 }] });
        await end(fence, 2);
        expect(await send('r', 'used')).toMatchObject({ fresh: false, used: 2 });
        expect(await send('r', 'overtaken')).toMatchObject({ fresh: false, used: 3 });
        expect(await store.mailbox.pending('r')).toEqual([]);
      });
    });

    describe('shared values', () => {
      const key = { kind: 'pins', tenant: 't', name: 'one' };
      const changed = (change: Partial<SharedChange>) =>
        store.shared.set({ ...key, value: '"a"', version: 0, ...change });

      test('[Q120] only whoever knows what is there changes it, once', async () => {
        const first = await changed({});
        await refused(changed({ value: '"b"' }), 'rejected', /changed «pins one» meanwhile/);
        const second = await changed({ value: '"b"', version: first });
        expect(await store.shared.list(key)).toEqual([{ ...key, value: '"b"', version: second }]);
        await refused(changed({ value: '"c"', version: first }), 'rejected');
        expect(second).toBeGreaterThan(first);
      });

      test('[Q120] of two who change the same at once, one is refused', async () => {
        const outcomes = await Promise.allSettled([changed({ value: '"a"' }), changed({ value: '"b"' })]);
        expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      });

      test('[Q121] a kind is listed by tenant and name, whole or in part, and nothing of another', async () => {
        for (const [kind, tenant, name] of [
          ['pins', 'u', 'one'],
          ['pins', 't', 'two'],
          ['pins', 't', 'one'],
          ['pins', '', 'one'],
          ['keys', 't', 'one'],
        ] as const)
          await changed({ kind, tenant, name });
        const found = async (filter: SharedFilter) =>
          (await store.shared.list(filter)).map(({ tenant, name }) => `${tenant}/${name}`);
        expect(await found({ kind: 'pins' })).toEqual(['/one', 't/one', 't/two', 'u/one']);
        expect(await found({ kind: 'pins', tenant: 't' })).toEqual(['t/one', 't/two']);
        expect(await found({ kind: 'pins', tenant: '' })).toEqual(['/one']);
        expect(await found({ kind: 'pins', name: 'one' })).toEqual(['/one', 't/one', 'u/one']);
        expect(await found({ kind: 'pin' })).toEqual([]);
      });

      test('[Q122] whoever listens hears which one changed, and of nothing that was refused', async () => {
        const version = await changed({});
        await refused(changed({}), 'rejected');
        await changed({ version });
        const about = { type: 'shared', key };
        await vi.waitFor(() => expect(hints).toEqual([about, about]));
      });

      test('[Q125] whoever reads a run that is erased gets nothing more of it, not even what was read already', async () => {
        const fence = await started();
        for (const head of [1, 2, 3]) await append(fence, head);
        const following = store.journal.follow('r', 0, AbortSignal.timeout(10_000))[Symbol.asyncIterator]();
        expect(await following.next()).toMatchObject({ value: { first: 1 } });
        await store.dispatch.erase('r');
        expect(await following.next()).toMatchObject({ done: true });
        await started('r');
        expect(await following.next()).toMatchObject({ done: true });
        expect(await store.journal.read('r', 0)).toHaveLength(1);
      });

      test('[Q124] whoever listens hears that a run was erased', async () => {
        await started();
        await store.dispatch.erase('r');
        await store.dispatch.erase('r');
        await store.dispatch.erase('file_1');
        await vi.waitFor(() => expect(heard('erased')).toEqual(['r']));
      });
    });

    describe('definitions', () => definitionsContract(() => ({ store, pass })));

    describe('blobs', () => {
      test.for(['plain', '', 'nul \0 inside', 'ü 😀 \u{10ffff}', 'line\r\n\u2028'])(
        '[B1] %j comes back',
        async (text) => {
          const { blob, size } = await store.blobs.put({ tenant: 't', run: 'r' }, text);
          expect(blob).toBe(createHash('sha256').update(text).digest('hex'));
          expect(size).toBe(Buffer.byteLength(text));
          expect(await store.blobs.get('t', blob)).toBe(text);
        },
      );

      test('[B1] half a surrogate pair is replaced before it is named', async () => {
        const half = await store.blobs.put({ tenant: 't', run: 'r' }, 'a\ud800b');
        expect(half).toEqual(await store.blobs.put({ tenant: 't', run: 'r' }, 'a\ufffdb'));
        expect(await store.blobs.get('t', half.blob)).toBe('a\ufffdb');
      });

      test('[B2] a tenant does not see what another has', async () => {
        const { blob } = await store.blobs.put({ tenant: 't', run: 'r' }, 'secret');
        expect(await store.blobs.get('u', blob)).toBeUndefined();
        await store.blobs.put({ tenant: 'u', run: 'q' }, 'secret');
        expect(await store.blobs.get('u', blob)).toBe('secret');
        await store.blobs.put({ tenant: 'u', run: 'q' }, 'ä');
        expect([await store.blobs.held('t'), await store.blobs.held('u')]).toEqual([6, 8]);
        await store.dispatch.erase('r');
        expect([await store.blobs.held('t'), await store.blobs.held('u')]).toEqual([0, 8]);
        expect(await store.blobs.get('t', blob)).toBeUndefined();
        expect(await store.blobs.get('u', blob)).toBe('secret');
      });

      test('[B7] it is told for what a blob is kept: for runs of which apps, and for which other owners', async () => {
        const users = (tenant: string) => store.blobs.users(tenant, blob);
        const { blob } = await store.blobs.put({ tenant: 't', run: 'file_a' }, 'text');
        for (const [run, app] of [
          ['a', 'one'],
          ['b', 'one'],
          ['c', 'two'],
        ] as const) {
          await store.blobs.put({ tenant: 't', run }, 'text');
          await create(run, { tenant: 't', app });
        }
        const { apps, owners } = await users('t');
        expect([apps.toSorted(), owners]).toEqual([['one', 'two'], ['file_a']]);
        expect(await users('u')).toEqual({ apps: [], owners: [] });
        await store.dispatch.erase('c');
        await store.dispatch.erase('file_a');
        expect(await users('t')).toEqual({ apps: ['one'], owners: [] });
      });

      test('[B5] everything a tenant has is counted, and what is erased is free again', async () => {
        const fence = await started('r', { tenant: 't' });
        await append(fence, 1, { last: 3, frames: frames(2, 3) });
        const journal = Buffer.byteLength(frames(1, 1) + frames(2, 3));
        expect(await store.dispatch.get('r')).toMatchObject({ bytes: journal });
        expect(await store.dispatch.list({ tenant: 't' })).toMatchObject([{ bytes: journal }]);
        expect(await store.blobs.held('t')).toBe(journal);
        await send('r', 'c');
        await send('r', 'c');
        const command = Buffer.byteLength(JSON.stringify(pause));
        expect(await store.blobs.held('t')).toBe(journal + command);
        await store.blobs.put({ tenant: 't', run: 'r' }, 'ä');
        await store.blobs.put({ tenant: 't', run: 'r' }, 'ä');
        await append(fence, 3, { uses: [{ command: 'c', seq: 4 }] });
        await end(fence, 4);
        const more = Buffer.byteLength(frames(4, 4) + frames(5, 5));
        expect(await store.dispatch.get('r')).toMatchObject({ state: 'ended', bytes: journal + more });
        expect(await store.blobs.held('t')).toBe(journal + more + command + 2);
        await refused(append(fence, 9), 'rejected');
        expect([await store.blobs.held('t'), await store.blobs.held('u')]).toEqual([
          journal + more + command + 2,
          0,
        ]);
        await store.dispatch.erase('r');
        await store.dispatch.erase('r');
        expect(await store.blobs.held('t')).toBe(0);
      });

      test('[B3] a blob that is put and erased at once is gone, unless somebody else refers to it', async () => {
        const put = (run: string, text: string) => store.blobs.put({ tenant: 't', run }, text);
        await put('other', 'shared');
        const [{ blob: shared }, { blob: own }] = await Promise.all([
          put('r', 'shared'),
          put('r', 'own'),
          store.dispatch.erase('r'),
        ]);
        expect([await store.blobs.get('t', shared), await store.blobs.get('t', own)]).toEqual([
          'shared',
          undefined,
        ]);
        expect(await store.blobs.held('t')).toBe('shared'.length);
      });

      test('[B3, B4] a blob goes with the last run that refers to it', async () => {
        const text = 'x'.repeat(2_000_000);
        const { blob } = await store.blobs.put({ tenant: 't', run: 'a' }, text);
        await store.blobs.put({ tenant: 't', run: 'a' }, text);
        await store.blobs.put({ tenant: 't', run: 'b' }, text);
        await create('a');
        await create('b');
        await store.dispatch.erase('a');
        expect(await store.blobs.get('t', blob)).toBe(text);
        await store.dispatch.erase('b');
        expect(await store.blobs.get('t', blob)).toBeUndefined();
      });
    });
  });
}

const pause: Command = { type: 'pause', by: 'someone' };
const stop: Command = { type: 'stop', by: 'someone', reason: 'enough' };

export function newRun(run: string, change: Partial<NewRun> = {}): NewRun {
  return {
    run,
    tenant: 't',
    conversation: 'c',
    app: 'app',
    title: 'Title',
    flow: 'flow@1',
    last: 1,
    frames: frames(1, 1),
    ...change,
  };
}

/** One entry after `head`, unless told otherwise. */
export function appending(fence: Fence, head: number, change: Partial<Append> = {}): Append {
  const summary = { status: 'running', approvals: 0 } as const;
  return { fence, head, last: head + 1, frames: frames(head + 1, head + 1), summary, ...change };
}

export function frames(first: number, last: number, text = 'text'): string {
  return range(first, last)
    .map((seq) => `id: ${seq}\ndata: {"t":0,"s":1,"x":"${text}"}\n\n`)
    .join('');
}

function chunk(first: number, last: number): Chunk {
  return { run: 'r', first, last, frames: frames(first, last) };
}

export function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
}

/** The entries in the text of these chunks, which must agree with what the chunks say of themselves. */
export function seqs(chunks: readonly Chunk[]): number[] {
  return chunks.flatMap(({ first, last, frames: text }) => {
    const found = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    expect(found).toEqual(range(first, last));
    return found;
  });
}

function runs(claims: readonly Claim[]): string[] {
  return claims.map(({ fence }) => fence.run);
}

export async function collect(chunks: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const all: Chunk[] = [];
  for await (const one of chunks) all.push(one);
  return all;
}

export async function refused(promise: Promise<unknown>, code: string, message = /./): Promise<void> {
  await expect(promise).rejects.toMatchObject({
    failure: { code, message: expect.stringMatching(message) as string },
  });
}

/** Append some entries (awaited or not), or begin to follow somewhere, more or less slowly. */
const step = fc.oneof(
  fc.record({
    type: fc.constant('append' as const),
    count: fc.integer({ min: 1, max: 4 }),
    wait: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('follow' as const),
    after: fc.double({ min: 0, max: 1, noNaN: true }),
    slow: fc.integer({ min: 0, max: 3 }),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function followed(store: Store, fence: Fence, steps: readonly Step[]): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  const following: { readonly after: number; readonly got: Promise<Chunk[]> }[] = [];
  const appends: Promise<void>[] = [];
  let head = 1;
  for (const one of steps) {
    if (one.type === 'follow') {
      const after = Math.floor(one.after * (head + 1));
      following.push({ after, got: collectSlowly(store.journal.follow(fence.run, after, signal), one.slow) });
    } else {
      const last = head + one.count;
      appends.push(store.journal.append(appending(fence, head, { last, frames: frames(head + 1, last) })));
      head = last;
      if (one.wait) await Promise.all(appends);
    }
  }
  await Promise.all(appends);
  await store.journal.append(appending(fence, head, { ends: true }));
  const recorded = await readAll(store, fence.run);
  expect(seqs(recorded)).toEqual(range(1, head + 1));
  for (const { after, got } of following) {
    const seen = seqs(await got).filter((seq) => seq > after);
    expect(seen).toEqual(range(after + 1, head + 1));
  }
  expect(signal.aborted).toBe(false);
}

async function collectSlowly(chunks: AsyncIterable<Chunk>, turns: number): Promise<Chunk[]> {
  const all: Chunk[] = [];
  for await (const one of chunks) {
    all.push(one);
    for (let i = 0; i < turns; i += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return all;
}

export async function readAll(
  store: Pick<Store, 'journal'> | { journal: Pick<Store['journal'], 'read'> },
  run: string,
): Promise<Chunk[]> {
  const all: Chunk[] = [];
  for (;;) {
    const page = await store.journal.read(run, all.at(-1)?.last ?? 0);
    if (page.length === 0) return all;
    all.push(...page);
  }
}
