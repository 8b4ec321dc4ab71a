import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { failureOf } from '../../run/failure.ts';
import { perform } from '../rules/rules.ts';
import { openForWriting } from '../folder/folder.ts';
import { verify } from '../folder/verify.ts';
import { sqliteStore } from '../sqlite.ts';
import { appending, frames, newRun, range, readAll, seqs } from '../store.contract.ts';
import type { Operation } from '../batch.ts';
import type { Append } from '../store.ts';
import { committer } from './commit.ts';
import { sqliteTables } from './tables.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-chunks-'));
afterAll(() => rmSync(base, { recursive: true }));

const claim = { worker: 'w', lease: 1_000_000 };
const piece = 'fifteen letters';

/** A folder with its writer, as the store's thread has it. */
function folderOf(name: string) {
  const opened = openForWriting(join(base, name));
  const tables = sqliteTables(opened.database, { remember: true });
  const commit = committer(opened, tables);
  return {
    database: opened.database,
    tables,
    commit: (...operations: Operation[]): void =>
      expect(commit({ now: 1_000, jump: 0 }, operations).refusals).toEqual([]),
    close: (): void => opened.close(),
  };
}

const create = (run: string): Operation => ({ name: 'create', argument: newRun(run, { claim }) });
const append = (run: string, head: number, more: Partial<Append> = {}): Operation => ({
  name: 'append',
  argument: appending({ run, epoch: 1 }, head, { frames: frames(head + 1, head + 1, piece), ...more }),
});

test('[Q127] a piece of text among many costs 1.2 KB of the log at most', () => {
  const { commit, close } = folderOf('pages');
  const runs = range(1, 100).map((i) => `run-${i}`);
  for (const run of runs) commit(create(run));
  const log = join(base, 'pages', 'vitrine.db-wal');
  const before = statSync(log).size;
  const deltas = 40;
  for (const head of range(1, deltas))
    for (let i = 0; i < runs.length; i += 10)
      // Each commit is about every tenth run: those that a page of their ends has in common are apart.
      commit(...range(0, 9).map((j) => append(runs[(i / 10 + j * 10) % runs.length] ?? '', head)));
  const bytes = (statSync(log).size - before) / (deltas * runs.length);
  expect(bytes).toBeLessThan(1_200);
  close();
});

test('[Q128] a run is read from any entry on, wherever its chunks are in the index or not yet', () => {
  const { commit, tables, database, close } = folderOf('anywhere');
  const runs = ['busy', 'calm', 'late'];
  for (const run of runs) commit(create(run));
  for (const tens of range(0, 129)) {
    const operations = range(tens * 10 + 1, tens * 10 + 10).map((head) => append('busy', head));
    if (tens % 10 === 9) operations.push(append('calm', (tens + 1) / 10));
    if (tens >= 120) operations.push(append('late', tens - 119));
    commit(...operations);
  }
  const others = sqliteTables(database, { remember: false });
  for (const { run, last } of [
    { run: 'busy', last: 1_301 },
    { run: 'calm', last: 14 },
    { run: 'late', last: 11 },
  ])
    for (const seq of [0, 1, 2, 7, 13, 14, 100, 900, 980, 985, 990, 1_000, 1_300, 1_301]) {
      const rest = range(seq + 1, last);
      for (const kept of [tables, others]) {
        const read: number[] = [];
        for (let page = kept.chunksAfter(run, seq); page.length > 0;) {
          read.push(...seqs(page));
          page = kept.chunksAfter(run, read.at(-1) ?? 0);
        }
        expect(read, `${run} after ${seq}`).toEqual(rest);
      }
    }
  close();
});

test('[Q128] what comes after the newest run was erased is found, in another process too', () => {
  const { commit, tables, database, close } = folderOf('erased');
  commit(create('old'));
  commit(create('new'));
  for (const head of range(1, 30))
    commit(append('new', head, { frames: frames(head + 1, head + 1, 'gone') }));
  commit({ name: 'erase', argument: 'new' });
  commit(append('old', 1));
  expect(seqs(tables.chunksAfter('old', 0))).toEqual([1, 2]);
  expect(seqs(sqliteTables(database, { remember: false }).chunksAfter('old', 0))).toEqual([1, 2]);
  expect(database.prepare('SELECT count(*) AS count FROM chunk').get()).toMatchObject({ count: 2 });
  close();
});

test('[Q128] chunks of a commit that was undone are not looked for', () => {
  const { commit, tables, database, close } = folderOf('undone');
  commit(create('r'), create('s'));
  database.exec('BEGIN');
  perform({ tables, now: 0, hints: [] }, 'append', appending({ run: 'r', epoch: 1 }, 1));
  database.exec('ROLLBACK');
  tables.forget();
  // Its id is given again, to a chunk of another run.
  commit(append('s', 1));
  commit(append('r', 1));
  expect(seqs(tables.chunksAfter('r', 0))).toEqual([1, 2]);
  expect(seqs(tables.chunksAfter('s', 0))).toEqual([1, 2]);
  close();
});

test('[Q16] a folder of the format in which each chunk was in the index at once is brought up to date', async () => {
  const folder = join(base, 'format-7');
  mkdirSync(folder);
  const database = new DatabaseSync(join(folder, 'vitrine.db'));
  database.exec(readFileSync(new URL('../../../test/golden/folder-7.sql', import.meta.url), 'utf8'));
  database.close();
  const store = await sqliteStore({ folder });
  expect(seqs(await readAll(store, 'r'))).toEqual(range(1, 21));
  expect(await store.dispatch.get('r')).toMatchObject({
    state: 'ended',
    head: 21,
    bytes: 1_248,
    damaged: null,
  });
  expect(await store.mailbox.pending('s')).toMatchObject([{ id: 'c' }]);
  await store.dispatch.claim({ worker: 'w', lease: 1_000, flows: ['flow@1'], max: 1 });
  await store.journal.append(appending({ run: 's', epoch: 2 }, 5));
  expect(seqs(await readAll(store, 's'))).toEqual(range(1, 6));
  await store.dispatch.erase('r');
  await store.close();
  expect(verify(folder, true)).toMatchObject({ runs: 1, entries: 6, damaged: [], problems: [] });
});

