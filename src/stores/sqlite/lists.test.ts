import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { noFacts } from '../../run/facts.ts';
import { perform } from '../rules/rules.ts';
import { newRun } from '../store.contract.ts';
import { stepsFrom } from './schema.ts';
import { runSearch } from './search.ts';
import { sqliteTables, termRows } from './tables.ts';
import type { RunFilter } from '../store.ts';

/** How SQLite goes about each statement that is prepared by `work`. */
function plansOf(database: DatabaseSync, work: () => void): readonly string[] {
  const prepare = database.prepare.bind(database);
  const asked: string[] = [];
  database.prepare = (sql) => (asked.push(sql), prepare(sql));
  work();
  return asked.flatMap((sql) =>
    prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  );
}

test.for<Omit<RunFilter, 'tenant'>>([
  {},
  { conversation: 'c' },
  { status: 'completed' },
  { app: 'a' },
  { unfinished: true },
  { withApprovals: true },
  { newestOfEach: true },
])('[Q72] a list of %o sorts nothing and looks at no run of another tenant', (filter) => {
  const database = new DatabaseSync(':memory:');
  database.exec(stepsFrom(0));
  const { list } = runSearch(database, termRows(database), true);
  const plans = plansOf(database, () => list({ tenant: 't', ...filter }));
  expect(plans.join('; ')).toMatch(/SEARCH run USING INDEX \w+ \(tenant=\?/);
  expect(plans.join('; ')).not.toContain('TEMP B-TREE');
  database.close();
});

test('[Q102] [Q104] [Q108] of an erased run the feed has its name, and nothing finds it', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(stepsFrom(0));
  const desk = { tables: sqliteTables(database, { remember: true }), now: 1, hints: [] };
  const indexed = { facts: noFacts, terms: ['w word'] };
  for (const run of ['a', 'b']) perform(desk, 'create', newRun(run, { indexed }));
  perform(desk, 'erase', 'b');
  const newest = perform(desk, 'list', { tenant: 't', newestOfEach: true });
  expect(newest.map(({ run }) => run)).toEqual(['a']);
  expect(database.prepare('SELECT count(*) AS count FROM termsOf').get()).toEqual({ count: 1 });
  const { items } = perform(desk, 'feed', { tenant: 't' });
  expect(items.map(({ run, row }) => [run, row?.run])).toEqual([
    ['a', 'a'],
    ['b', undefined],
  ]);
  database.close();
});
