import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { damagedKey, isCorrupt } from './damage.ts';
import { rowOf, selectRuns, shownRow, type StoredRun } from './runs.ts';
import { rebuilder, type Rebuild } from './rebuilt.ts';
import { query, type Query } from './rows.ts';
import type { RunFilter, RunRow, TenantCount } from '../store.ts';
import { counted, listSize, pick, type Tables } from '../rules/tables.ts';

export function openCounts(database: DatabaseSync): Pick<Tables, 'questions' | 'unfinished'> {
  const undecided = query<{ readonly count: number }>(
    database,
    "SELECT coalesce(sum(approvals), 0) AS count FROM run WHERE approvals > 0 AND state <> 'ended'",
  );
  const open = query<{ readonly count: number }>(
    database,
    "SELECT count(*) AS count FROM run WHERE tenant = ? AND state <> 'ended'",
  );
  return {
    questions: () => undecided.one()?.count ?? 0,
    unfinished: (tenant) => open.one(tenant)?.count ?? 0,
  };
}

/** Finding runs without knowing their names. */
export function runSearch(
  database: DatabaseSync,
  isSound: boolean,
): Pick<Tables, 'runWithKey' | 'claimable' | 'list' | 'count'> {
  const byKey = query<{ readonly run: string }>(
    database,
    `SELECT run FROM run ${isSound ? '' : 'NOT INDEXED'} WHERE tenant = ? AND idempotencyKey = ?`,
  );
  const byDue = query<StoredRun>(
    database,
    `${selectRuns} WHERE flow = ? AND due <= ? ORDER BY due, number LIMIT ?`,
  );
  const counts = tenantCounts(database);
  const listing = listings(database);
  const rebuilt = rebuilder(database);
  const oneByOne = looker(database, rebuilt);
  const seen = (stored: StoredRun): RunRow => shownRow(stored, rebuilt) ?? nameless(stored);
  const listedFor =
    (tenant: string) =>
    (stored: StoredRun): RunRow => {
      const row = shownRow(stored, rebuilt);
      return row?.tenant === tenant ? row : nameless(stored);
    };
  return {
    runWithKey(tenant, key) {
      const found = byKey.one(tenant, key)?.run;
      if (found === undefined && !isSound) throw damagedKey(key);
      return found;
    },
    claimable({ flows, now, max }) {
      const rows = flows.flatMap((flow) => byDue.all(flow, now, max));
      const sorted = rows.toSorted((one, other) => dueOf(one) - dueOf(other) || one.number - other.number);
      return sorted.slice(0, max).flatMap((stored) => rowOf(stored) ?? []);
    },
    count: (which) => unlessCorrupt(() => counts(which)) ?? counted(oneByOne(seen), which),
    list(filter) {
      const listed = listedFor(filter.tenant);
      if (!isSound) return pick(oneByOne(listed), filter);
      const { where, values } = conditions(filter);
      try {
        return listing(where)
          .all(...values, filter.limit ?? listSize)
          .map(listed);
      } catch (thrown) {
        if (!isCorrupt(thrown)) throw thrown;
        return pick(oneByOne(listed), filter);
      }
    },
  };
}

/** Lists by what they ask for, each prepared once. */
function listings(database: DatabaseSync): (where: string) => Query<StoredRun> {
  const lists = new Map<string, Query<StoredRun>>();
  return (where) => {
    const known = lists.get(where);
    if (known) return known;
    const made = query<StoredRun>(database, `${selectRuns} WHERE ${where} ORDER BY number DESC LIMIT ?`);
    lists.set(where, made);
    return made;
  };
}

function tenantCounts(database: DatabaseSync): Tables['count'] {
  const perTenant = (which: string): Query<TenantCount> =>
    query(
      database,
      `SELECT tenant, count(*) AS runs FROM run ${which} GROUP BY tenant ORDER BY runs DESC, tenant`,
    );
  const all = perTenant('');
  const damaged = perTenant('WHERE damaged IS NOT NULL');
  return (which) => (which.damaged ? damaged : all).all();
}

/** A run of which nothing can be believed is listed as damaged, by its name alone: the rest may be somebody else's. */
function nameless(stored: StoredRun): RunRow {
  const { run, tenant, number } = stored;
  const names = { conversation: '', app: '', title: '', flow: '' };
  const unknown = { ...names, worker: null, wakeAt: null, replaces: null, replacedBy: null };
  const none = {
    approvals: 0,
    epoch: 0,
    head: 0,
    bytes: 0,
    leaseUntil: 0,
    createdAt: 0,
    updatedAt: 0,
    damaged: 0,
  };
  const nothing = { run: run ?? String(number), tenant, status: 'failed', state: 'ended' } as const;
  return { ...unknown, ...none, ...nothing };
}

/**
 * A page of the table, or of an index, makes no sense: what is on other pages can still be found by its number. Of a row
 * that cannot be read, or believed, an index may know the name, and its journal the rest.
 */
function looker(
  database: DatabaseSync,
  rebuilt: Rebuild,
): (listed: (stored: StoredRun) => RunRow) => readonly RunRow[] {
  const last = query<{ readonly seq: number }>(
    database,
    `SELECT seq FROM sqlite_sequence WHERE name = 'run'`,
  );
  const byNumber = query<StoredRun>(database, `${selectRuns} WHERE number = ?`);
  const names = query<{ readonly number: number; readonly run: string }>(
    database,
    'SELECT number, run FROM run INDEXED BY sqlite_autoindex_run_1',
  );
  const namesByNumber = (): ReadonlyMap<number, string> =>
    new Map(unlessCorrupt(() => names.all().map(({ number, run }) => [number, run])) ?? []);
  return (listed) => {
    const rows: RunRow[] = [];
    let known: ReadonlyMap<number, string> | undefined;
    const proven = (number: number, stored: StoredRun | undefined): RunRow | undefined => {
      known ??= namesByNumber();
      const run = known.get(number);
      return run === undefined
        ? undefined
        : rebuilt({ epoch: 0, last: null, bytes: 0, ...stored, number, run });
    };
    for (let number = last.one()?.seq ?? 0; number > 0; number -= 1) {
      const found = unlessCorrupt(() => ({ stored: byNumber.one(number) }));
      const stored = found?.stored;
      // The name may be what is damaged: then nothing in the journal fits it. Or it was moved to another number.
      const row = stored && shownRow(stored, rebuilt) ? undefined : proven(number, stored);
      const shown = row ?? (stored && listed(stored));
      if (shown) rows.push(shown);
    }
    return rows;
  };
}

function unlessCorrupt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (thrown) {
    if (!isCorrupt(thrown)) throw thrown;
    return undefined;
  }
}

function dueOf({ due }: StoredRun): number {
  return due ?? Infinity;
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
