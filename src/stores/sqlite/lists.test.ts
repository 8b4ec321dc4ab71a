import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { stepsFrom } from './schema.ts';
import { runSearch } from './search.ts';
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
  { search: 'x' },
])('[Q72] a list of %o sorts nothing and looks at no run of another tenant', (filter) => {
  const database = new DatabaseSync(':memory:');
  database.exec(stepsFrom(0));
  const { list } = runSearch(database, true);
  const plans = plansOf(database, () => list({ tenant: 't', ...filter }));
  expect(plans.join('; ')).toMatch(/SEARCH run USING INDEX \w+ \(tenant=\?/);
  expect(plans.join('; ')).not.toContain('TEMP B-TREE');
  database.close();
});
