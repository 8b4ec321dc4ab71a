import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { lockFolder } from './lock.ts';
import { verify } from './verify.ts';
import { sqliteReader } from '../sqlite/reader.ts';
import { sqliteStore } from '../sqlite.ts';
import { noFacts } from '../../run/facts.ts';
import { appending, collect, frames, newRun, range, readAll, refused, seqs } from '../store.contract.ts';
import type { SentCommand } from '../store.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-folder-'));
const claim = { worker: 'w', lease: 60_000 };
const fence = { run: 'r', epoch: 1 };
afterAll(() => rmSync(base, { recursive: true }));

/** By a process of its own: to close one of the store's files here would take SQLite's locks away. */
function outside(command: string, ...values: string[]): string {
  return spawnSync(command, values, { encoding: 'utf8' }).stdout;
}

test('[Q1] one process, too, has only one writer of a folder', async () => {
  const folder = join(base, 'one');
  const store = await sqliteStore({ folder });
  await refused(
    sqliteStore({ folder }),
    'rejected',
    new RegExp(`process ${process.pid} on .+ since .+: stop it first`),
  );
  await store.dispatch.create(newRun('r'));
  await store.close();
  expect(readdirSync(folder)).not.toContain('holder.json');
  await (await sqliteStore({ folder })).close();
});

test('[Q14] who lets go of a folder that was made anew leaves the name of whoever has it now, also where its file is the same inode again', () => {
  const folder = join(base, 'anew');
  mkdirSync(folder);
  const release = lockFolder(folder);
  writeFileSync(join(folder, 'holder.json'), 'another');
  release();
  expect(readFileSync(join(folder, 'holder.json'), 'utf8')).toBe('another');
});

test('[Q40] a lock that fails for another reason is nobody’s', async () => {
  const folder = join(base, 'spoilt');
  await (await sqliteStore({ folder })).close();
  writeFileSync(join(folder, 'lock.db'), 'this is no database, and nobody has it'.repeat(100));
  expect(() => lockFolder(folder)).toThrow(/file is not a database/);
});

