import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { noFacts } from '../../run/facts.ts';
import { openForWriting } from '../folder/folder.ts';
import { perform } from '../rules/rules.ts';
import { appending, newRun, range } from '../store.contract.ts';
import { committer } from './commit.ts';
import { stepsFrom } from './schema.ts';
import type { Fence } from '../store.ts';
import { sqliteTables } from './tables.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-terms-'));
afterAll(() => rmSync(base, { recursive: true }));

const claim = { worker: 'w', lease: 1_000_000 };
const indexedBy = (terms: readonly string[]) => ({ facts: noFacts, terms });
/** Words of a text, some of which every text has. */
const wordsOf = (run: number): readonly string[] =>
  range(1, 150).map((i) => (i % 10 === 0 ? `w all${i}` : `w ${(run * 7_919 + i * 104_729) % 5_003}`));

test('[Q129] the words of a run cost a fifth of a page each where many runs end', () => {
  const opened = openForWriting(join(base, 'pages'));
  const commit = committer(opened, sqliteTables(opened.database, { remember: true }));
  // A log that begins anew would not grow.
  opened.database.exec('PRAGMA wal_autocheckpoint = 0');
  const log = join(base, 'pages', 'vitrine.db-wal');
  const ended = (run: number): void => {
    const name = `r${run}`;
    const append = appending({ run: name, epoch: 1 }, 1, { indexed: indexedBy(wordsOf(run)), ends: true });
    commit({ now: 1, jump: 0 }, [{ name: 'create', argument: newRun(name, { claim }) }]);
    commit({ now: 1, jump: 0 }, [{ name: 'append', argument: append }]);
  };
  for (const run of range(1, 200)) ended(run);
  const before = statSync(log).size;
  const more = range(201, 296);
  for (const run of more) ended(run);
  const pages = (statSync(log).size - before) / 2_072 / more.length;
  // What is left are those of its row, its journal and what lists find it by.
  expect(pages - 26).toBeLessThan(150 / 5);
  opened.close();
});

test('[Q130] a run is found by every term from the moment it has it, wherever that is in the index or not yet', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(stepsFrom(0));
  const tables = sqliteTables(database, { remember: true });
  const desk = { tables, now: 1, hints: [] };
  const found = (...terms: string[]): readonly string[] =>
    perform(desk, 'list', { tenant: 't', terms, limit: 500 }).map(({ run }) => run);
  const there: number[] = [];
  const names = (runs: readonly number[]): readonly string[] => runs.toReversed().map((run) => `r${run}`);
  for (const run of range(1, 120)) {
    const terms = ['w every', `w of${run % 3}`, ...wordsOf(run)];
    perform(desk, 'create', newRun(`r${run}`, { claim, indexed: indexedBy(['w every']) }));
    const fence = { run: `r${run}`, epoch: 1 };
    perform(desk, 'append', appending(fence, 1, { indexed: indexedBy(terms) }));
    there.push(run);
    const [old] = run % 4 === 0 ? there.splice(-4, 1) : [];
    if (old !== undefined) perform(desk, 'erase', `r${old}`);
    // As after a commit that failed.
    if (run % 50 === 0) tables.forget();
    if (run % 5 > 0) continue;
    const third = there.filter((each) => each % 3 === 1);
    expect(found('w every'), `after ${run}`).toEqual(names(there));
    expect(found('w every', 'w of1'), `after ${run}`).toEqual(names(third));
    expect(found('w all10', 'w of1'), `after ${run}`).toEqual(names(third));
    const first = perform(desk, 'list', { tenant: 't', terms: ['w of1'], limit: 3 });
    const next = perform(desk, 'list', { tenant: 't', terms: ['w of1'], limit: 3, after: first.at(-1)?.run });
    expect([...first, ...next].map(({ run: name }) => name)).toEqual(names(third).slice(0, 6));
  }
  expect(found('w of')).toEqual([]);
  // Not all of them wait for ever, and none of a run that is gone is left.
  expect(Number(database.prepare('SELECT count(*) AS count FROM freshTerm').get()?.['count'])).toBeLessThan(
    64,
  );
  const gone = 'SELECT count(*) AS count FROM term WHERE holder NOT IN (SELECT number FROM run)';
  expect(database.prepare(gone).get()).toEqual({ count: 0 });
  database.close();
});

test('[Q130] a run that gets more terms while its first are being put into the index is found by those, too', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(stepsFrom(0));
  const tables = sqliteTables(database, { remember: true });
  const desk = { tables, now: 1, hints: [] };
  const late = { run: 'r1', epoch: 1 };
  const count = (term: string): number =>
    perform(desk, 'list', { tenant: 't', terms: [term], limit: 500 }).length;
  const add = (fence: Fence, head: number, terms: readonly string[]): void =>
    perform(desk, 'append', appending(fence, head, { indexed: indexedBy(terms) }));
  for (const run of range(1, 64)) {
    perform(desk, 'create', newRun(`r${run}`, { claim }));
    add({ run: `r${run}`, epoch: 1 }, 1, wordsOf(run));
  }
  const waiting = database.prepare('SELECT count(*) AS count FROM freshTerm');
  const isLeft = (): boolean => Number(waiting.get()?.['count']) > 10;
  expect(isLeft(), 'the first are under way').toBe(true);
  add(late, 2, ['w late']);
  for (let head = 3; isLeft(); head += 1) {
    add(late, head, ['w late']);
    add({ run: 'r64', epoch: 1 }, head - 1, [`w of${head}`]);
  }
  expect(count('w late')).toBe(1);
  database.close();
});

test('[Q130] terms of a commit that was undone are added when they come again', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(stepsFrom(0));
  const tables = sqliteTables(database, { remember: true });
  const desk = { tables, now: 1, hints: [] };
  const add = (): void =>
    perform(desk, 'append', appending({ run: 'r', epoch: 1 }, 1, { indexed: indexedBy(['w again']) }));
  perform(desk, 'create', newRun('r', { claim, indexed: indexedBy(['w first']) }));
  database.exec('BEGIN');
  add();
  database.exec('ROLLBACK');
  tables.forget();
  add();
  expect(perform(desk, 'list', { tenant: 't', terms: ['w again'] })).toHaveLength(1);
  database.close();
});