test('[Q16] a folder of the format in which each place of the index had a row is brought up to date', async () => {
  const { database, commit, close } = folderOf('format-10');
  for (const run of ['busy', 'calm', 'late']) commit(create(run));
  commit(...range(1, 150).map((head) => append('busy', head)));
  commit(append('calm', 1), ...range(151, 1_000).map((head) => append('busy', head)), append('late', 1));
  const rows = 'SELECT run, count(*) AS count FROM chunkPlace GROUP BY run';
  const before = database.prepare(rows).all();
  database.exec(`
    CREATE TABLE old (run INTEGER NOT NULL, last INTEGER NOT NULL, chunk INTEGER NOT NULL, PRIMARY KEY (run, last)) WITHOUT ROWID;
    INSERT INTO old SELECT run, place.value, json_extract(chunks, '$[' || place.key || ']')
      FROM chunkPlace CROSS JOIN json_each(ends) AS place;
    DROP TABLE chunkPlace;
    ALTER TABLE old RENAME TO chunkPlace;
    PRAGMA user_version = 10;
  `);
  close();
  const store = await sqliteStore({ folder: join(base, 'format-10') });
  for (const [run, last] of Object.entries({ busy: 1_001, calm: 2, late: 2 }))
    expect(seqs(await readAll(store, run)), run).toEqual(range(1, last));
  await store.close();
  expect(verify(join(base, 'format-10'), true)).toMatchObject({ entries: 1_005, damaged: [], problems: [] });
  const after = openForWriting(join(base, 'format-10'));
  expect(after.database.prepare(rows).all()).toEqual(before);
  after.close();
});

/** A folder in whose index one row of a run with 999 entries after its first is not what was written. */
function damagedIndex(name: string, change: string) {
  const folder = folderOf(name);
  for (const run of ['busy', 'calm']) folder.commit(create(run));
  folder.commit(...range(1, 999).map((head) => append('busy', head)));
  folder.database.exec(
    `UPDATE chunkPlace SET ${change} WHERE last = (SELECT last FROM chunkPlace WHERE run = 1 ORDER BY last LIMIT 1 OFFSET 3)`,
  );
  return folder;
}

const damages = [
  { name: 'no list', change: `chunks = '[1, 2'` },
  { name: 'a list of one too few', change: `chunks = json_remove(chunks, '$[20]')` },
  { name: 'a list of ends one too few', change: `ends = json_remove(ends, '$[20]')` },
  { name: 'a list of something else', change: `chunks = json_set(chunks, '$[20]', 'x')` },
  { name: 'one end too low', change: `ends = json_set(ends, '$[20]', 9)` },
  { name: 'one end too high', change: `ends = json_set(ends, '$[20]', 900)` },
];

test.for(damages)(
  '[Q13] a run in whose index is $name is good up to the same entry from wherever it is read, and gives none twice',
  ({ name, change }) => {
    const { tables, close } = damagedIndex(`good ${name}`, change);
    const told = new Set<unknown>();
    for (const seq of [0, ...range(185, 265), 999, 1_000]) {
      let end = seq;
      try {
        for (let page = tables.chunksAfter('busy', end); page.length > 0;) {
          expect(seqs(page)).toEqual(range(end + 1, page.at(-1)?.last ?? 0));
          end = page.at(-1)?.last ?? 0;
          page = tables.chunksAfter('busy', end);
        }
        expect(end).toBe(1_000);
      } catch (thrown) {
        told.add(failureOf(thrown).after);
      }
    }
    expect(told.size).toBe(1);
    expect(Number([...told][0])).toBeGreaterThanOrEqual(192);
    close();
  },
);

test.for(damages)(
  '[Q10] of a run in whose index is $name nothing is left once it is erased',
  ({ name, change }) => {
    const { commit, database, close } = damagedIndex(`erased ${name}`, change);
    commit({ name: 'erase', argument: 'busy' });
    expect(database.prepare('SELECT run, count(*) AS count FROM chunk GROUP BY run').all()).toEqual([
      { run: 2, count: 1 },
    ]);
    close();
  },
);

test('[Q10] of a run whose text lay among that of others no byte is left once it is erased', () => {
  const { commit, close } = folderOf('bytes');
  for (const run of ['busy', 'wide', 'calm']) commit(create(run));
  const text = (run: string, head: number): Partial<Append> => ({
    frames: frames(head + 1, head + 1, `of ${run} ${'y'.repeat(40 + (head % 50))}`),
  });
  for (const head of range(1, 700)) {
    const others = [2, 10].map((each, i) => ({ run: ['wide', 'calm'][i] ?? '', each }));
    const along = others
      .filter(({ each }) => head % each === 0)
      .map(({ run, each }) => append(run, head / each, text(run, head / each)));
    commit(append('busy', head, text('busy', head)), ...along);
  }
  commit({ name: 'erase', argument: 'busy' });
  close();
  const bytes = readFileSync(join(base, 'bytes', 'vitrine.db'), 'latin1');
  expect(bytes).toContain('of wide');
  expect(bytes.split('of busy').length - 1).toBe(0);
});
