import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { sqliteReader } from './reader.ts';
import { structureOf } from './structure.ts';
import { sqliteTables, type SqliteTables } from './tables.ts';
import { sqliteStore, type SqliteStore } from '../sqlite.ts';
import { appending, newRun } from '../store.contract.ts';
import type { Hint } from '../store.ts';
import { encode } from '../../run/entries.ts';

let folder: string;

/** Two runs that have ended, and one of them changed on the disk. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-found-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = await sqliteStore({ folder });
  for (const run of ['bad', 'good']) {
    const flow = { name: 'flow', version: '1' };
    const started = { tenant: 't', who: 'me', app: 'app', conversation: 'c', input: { text: run }, flow };
    const frames = encode({
      seq: 1,
      at: 1,
      event: { type: 'run.started', ...started, limits: {}, labels: {} },
    });
    await store.dispatch.create(newRun(run, { frames, claim: { worker: 'w', lease: 1_000 } }));
    const fence = { run, epoch: 1 };
    await store.journal.append(
      appending(fence, 1, { ends: true, summary: { status: 'completed', approvals: 0 } }),
    );
  }
  await store.close();
});

function change(sql: string): void {
  const database = new DatabaseSync(join(folder, 'vitrine.db'));
  database.exec(sql);
  database.close();
}

const letter = `UPDATE chunk SET frames = frames || ' ' WHERE run = 1 AND last = 2`;

async function opened(): Promise<SqliteStore> {
  const store = await sqliteStore({ folder });
  onTestFinished(() => store.close());
  return store;
}

test('[Q21, Q22] a writer finds what nobody reads, tells it once, and keeps it with the run', async () => {
  change(letter);
  const store = await opened();
  const hints: Hint[] = [];
  const found = new Promise<void>((resolve) => {
    store.listen((hint) => hints.push(hint) && hint.type === 'damaged' && resolve());
  });
  await found;
  const damage = () => hints.filter(({ type }) => type === 'damaged');
  expect(damage()).toMatchObject([{ type: 'damaged', run: 'bad', failure: { code: 'damaged', after: 1 } }]);
  await expect(store.journal.read('bad', 1)).rejects.toThrow(/has ended, and can be exported/);
  expect(damage()).toHaveLength(1);
  const listed = await store.dispatch.list({ tenant: 't' });
  expect(listed?.map(({ run, damaged }) => [run, damaged])).toEqual([
    ['good', null],
    ['bad', 1],
  ]);
});

test('[Q21] a reader shows it in the first list, and changes nothing', async () => {
  change(letter);
  const reader = await sqliteReader({ folder });
  onTestFinished(() => reader.close());
  const listed = await reader.dispatch.list({ tenant: 't' });
  expect(listed?.map(({ run, damaged }) => [run, damaged])).toEqual([
    ['good', null],
    ['bad', 1],
  ]);
  expect(await reader.dispatch.get('bad')).toMatchObject({ damaged: 1, status: 'completed' });
});

/** The tables as the thread of a store has them, in this one. */
function tablesHere(): SqliteTables {
  const database = new DatabaseSync(join(folder, 'vitrine.db'), { readOnly: true });
  onTestFinished(() => database.close());
  const { isSound } = structureOf(database);
  return sqliteTables(database, { remember: false, isSound });
}

test('[Q24] a row that was changed is told as the journal has it, and given to nobody', () => {
  change(`UPDATE run SET app = 'other', state = 'running', due = 0 WHERE number = 1`);
  const tables = tablesHere();
  expect(tables.run('bad')).toMatchObject({ app: 'app', state: 'ended', damaged: 2 });
  expect(tables.claimable({ flows: ['flow@1'], now: 1, max: 10 })).toEqual([]);
});

test('[Q25] a run that its index does not lead to is found, and one that is not found is not said to be missing', () => {
  // An index with nothing in it, in the place of the one by which runs are found.
  const database = new DatabaseSync(join(folder, 'vitrine.db'), { defensive: false });
  database.exec(`CREATE TABLE other (name TEXT UNIQUE); PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_other_1')
    WHERE name = 'sqlite_autoindex_run_1'`);
  database.close();
  const tables = tablesHere();
  expect(tables.run('bad')).toMatchObject({ conversation: 'c', damaged: null });
  expect(() => tables.run('nobody')).toThrow(/damaged/);
});

test('[Q24] [Q25] a run whose name was changed is listed under the one its index knows', () => {
  const file = join(folder, 'vitrine.db');
  const bytes = readFileSync(file);
  // A letter on the disk, of which no index hears: name, tenant, conversation and app stand side by side.
  bytes.write('B', bytes.indexOf('badtcapp'));
  writeFileSync(file, bytes);
  const listed = tablesHere().list({ tenant: 't', conversation: 'c' });
  expect(listed?.map(({ run, damaged }) => [run, damaged])).toEqual([
    ['good', null],
    ['bad', 2],
  ]);
});

test('[Q24] of a row that was changed the journal says whose it is', async () => {
  change(`UPDATE run SET app = 'other', conversation = 'd', epoch = 7 WHERE number = 1`);
  const store = await opened();
  expect(await store.dispatch.get('bad')).toMatchObject({
    tenant: 't',
    app: 'app',
    conversation: 'c',
    title: 'bad',
    damaged: 2,
    state: 'ended',
  });
  expect(await store.journal.read('bad', 0)).toHaveLength(2);
  await store.dispatch.erase('bad');
  expect(await store.dispatch.get('bad')).toBeUndefined();
});

test('[Q12] a large text whose row says that it has no columns is damaged, and not missing', async () => {
  const store = await sqliteStore({ folder });
  const text = 'a text that is kept beside a journal';
  const { blob } = await store.blobs.put({ tenant: 't', run: 'good' }, text);
  await store.close();
  // The record begins with the length of its head: a length, and what each column is. Without any, there are no columns.
  const file = readFileSync(join(folder, 'vitrine.db'));
  const head = Buffer.from([0, 't'.length * 2 + 13, 0x81, blob.length * 2 + 13 - 128, text.length * 2 + 13]);
  const record = Buffer.concat([Buffer.from([head.length + 1]), head, Buffer.from(`t${blob}${text}`)]);
  const at = file.indexOf(record);
  expect(at).toBeGreaterThan(0);
  file[at] = 0;
  writeFileSync(join(folder, 'vitrine.db'), file);
  expect(() => tablesHere().blob('t', blob)).toThrow(/The text .* is damaged/);
});