test('[Q9] a new folder is its owner’s alone', async () => {
  const folder = join(base, 'deep', 'new');
  await (await sqliteStore({ folder })).close();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('[Q8] a reader works when nobody writes, changes nothing, and sees who writes next', async () => {
  const folder = join(base, 'quiet');
  const store = await sqliteStore({ folder });
  await store.dispatch.create(newRun('r', { claim }));
  await store.mailbox.send({ run: 'r', id: 'c', command: { type: 'pause', by: 'me' } });
  const { blob } = await store.blobs.put({ tenant: 't', run: 'r' }, 'text');
  await store.close();
  const digest = () => outside('sha256sum', join(folder, 'vitrine.db'));
  const before = digest();
  const reader = await sqliteReader({ folder });
  expect(await reader.dispatch.get('r')).toMatchObject({ state: 'running', worker: 'w', head: 1 });
  expect(seqs(await readAll(reader, 'r'))).toEqual([1]);
  expect(await reader.mailbox.pending('r')).toMatchObject([{ id: 'c' }]);
  expect(await reader.blobs.get('t', blob)).toBe('text');
  expect(digest()).toBe(before);
  const following = collect(reader.journal.follow('r', 0, AbortSignal.timeout(10_000)));
  const next = await sqliteStore({ folder });
  await next.dispatch.erase('r');
  expect(seqs(await following)).toEqual([1]);
  await next.close();
  await reader.close();
});

test('[Q10] what was erased cannot be found in the folder', async () => {
  const folder = join(base, 'erased');
  const store = await sqliteStore({ folder });
  const secret = 'correct-horse-battery';
  await store.dispatch.create(
    newRun('r', { claim, title: secret, idempotencyKey: secret, last: 1, frames: frames(1, 1, secret) }),
  );
  await store.dispatch.create(newRun('other', { claim }));
  for (const head of range(1, 20))
    await store.journal.append(appending(fence, head, { frames: frames(head + 1, head + 1, secret) }));
  await store.mailbox.send({ run: 'r', id: 'c', command: { type: 'message', by: 'me', text: secret } });
  await store.blobs.put({ tenant: 't', run: 'r' }, secret.repeat(1_000));
  const holds = () => outside('grep', '-rlF', secret, folder);
  expect(holds()).not.toBe('');
  await store.dispatch.erase('r');
  expect(holds()).toBe('');
  await store.close();
  expect(holds()).toBe('');
});

test('[J16] a value SQLite cannot take fails alone', async () => {
  const store = await sqliteStore({ folder: join(base, 'fault') });
  await store.dispatch.create(newRun('r', { claim }));
  const nameless = { run: 'r', command: { type: 'pause', by: 'me' } } as unknown as SentCommand;
  const outcomes = await Promise.allSettled([
    store.journal.append(appending(fence, 1)),
    store.mailbox.send(nameless),
    store.journal.append(appending(fence, 2)),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { failure: { code: 'internal' } } });
  expect(seqs(await readAll(store, 'r'))).toEqual([1, 2, 3]);
  await store.close();
});

test('closing finishes what was asked, and what is asked afterwards fails', async () => {
  const folder = join(base, 'closed');
  const store = await sqliteStore({ folder });
  await store.dispatch.create(newRun('r', { claim }));
  const following = collect(store.journal.follow('r', 0, AbortSignal.timeout(10_000)));
  const appends = range(1, 20).map((head) => store.journal.append(appending(fence, head)));
  const reading = store.journal.read('r', 0);
  await Promise.all([store.close(), ...appends, reading]);
  await refused(following, 'unavailable', /closed/);
  await refused(store.journal.append(appending(fence, 21)), 'unavailable', /closed/);
  await refused(store.dispatch.get('r'), 'unavailable', /closed/);
  await store.close();
  const again = await sqliteStore({ folder });
  expect(seqs(await readAll(again, 'r'))).toEqual(range(1, 21));
  await again.close();
});

test('[B4] a blob whose run was never created is gone when the folder is opened again, and a file is not', async () => {
  const folder = join(base, 'orphan');
  const store = await sqliteStore({ folder });
  const { blob } = await store.blobs.put({ tenant: 't', run: 'never' }, 'text');
  const kept = await store.blobs.put({ tenant: 't', run: 'r' }, 'kept');
  const file = await store.blobs.put({ tenant: 't', run: 'file_a' }, 'file');
  await store.dispatch.create(newRun('r'));
  await store.close();
  const again = await sqliteStore({ folder });
  expect(await again.blobs.get('t', blob)).toBeUndefined();
  expect(await again.blobs.get('t', kept.blob)).toBe('kept');
  expect(await again.blobs.get('t', file.blob)).toBe('file');
  await again.dispatch.erase('file_a');
  expect(await again.blobs.get('t', file.blob)).toBeUndefined();
  await again.close();
});

test('[Q11] a clock that is set, or a machine that sleeps, ends no lease; parked runs follow the clock', async () => {
  let [wall, elapsed] = [1_700_000_000_000, 0];
  const store = await sqliteStore({ folder: join(base, 'clock'), now: () => wall, elapsed: () => elapsed });
  const claims = () => store.dispatch.claim({ worker: 'other', flows: ['flow@1'], max: 10, lease: 1_000 });
  await store.dispatch.create(newRun('r', { claim: { worker: 'w', lease: 1_000 } }));
  await store.dispatch.create(newRun('parked', { claim }));
  await store.dispatch.release({ fence: { run: 'parked', epoch: 1 }, head: 1, wakeAt: wall + 3_600_000 });
  wall += 7_200_000;
  expect(await claims()).toMatchObject([{ fence: { run: 'parked' }, reason: 'woken' }]);
  wall -= 100 * 86_400_000;
  expect(await store.dispatch.renew([fence], 1_000)).toEqual([fence]);
  for (const passed of [999, 1]) {
    expect(await claims()).toEqual([]);
    wall += passed;
    elapsed += passed;
  }
  expect(await claims()).toMatchObject([{ reason: 'recovered' }, { reason: 'recovered' }]);
  await store.close();
});

test('[Q14] in a folder that was moved away nothing is acknowledged, and the store says why until it is back', async () => {
  const folder = join(base, 'moved');
  const store = await sqliteStore({ folder });
  await store.dispatch.create(newRun('r', { claim }));
  expect(await store.health()).toBeUndefined();
  renameSync(folder, `${folder}.aside`);
  expect(await store.health()).toMatch(/was deleted or moved away/);
  await refused(store.journal.append(appending(fence, 1)), 'unavailable', /was deleted or moved away/);
  mkdirSync(folder);
  writeFileSync(join(folder, 'vitrine.db'), 'somebody else');
  expect(await store.health()).toMatch(/was replaced by another/);
  rmSync(folder, { recursive: true });
  renameSync(`${folder}.aside`, folder);
  expect(await store.health()).toBeUndefined();
  await store.journal.append(appending(fence, 1));
  await store.close();
});

const disk = join(base, 'disk');
mkdirSync(disk);
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', disk]).status === 0;
if (!mounted) process.stderr.write('The full disk is not tested: mounting a small tmpfs needs root.\n');
afterAll(() => mounted && spawnSync('umount', ['-l', disk]));

test.skipIf(!mounted)(
  '[Q3] a full disk loses nothing acknowledged, and writing works again when there is space',
  async () => {
    const folder = join(disk, 'data');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(5 << 20));
    const store = await sqliteStore({ folder });
    await store.dispatch.create(newRun('r', { claim }));
    await store.dispatch.create(newRun('other', { claim }));
    let head = 1;
    const grow = (from: number) =>
      store.journal.append(
        appending(fence, from, { frames: frames(from + 1, from + 1, 'x'.repeat(20_000)) }),
      );
    let failed: unknown;
    while (failed === undefined) {
      await grow(head).then(
        () => (head += 1),
        (thrown: unknown) => (failed = thrown),
      );
    }
    expect(failed).toMatchObject({ failure: { code: 'unavailable', retryable: true } });
    expect(head).toBeGreaterThan(20);

    const together = await Promise.allSettled([
      grow(head),
      store.journal.append(appending({ run: 'other', epoch: 1 }, 1)),
    ]);
    expect(together).toMatchObject([
      { status: 'rejected' },
      { status: 'rejected', reason: { failure: { code: 'unavailable' } } },
    ]);
    expect(await store.dispatch.get('r')).toMatchObject({ head });
    expect(seqs(await readAll(store, 'r'))).toEqual(range(1, head));
    expect(seqs(await readAll(store, 'other'))).toEqual([1]);

    rmSync(ballast);
    await grow(head);
    await store.journal.append(appending({ run: 'other', epoch: 1 }, 1));
    await store.close();
    const again = await sqliteStore({ folder });
    expect(again.notices).toEqual([]);
    expect(seqs(await readAll(again, 'r'))).toEqual(range(1, head + 1));
    expect(seqs(await readAll(again, 'other'))).toEqual([1, 2]);
    await again.close();
  },
);

test('[N12] a folder of the format before places could be taken is brought up to date, and all in it is good', async () => {
  const folder = join(base, 'before-places');
  mkdirSync(folder);
  const database = new DatabaseSync(join(folder, 'vitrine.db'));
  database.exec(readFileSync(new URL('../../../test/golden/folder-7.sql', import.meta.url), 'utf8'));
  database.exec('DELETE FROM run WHERE number = 2;');
  for (const table of ['chunk', 'head', 'command']) database.exec(`DELETE FROM ${table} WHERE run = 2;`);
  for (const index of ['ByMoved', 'ByStatus', 'ByApp', 'ByTime', 'Newest', 'ByTenant'])
    database.exec(`DROP INDEX run${index};`);
  for (const table of ['shared', 'definition', 'erased', 'term', 'termsOf'])
    database.exec(`DROP TABLE ${table};`);
  for (const column of ['facts', 'moved', 'newest', 'replacedBy'])
    database.exec(`ALTER TABLE run DROP COLUMN ${column};`);
  database.exec('ALTER TABLE run DROP COLUMN replaces; PRAGMA user_version = 2;');
  database.close();
  const store = await sqliteStore({ folder });
  expect(await store.dispatch.get('r')).toMatchObject({ state: 'ended', damaged: null, replacedBy: null });
  expect(await store.dispatch.list({ tenant: 't', newestOfEach: true })).toMatchObject([{ run: 'r' }]);
  expect((await store.feed.read({ tenant: 't' })).items).toMatchObject([{ run: 'r' }]);
  await store.dispatch.create(newRun('s', { replaces: 'r', conversation: 'c-r' }));
  expect(await store.dispatch.get('r')).toMatchObject({ damaged: null, replacedBy: 's' });
  expect(await readAll(store, 'r')).toHaveLength(21);
  await store.close();
  const again = await sqliteStore({ folder });
  expect(await again.dispatch.list({ tenant: 't' })).toMatchObject([
    { run: 's', replaces: 'r', damaged: null },
    { run: 'r', replacedBy: 's', damaged: null },
  ]);
  await again.close();
});

test('[Q123] shared values outlive the process, and one that was changed on the disk is given to nobody', async () => {
  const folder = join(base, 'shared');
  const key = { kind: 'keys', tenant: 't', name: '' };
  const first = await sqliteStore({ folder });
  const version = await first.shared.set({ ...key, value: '["revoked"]', version: 0 });
  await first.shared.set({ ...key, tenant: 'u', value: '[]', version: 0 });
  await first.close();
  const database = new DatabaseSync(join(folder, 'vitrine.db'));
  database.exec(`UPDATE shared SET value = '["good"]' WHERE tenant = 't'`);
  database.close();
  const store = await sqliteStore({ folder });
  await refused(store.shared.list({ kind: 'keys' }), 'damaged', /«keys t» is damaged/);
  await refused(store.shared.set({ ...key, value: '[]', version }), 'damaged');
  expect(await store.shared.list({ kind: 'keys', tenant: 'u' })).toHaveLength(1);
  await store.close();
  expect(verify(folder, true).problems).toEqual(['what is kept as «keys t»']);
});

test('[Q109] a place in the feed holds after a restart, also where the newest run was erased', async () => {
  const folder = join(base, 'feed');
  const first = await sqliteStore({ folder });
  for (const run of ['a', 'b', 'c']) await first.dispatch.create(newRun(run));
  const [a] = (await first.feed.read({ tenant: 't' })).items;
  const { last } = await first.feed.read({ tenant: 't' });
  await first.dispatch.erase('c');
  await first.close();
  const again = await sqliteStore({ folder });
  await again.dispatch.create(newRun('d'));
  const names = async (after: string | undefined) =>
    (await again.feed.read({ tenant: 't', after })).items.map(({ run, row }) => (row ? run : `no ${run}`));
  expect(await names(a?.place)).toEqual(['b', 'no c', 'd']);
  expect(await names(last)).toEqual(['no c', 'd']);
  await again.close();
});

test('[Q104] no word of an erased run is left in the folder', async () => {
  const folder = join(base, 'erased-words');
  const store = await sqliteStore({ folder });
  const indexed = {
    facts: { ...noFacts, agents: ['xylophonist'] },
    terms: ['w zweckverband', 'l ["k","quetzal"]'],
  };
  await store.dispatch.create(newRun('r', { indexed }));
  await store.dispatch.create(newRun('s'));
  await store.dispatch.erase('r');
  await store.close();
  const kept = readFileSync(join(folder, 'vitrine.db'), 'latin1');
  for (const word of ['xylophonist', 'zweckverband', 'quetzal']) expect(kept).not.toContain(word);
});
