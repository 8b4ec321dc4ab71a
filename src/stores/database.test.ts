import { describe, expect, test, vi } from 'vitest';
import { SoonDatabase } from '../../test/database/soon.ts';
import { calledContract } from './called.contract.ts';
import { databaseStore } from './database.ts';
import { appending, collect, newRun, refused, seqs, storeContract } from './store.contract.ts';
import type { Hint } from './store.ts';

async function opened() {
  const database = new SoonDatabase();
  return {
    store: databaseStore(database.of('process')),
    pass: (milliseconds: number) => database.pass(milliseconds),
  };
}

storeContract('database', opened);
calledContract('database', opened);

const fence = { run: 'r', epoch: 1 };

/** Two processes over one database; the first has the run `r`. */
async function twoProcesses() {
  const database = new SoonDatabase();
  const [one, other] = [databaseStore(database.of('one')), databaseStore(database.of('other'))];
  await one.dispatch.create(newRun('r', { claim: { worker: 'w', lease: 1_000 } }));
  return { database, one, other };
}

describe('two processes', () => {
  test('[Q63] an append is decided without a lock, until somebody else has changed the run', async () => {
    const { database, one, other } = await twoProcesses();
    await one.journal.append(appending(fence, 1));
    await one.dispatch.renew([fence], 1_000);
    await one.journal.append(appending(fence, 2));
    expect(database.server.seen).toMatchObject({ guarded: 2, refused: 0 });
    database.pass(1_000);
    const [claim] = await other.dispatch.claim({ worker: 'v', flows: ['flow@1'], max: 1, lease: 1_000 });
    expect(claim).toMatchObject({ fence: { epoch: 2 }, head: 3, reason: 'recovered' });
    await refused(one.journal.append(appending(fence, 3)), 'rejected', /epoch 2, not 1/);
    expect(database.server.seen).toMatchObject({ guarded: 2, refused: 1 });
    await other.journal.append(appending({ run: 'r', epoch: 2 }, 3));
    expect(seqs(await one.journal.read('r', 0))).toEqual([1, 2, 3, 4]);
  });

  test('[Q63] of two that append at the same place, one is refused', async () => {
    const { one, other } = await twoProcesses();
    await other.journal.append(appending(fence, 1));
    const outcomes = await Promise.allSettled([
      one.journal.append(appending(fence, 2)),
      other.journal.append(appending(fence, 2)),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(seqs(await one.journal.read('r', 0))).toEqual([1, 2, 3]);
  });

  test.for(['lost', 'late', 'unheard'] as const)(
    '[Q64] an append whose connection breaks (%s) is recorded once, and acknowledged',
    async (cut) => {
      const { database, one } = await twoProcesses();
      for (const [head, change] of [
        [1, {}],
        [2, { summary: { status: 'paused', approvals: 0 } as const }],
      ] as const) {
        database.cuts.push(cut);
        await one.journal.append(appending(fence, head, change));
      }
      await one.journal.append(appending(fence, 3, { ends: true }));
      expect(seqs(await one.journal.read('r', 0))).toEqual([1, 2, 3, 4]);
      expect(database.cuts).toEqual([]);
    },
  );

  test('[Q64] whoever asked for anything else is told that nobody knows', async () => {
    const { database, one, other } = await twoProcesses();
    database.cuts.push('unheard');
    await refused(one.dispatch.handBack(fence), 'unavailable', /connection broke/);
    expect(await other.dispatch.get('r')).toMatchObject({ state: 'ready' });
  });

  test('[Q62] a run that comes between locking and loading is locked before anything is decided on it', async () => {
    const { database, other } = await twoProcesses();
    const { server } = database;
    const young = { run: 'q', epoch: 1 };
    let released: Promise<unknown> | undefined;
    const late = databaseStore({
      ...database.of('late'),
      async begin() {
        const transaction = await database.of('late').begin();
        return {
          ...transaction,
          async lock(locks) {
            const got = await transaction.lock(locks);
            if (got.length === 0)
              await other.dispatch.create(newRun('q', { claim: { worker: 'w', lease: 1_000 } }));
            return got;
          },
          load: (wanted) =>
            vi.waitUntil(() => server.rows.runs.has('q')).then(() => transaction.load(wanted)),
          async commit(changes) {
            const before = server.seen.waits + server.seen.transactions;
            released = other.dispatch.release({ fence: young, head: 1 });
            await vi.waitUntil(() => server.seen.waits + server.seen.transactions > before);
            return transaction.commit(changes);
          },
        };
      },
    });
    await late.mailbox.send({ run: 'q', id: 'c', command: { type: 'pause', by: 'ann' } });
    expect(await released).toBe('running');
    expect(await other.dispatch.get('q')).toMatchObject({ state: 'running' });
  });

  test('[Q66] a run that somebody else has locked keeps nobody but those who ask for it', async () => {
    const { database, one } = await twoProcesses();
    const { server } = database;
    await server.lock(server.open('frozen'), [{ kind: 'run', name: 'r' }]);
    const asked = Promise.allSettled([
      one.mailbox.send({ run: 'r', id: 'c', command: { type: 'pause', by: 'ann' } }),
      one.dispatch.create(newRun('q')),
    ]);
    server.idleTimeout = 60_000;
    for (let tries = 0; tries < 2; tries += 1) {
      await vi.waitFor(() => expect(server.seen.waits).toBe(tries + 1));
      database.pass(5_000);
    }
    const [sent, created] = await asked;
    expect(sent).toMatchObject({ reason: { failure: { code: 'unavailable' } } });
    expect(created).toMatchObject({ value: { created: true } });
  });

  test('[Q67] what one commits the other hears of, and whoever follows there goes on', async () => {
    const { one, other } = await twoProcesses();
    const hints: Hint[] = [];
    other.listen((hint) => hints.push(hint));
    const following = collect(other.journal.follow('r', 0, AbortSignal.timeout(10_000)));
    await one.journal.append(appending(fence, 1));
    await one.dispatch.create(newRun('q'));
    await one.journal.append(appending(fence, 2, { ends: true }));
    expect(seqs(await following)).toEqual([1, 2, 3]);
    expect(hints).toContainEqual({ type: 'ready', run: 'q' });
  });

  test('[Q122 Q124] what one shares or erases the other hears of', async () => {
    const { one, other } = await twoProcesses();
    const hints: Hint[] = [];
    other.listen((hint) => hints.push(hint));
    const key = { kind: 'keys', tenant: 't', name: '' };
    await one.shared.set({ ...key, value: '[]', version: 0 });
    expect(await other.shared.list({ kind: 'keys' })).toMatchObject([{ value: '[]' }]);
    await one.dispatch.erase('r');
    await vi.waitFor(() =>
      expect(hints).toEqual([
        { type: 'shared', key },
        { type: 'erased', run: 'r' },
      ]),
    );
  });

  test('[Q120] of two processes that change the same, one looks again', async () => {
    const { one, other } = await twoProcesses();
    const change = { kind: 'keys', tenant: 't', name: '', value: '[]', version: 0 };
    const outcomes = await Promise.allSettled([one.shared.set(change), other.shared.set(change)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('[Q126] what a tenant keeps is counted once for all', async () => {
    const { one, other } = await twoProcesses();
    const before = await other.blobs.held('t');
    await one.blobs.put({ tenant: 't', run: 'r' }, 'x'.repeat(1_000));
    expect(await other.blobs.held('t')).toBe(before + 1_000);
  });

  test('[Q125] whoever reads here what is erased elsewhere gets nothing more of it', async () => {
    const { one, other } = await twoProcesses();
    await one.journal.append(appending(fence, 1));
    await one.journal.append(appending(fence, 2));
    const following = other.journal.follow('r', 0, AbortSignal.timeout(10_000))[Symbol.asyncIterator]();
    await following.next();
    const heard = new Promise((resolve) => other.listen(({ type }) => type === 'erased' && resolve(type)));
    await one.dispatch.erase('r');
    await heard;
    expect(await following.next()).toMatchObject({ done: true });
  });
});
