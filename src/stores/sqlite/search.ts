import type { DatabaseSync } from 'node:sqlite';
import { noFacts } from '../../run/facts.ts';
import { damagedKey, isCorrupt } from './damage.ts';
import { rowOf, selectRuns, shownRow, type StoredRun } from './runs.ts';
import { rebuilder, type Rebuild } from './rebuilt.ts';
import { query, type Query } from './rows.ts';
import { listings, listPlaces } from './lists.ts';
import { feedRows } from './feed-rows.ts';
import type { TermRows } from './tables.ts';
import type { FlowCount, RunFilter, RunRow, TenantCount } from '../store.ts';
import { counted, countedFlows, pick, placeOfRun, type Numbered, type Tables } from '../rules/tables.ts';

/** Finding runs without knowing their names. */
export function runSearch(
  database: DatabaseSync,
  terms: TermRows,
  isSound: boolean,
): Pick<Tables, 'runWithKey' | 'claimable' | 'list' | 'feed' | 'count' | 'flows'> {
  const byKey = query<{ readonly run: string }>(
    database,
    `SELECT run FROM run ${isSound ? '' : 'NOT INDEXED'} WHERE tenant = ? AND idempotencyKey = ?`,
  );
  const byDue = query<StoredRun>(
    database,
    `${selectRuns} WHERE flow = ? AND due <= ? ORDER BY due, number LIMIT ?`,
  );
  const rebuilt = rebuilder(database);
  const oneByOne = looker(database, rebuilt);
  const seen = (stored: StoredRun): RunRow => shownRow(stored, rebuilt) ?? nameless(stored);
  const everyRow = (): readonly RunRow[] => oneByOne(seen).map(({ row }) => row);
  const listedFor =
    (tenant: string) =>
    (stored: StoredRun): RunRow => {
      const row = shownRow(stored, rebuilt);
      return row?.tenant === tenant ? row : nameless(stored);
    };
  const lists = listsOf(database, terms, isSound);
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
    ...feedRows(database, listedFor),
    flows: flowCounts(database, everyRow),
    count: tenantCounts(database, everyRow),
    list: (filter) => {
      const listed = listedFor(filter.tenant);
      return lists(filter, listed, () => oneByOne(listed));
    },
  };
}

type Listed = (stored: StoredRun) => RunRow;
type Lists = (filter: RunFilter, listed: Listed, every: () => readonly Numbered[]) => Runs;
type Runs = readonly RunRow[] | undefined;

/** By the index; run by run where that is damaged. */
function listsOf(database: DatabaseSync, terms: TermRows, isSound: boolean): Lists {
  const listing = listings(database, terms);
  const places = listPlaces(database);
  const lookThrough = (runs: readonly Numbered[], filter: RunFilter): Runs => {
    const { tenant, after } = filter;
    if (after === undefined) return pick(runs, filter, terms.ofRun);
    const known = runs.find(({ row }) => row.run === after && row.tenant === tenant);
    const from = known ? placeOfRun(known) : unlessCorrupt(() => places(tenant, after));
    return from && pick(runs, { ...filter, from }, terms.ofRun);
  };
  return (filter, listed, every) => {
    if (!isSound) return lookThrough(every(), filter);
    try {
      const { tenant, after } = filter;
      if (after === undefined) return listing(filter, undefined).map(listed);
      const from = places(tenant, after);
      return from && listing(filter, from).map(listed);
    } catch (thrown) {
      if (!isCorrupt(thrown)) throw thrown;
      return lookThrough(every(), filter);
    }
  };
}

function tenantCounts(database: DatabaseSync, oneByOne: () => readonly RunRow[]): Tables['count'] {
  const perTenant = (which: string): Query<TenantCount> =>
    query(
      database,
      `SELECT tenant, count(*) AS runs FROM run ${which} GROUP BY tenant ORDER BY runs DESC, tenant`,
    );
  const all = perTenant('');
  const damaged = perTenant('WHERE damaged IS NOT NULL');
  return (which) => unlessCorrupt(() => (which.damaged ? damaged : all).all()) ?? counted(oneByOne(), which);
}

function flowCounts(database: DatabaseSync, oneByOne: () => readonly RunRow[]): Tables['flows'] {
  const each = query<FlowCount>(
    database,
    `SELECT flow, count(*) AS runs FROM run INDEXED BY runUnfinished WHERE state <> 'ended' AND damaged IS NULL GROUP BY flow ORDER BY flow`,
  );
  return () => unlessCorrupt(() => each.all()) ?? countedFlows(oneByOne());
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
  return { ...unknown, ...none, ...nothing, facts: noFacts };
}

/**
 * A page of the table, or of an index, makes no sense: what is on other pages can still be found by its number. Of a row
 * that cannot be read, or believed, an index may know the name, and its journal the rest.
 */
function looker(
  database: DatabaseSync,
  rebuilt: Rebuild,
): (listed: (stored: StoredRun) => RunRow) => readonly Numbered[] {
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
    const runs: Numbered[] = [];
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
      if (shown) runs.push({ row: shown, number });
    }
    return runs;
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
