import type { RunFilter, RunRow } from '../store.ts';
import {
  byTime,
  comesAfter,
  fits,
  isTimed,
  listSize,
  placeOfRun,
  type ListPlace,
  type Numbered,
} from '../rules/tables.ts';

/** A row that moves along in place: nobody else has it. */
export type OwnRow = { -readonly [Name in keyof RunRow]: RunRow[Name] };

/** A run with the number it came as, and what it is found by. */
export interface Listed extends Numbered {
  row: OwnRow;
  readonly terms: Set<string>;
}

/** Runs by what lists ask for, as they came: a page of them costs what is on it and what is passed by. */
export interface Lists {
  add(run: Listed): void;
  remove(run: Listed): void;
  /** Its row is another one now. */
  change(run: Listed, row: OwnRow): void;
  addTerms(run: Listed, terms: readonly string[]): void;
  dropTerms(run: Listed): void;
  /** Newest first, from a place on. */
  list(filter: RunFilter, from: ListPlace | undefined): readonly RunRow[];
}

/** Runs by what lists ask for, as they came. */
type ByKey = Map<string, Listed[]>;

export function memoryLists(): Lists {
  const lists: ByKey = new Map();
  // By tenant: to write both into one key costs more than to find them.
  const terms = new Map<string, ByKey>();
  const dropTerms = (run: Listed): void => {
    for (const term of run.terms) take(ofTenant(terms, run), term, run);
    run.terms.clear();
  };
  return {
    add(run) {
      for (const key of keysOf(run.row)) put(lists, key, run);
    },
    remove(run) {
      dropTerms(run);
      for (const key of keysOf(run.row)) take(lists, key, run);
    },
    change(run, row) {
      const isMoved = run.row.status !== row.status;
      if (isMoved) take(lists, statusKey(run.row), run);
      run.row = row;
      if (isMoved) put(lists, statusKey(row), run);
    },
    addTerms(run, added) {
      const byTerm = ofTenant(terms, run);
      for (const term of added) {
        if (run.terms.has(term)) continue;
        run.terms.add(term);
        put(byTerm, term, run);
      }
    },
    dropTerms,
    list: (filter, from) => pageOf({ lists, terms }, filter, from),
  };
}

function ofTenant(terms: Map<string, ByKey>, { row: { tenant } }: Listed): ByKey {
  const known = terms.get(tenant) ?? new Map<string, Listed[]>();
  terms.set(tenant, known);
  return known;
}

function put(lists: ByKey, key: string, run: Listed): void {
  const list = lists.get(key);
  if (!list) return void lists.set(key, [run]);
  // Nearly always it is the newest one.
  if ((list.at(-1)?.number ?? 0) < run.number) list.push(run);
  else list.splice(placeOf(list, run.number), 0, run);
}

function take(lists: ByKey, key: string, run: Listed): void {
  const list = lists.get(key) ?? [];
  if (list.length === 1) lists.delete(key);
  else list.splice(placeOf(list, run.number), 1);
}

interface Known {
  readonly lists: ReadonlyMap<string, readonly Listed[]>;
  readonly terms: ReadonlyMap<string, ReadonlyMap<string, readonly Listed[]>>;
}

function pageOf(
  { lists, terms: byTenant }: Known,
  filter: RunFilter,
  from: ListPlace | undefined,
): readonly RunRow[] {
  const { limit = listSize, newestOfEach, tenant, terms = [] } = filter;
  const byTerm = terms.map((term) => byTenant.get(tenant)?.get(term) ?? []);
  const list = shortest([...keysFor(filter).map((key) => lists.get(key) ?? []), ...byTerm]);
  const isNewest = ({ row, number }: Listed): boolean =>
    lists.get(conversationKey(row))?.at(-1)?.number === number;
  const isWanted = (run: Listed): boolean =>
    fits(run.row, filter, run.terms) && (!newestOfEach || isNewest(run));
  if (isTimed(filter)) {
    const wanted = list.filter(
      (run) => isWanted(run) && (!from || comesAfter(filter, placeOfRun(run), from)),
    );
    const timed = wanted.toReversed().toSorted((one, other) => byTime(one.row, other.row));
    return timed.slice(0, limit).map(({ row }) => ({ ...row }));
  }
  const found: RunRow[] = [];
  const end = from ? placeOf(list, from.number) : list.length;
  for (let at = end - 1; at >= 0 && found.length < limit; at -= 1) {
    const run = list[at];
    if (run && isWanted(run)) found.push({ ...run.row });
  }
  return found;
}

/** Where in a list, ordered by number, a number stands or would stand. */
function placeOf(list: readonly Listed[], number: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function shortest(lists: readonly (readonly Listed[])[]): readonly Listed[] {
  return lists.reduce((one, other) => (other.length < one.length ? other : one));
}

function keysOf(row: RunRow): readonly string[] {
  return [tenantKey(row), conversationKey(row), appKey(row), statusKey(row)];
}

function keysFor({ tenant, conversation, app, status }: RunFilter): readonly string[] {
  return [
    tenantKey({ tenant }),
    ...(conversation === undefined ? [] : [conversationKey({ tenant, conversation })]),
    ...(app === undefined ? [] : [appKey({ tenant, app })]),
    ...(status === undefined ? [] : [statusKey({ tenant, status })]),
  ];
}

type Of<Name extends keyof RunRow> = Pick<RunRow, 'tenant' | Name>;
const tenantKey = ({ tenant }: Pick<RunRow, 'tenant'>): string => `tenant ${tenant}`;
const conversationKey = ({ tenant, conversation }: Of<'conversation'>): string =>
  keyOf('conversation', tenant, conversation);
const appKey = ({ tenant, app }: Of<'app'>): string => keyOf('app', tenant, app);
const statusKey = ({ tenant, status }: Of<'status'>): string => keyOf('status', tenant, status);

/** With the length of the tenant's name in it no two of them are the same, whatever names there are. */
function keyOf(kind: string, tenant: string, name: string): string {
  return `${kind} ${tenant.length} ${tenant} ${name}`;
}
