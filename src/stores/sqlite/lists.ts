import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { hasTime, isTimed, listSize, type ListPlace } from '../rules/tables.ts';
import { query, type Query } from './rows.ts';
import { selectRuns, type StoredRun } from './runs.ts';
import type { TermRows } from './tables.ts';
import type { RunFilter } from '../store.ts';

/**
 * Found by its terms, a run is read in the order of the first one's runs, which is that of their numbers: once for those that
 * the index has, and once for the few whose terms are not in it yet.
 */
const leads = [
  { from: 'term AS found', where: 'found.owner = ? AND found.term = ?' },
  {
    from: 'freshTerm AS found CROSS JOIN termsOf USING (holder)',
    where: `found.owner = ? AND instr(char(10) || terms || char(10), char(10) || ? || char(10)) > 0`,
  },
] as const;
type Lead = (typeof leads)[number];
const hasTerm = leads
  .map(({ from, where }) => `EXISTS (SELECT 1 FROM ${from} WHERE ${where} AND found.holder = number)`)
  .join(' OR ');

/** Lists by what they ask for, each read in the order of an index, and prepared once. */
export function listings(
  database: DatabaseSync,
  terms: TermRows,
): (filter: Omit<RunFilter, 'after'>, from: ListPlace | undefined) => readonly StoredRun[] {
  const lists = new Map<string, Query<StoredRun>>();
  const prepared = (sql: string): Query<StoredRun> => {
    const known = lists.get(sql) ?? query<StoredRun>(database, sql);
    lists.set(sql, known);
    return known;
  };
  return (filter, place) => {
    const wanted = { ...filter, terms: rarestFirst(filter, terms), place };
    const limit = filter.limit ?? listSize;
    const listed = (from: string, lead?: Lead): readonly StoredRun[] => {
      const { where, values } = conditions(wanted, lead);
      const select = selectRuns.replace('FROM run ', `FROM ${from} `);
      return prepared(`${select} WHERE ${where} ORDER BY ${orderOf(wanted)} LIMIT ?`).all(...values, limit);
    };
    if (wanted.terms.length === 0) return listed(`run INDEXED BY ${indexFor(wanted)}`);
    const found = leads.flatMap((lead) =>
      listed(`${lead.from} CROSS JOIN run ON number = found.holder`, lead),
    );
    const once = new Map(found.map((stored) => [stored.number, stored]));
    return [...once.values()].toSorted((one, other) => other.number - one.number).slice(0, limit);
  };
}

/** Left to itself, SQLite takes any index that begins with the tenant, and passes by whatever else is there. */
function indexFor(filter: RunFilter): string {
  if (filter.conversation !== undefined) return 'runByConversation';
  if (filter.withApprovals) return 'runWithApprovals';
  if (filter.unfinished) return 'runUnfinished';
  if (isTimed(filter)) return 'runByTime';
  // What most runs have become leads to nothing.
  if (filter.app !== undefined && (filter.status ?? 'completed') === 'completed') return 'runByApp';
  if (filter.status !== undefined) return 'runByStatus';
  return filter.newestOfEach ? 'runNewest' : 'runByTenant';
}

/** What a word that stands everywhere leads to is passed by one after the other. */
function rarestFirst({ tenant, terms = [] }: RunFilter, rows: TermRows): readonly string[] {
  if (terms.length < 2) return terms;
  const counted = [...new Set(terms)].map((term) => ({ term, count: rows.count(tenant, term) }));
  return counted.toSorted((one, other) => one.count - other.count).map(({ term }) => term);
}

function orderOf(filter: RunFilter): string {
  return isTimed(filter) ? 'createdAt DESC, number DESC' : `${numberOf(filter)} DESC`;
}

function numberOf({ terms = [] }: RunFilter): string {
  return terms.length > 0 ? 'found.holder' : 'number';
}

/** The numbers of all runs of a time, by an index that has both: what a term leads to beyond them need not be looked at. */
function numbersWithin({ tenant, since = 0, until = Number.MAX_SAFE_INTEGER }: RunFilter): Condition {
  const within = (which: string): string =>
    `(SELECT ${which}(run.number) FROM run INDEXED BY runByTime WHERE tenant = ? AND createdAt >= ? AND createdAt < ?)`;
  const range = [tenant, since, until] as const;
  return [`found.holder BETWEEN ${within('min')} AND ${within('max')}`, ...range, ...range];
}

/** Where a run of a tenant stands in lists, or stood before it was erased. */
export function listPlaces(database: DatabaseSync): (tenant: string, run: string) => ListPlace | undefined {
  const places = query<ListPlace>(
    database,
    `SELECT number, createdAt FROM run WHERE run = ?2 AND tenant = ?1
      UNION ALL SELECT number, createdAt FROM erased WHERE tenant = ?1 AND run = ?2 ORDER BY number DESC LIMIT 1`,
  );
  return (tenant, run) => places.one(tenant, run);
}

type Condition = readonly [sql: string, ...values: (string | number)[]];

function conditions(
  filter: RunFilter & { readonly place: ListPlace | undefined },
  lead: Lead | undefined,
): {
  readonly where: string;
  readonly values: readonly SQLInputValue[];
} {
  const { tenant, conversation, app, status, unfinished, withApprovals, place } = filter;
  const { newestOfEach, since, until, terms = [] } = filter;
  const [first, ...others] = terms;
  const parts: Condition[] = [['tenant = ?', tenant]];
  if (first !== undefined && lead) parts.push([lead.where, tenant, first]);
  if (first !== undefined && hasTime(filter)) parts.push(numbersWithin(filter));
  for (const other of others) parts.push([`(${hasTerm})`, tenant, other, tenant, other]);
  if (conversation !== undefined) parts.push(['conversation = ?', conversation]);
  if (app !== undefined) parts.push(['app = ?', app]);
  if (status !== undefined) parts.push(['status = ?', status]);
  if (unfinished) parts.push([`state <> 'ended'`]);
  if (withApprovals) parts.push(['approvals > 0']);
  if (newestOfEach) parts.push(['newest = 1']);
  if (since !== undefined) parts.push(['createdAt >= ?', since]);
  if (until !== undefined) parts.push(['createdAt < ?', until]);
  if (place) parts.push(beyond(filter, place));
  return {
    where: parts.map(([sql]) => sql).join(' AND '),
    values: parts.flatMap(([, ...values]) => values),
  };
}

function beyond(filter: RunFilter, { number, createdAt }: ListPlace): Condition {
  if (isTimed(filter)) return ['(createdAt, number) < (?, ?)', createdAt, number];
  return [`${numberOf(filter)} < ?`, number];
}
