import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { columns, rowOf, type StoredRun } from './sqlite-runs.ts';
import { query } from './sqlite-rows.ts';
import type { RunFilter, RunRow } from './store.ts';
import { dueAt, listSize, type Tables } from './tables.ts';

/** Finding runs without knowing their names. */
export function runSearch(database: DatabaseSync): Pick<Tables, 'runWithKey' | 'claimable' | 'list'> {
  const byKey = query<{ readonly run: string }>(
    database,
    'SELECT run FROM run WHERE tenant = ? AND idempotencyKey = ?',
  );
  const byDue = query<StoredRun>(
    database,
    `SELECT ${columns} FROM run WHERE flow = ? AND due <= ? ORDER BY due, number LIMIT ?`,
  );
  return {
    runWithKey: (tenant, key) => byKey.one(tenant, key)?.run,
    claimable({ flows, now, max }) {
      const rows = flows.flatMap((flow) => byDue.all(flow, now, max));
      rows.sort((one, other) => dueOf(one) - dueOf(other) || one.number - other.number);
      return rows.slice(0, max).map(rowOf);
    },
    list(filter) {
      const { where, values } = conditions(filter);
      const sql = `SELECT ${columns} FROM run WHERE ${where} ORDER BY number DESC LIMIT ?`;
      return query<StoredRun>(database, sql)
        .all(...values, filter.limit ?? listSize)
        .map(rowOf);
    },
  };
}

function dueOf(row: RunRow): number {
  return dueAt(row) ?? Infinity;
}

function conditions(filter: RunFilter): {
  readonly where: string;
  readonly values: readonly SQLInputValue[];
} {
  const { tenant, conversation, app, status, unfinished, withApprovals, search, after } = filter;
  const parts: [sql: string, value?: string][] = [['tenant = ?', tenant]];
  if (conversation !== undefined) parts.push(['conversation = ?', conversation]);
  if (app !== undefined) parts.push(['app = ?', app]);
  if (status !== undefined) parts.push(['status = ?', status]);
  if (unfinished) parts.push([`state <> 'ended'`]);
  if (withApprovals) parts.push(['approvals > 0']);
  if (search !== undefined) parts.push(['instr(loweredTitle, ?) > 0', search.toLowerCase()]);
  if (after !== undefined) parts.push(['number < (SELECT number FROM run WHERE run = ?)', after]);
  return {
    where: parts.map(([sql]) => sql).join(' AND '),
    values: parts.flatMap(([, value]) => (value === undefined ? [] : [value])),
  };
}
