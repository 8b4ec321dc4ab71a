import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { hasTime, isTimed, listSize } from '../rules/tables.ts';
import { query, type Query } from './rows.ts';
import { selectRuns, type StoredRun } from './runs.ts';
import type { TermRows } from './term-rows.ts';
import type { RunFilter } from '../store.ts';

/** Found by its terms, a run is read in the order of the first one's runs, which is that of their numbers. */
const selectFound = selectRuns.replace(
  'FROM run ',
  'FROM term AS found CROSS JOIN run ON number = found.holder ',
);
const hasTerm = 'SELECT 1 FROM term WHERE owner = ? AND term = ? AND holder = number';

/** Lists by what they ask for, each read in the order of an index, and prepared once. */
export function listings(
  database: DatabaseSync,
  terms: TermRows,
): (filter: RunFilter) => readonly StoredRun[] {
  const lists = new Map<string, Query<StoredRun>>();
  const prepared = (sql: string): Query<StoredRun> => {
    const known = lists.get(sql) ?? query<StoredRun>(database, sql);
    lists.set(sql, known);
    return known;
  };
  return (filter) => {
    const wanted = { ...filter, terms: rarestFirst(filter, terms) };
    const { where, values } = conditions(wanted);
    const select =
      wanted.terms.length > 0
        ? selectFound
        : selectRuns.replace('FROM run ', `FROM run INDEXED BY ${indexFor(wanted)} `);
    return prepared(`${select} WHERE ${where} ORDER BY ${orderOf(wanted)} LIMIT ?`).all(
      ...values,
      filter.limit ?? listSize,
    );
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

type Condition = readonly [sql: string, ...values: (string | number)[]];

function conditions(filter: RunFilter): {
  readonly where: string;
  readonly values: readonly SQLInputValue[];
} {
  const { tenant, conversation, app, status, unfinished, withApprovals, after } = filter;
  const { newestOfEach, since, until, terms = [] } = filter;
  const [first, ...others] = terms;
  const parts: Condition[] = [['tenant = ?', tenant]];
  if (first !== undefined) parts.push(['found.owner = ? AND found.term = ?', tenant, first]);
  if (first !== undefined && hasTime(filter)) parts.push(numbersWithin(filter));
  for (const other of others) parts.push([`EXISTS (${hasTerm})`, tenant, other]);
  if (conversation !== undefined) parts.push(['conversation = ?', conversation]);
  if (app !== undefined) parts.push(['app = ?', app]);
  if (status !== undefined) parts.push(['status = ?', status]);
  if (unfinished) parts.push([`state <> 'ended'`]);
  if (withApprovals) parts.push(['approvals > 0']);
  if (newestOfEach) parts.push(['newest = 1']);
  if (since !== undefined) parts.push(['createdAt >= ?', since]);
  if (until !== undefined) parts.push(['createdAt < ?', until]);
  if (after !== undefined) parts.push([afterRun(filter), after]);
  return {
    where: parts.map(([sql]) => sql).join(' AND '),
    values: parts.flatMap(([, ...values]) => values),
  };
}

function afterRun(filter: RunFilter): string {
  if (isTimed(filter)) return '(createdAt, number) < (SELECT createdAt, number FROM run WHERE run = ?)';
  return `${numberOf(filter)} < (SELECT number FROM run WHERE run = ?)`;
}
