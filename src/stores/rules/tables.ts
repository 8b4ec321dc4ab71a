import type { Definition, DefinitionFilter, DefinitionKey } from '../../run/definition.ts';
import type {
  BlobUsers,
  Chunk,
  Counted,
  FeedPage,
  FeedPlace,
  FlowCount,
  Receipt,
  RunFilter,
  RunRow,
  SentCommand,
  SharedFilter,
  SharedKey,
  SharedValue,
  TenantCount,
  Unfinished,
  Hint,
  Fence,
} from '../store.ts';
import { RunError } from '../../run/failure.ts';

/** One run standing in line for a name of its tenant. `told` once the run has learned that its turn has come. */
export interface Place {
  readonly tenant: string;
  readonly name: string;
  readonly run: string;
  readonly told: boolean;
}

export interface Claimable {
  readonly flows: readonly string[];
  readonly now: number;
  readonly max: number;
}

/** What the rules of a store keep, as rows: small synchronous steps inside one transaction, without rules of their own. */
export interface Tables {
  /** As it stands now: its head moves in place, since a copy for each piece of text would cost more than the rules do. */
  run(run: string): RunRow | undefined;
  runWithKey(tenant: string, key: string): string | undefined;
  addRun(row: RunRow, key: string | undefined): void;
  /** News move the run to the end of the feed. */
  changeRun(row: RunRow, isNews?: boolean): void;
  /** The run with its entries, commands, places, terms and idempotency key; the feed knows that it is gone. */
  removeRun(run: string): void;
  /** Runs that are due at `now`, the longest due first. */
  claimable(request: Claimable): readonly RunRow[];
  /** Undefined where no run of the tenant stands, or stood, where it is to go on. */
  list(filter: RunFilter): readonly RunRow[] | undefined;
  feed(from: FeedPlace): FeedPage;
  /** What the run is found by, too. */
  addTerms(run: string, terms: readonly string[]): void;
  dropTerms(run: string): void;
  /** How many runs of a tenant have not ended. */
  unfinished(tenant: string): Unfinished;
  /** Undecided approvals of all runs that have not ended. */
  questions(): number;
  count(which: Counted): readonly TenantCount[];
  /** Of runs that have not ended and are not damaged. */
  flows(): readonly FlowCount[];

  /** Moves the run's `head` and `updatedAt` along. */
  addChunk(chunk: Chunk, at: number): void;
  chunksAfter(run: string, after: number): readonly Chunk[];

  command(run: string, id: string): Omit<Receipt, 'fresh'> | undefined;
  addCommand(command: SentCommand): void;
  useCommand(run: string, id: string, seq: number): void;
  pending(run: string): readonly SentCommand[];
  hasPending(run: string): boolean;

  place(run: string, name: string): Place | undefined;
  places(run: string): readonly Place[];
  firstInLine(tenant: string, name: string): Place | undefined;
  /** At the end of its line. */
  addPlace(place: Place): void;
  tellPlace(place: Place): void;
  removePlace(place: Place): void;

  blob(tenant: string, blob: string): string | undefined;
  blobUsers(tenant: string, blob: string): BlobUsers;
  /** Bytes of all journals, commands and blobs of a tenant. */
  held(tenant: string): number;
  /** Kept once per tenant; the run is one more that refers to it. */
  addBlob(owner: { readonly tenant: string; readonly run: string }, blob: string, text: string): void;
  /** One more refers to what is kept already; false where it is not. */
  useBlob(owner: { readonly tenant: string; readonly run: string }, blob: string): boolean;
  /** The run refers to nothing any more; what nobody else refers to is gone. */
  dropBlobs(run: string): void;

  sharedValue(key: SharedKey): SharedValue | undefined;
  listShared(filter: SharedFilter): readonly SharedValue[];
  setShared(value: SharedValue): void;
  /** By version. */
  definitions(key: DefinitionKey): readonly Definition[];
  /** In the place of the same version, if there is one. */
  keepDefinition(row: Definition): void;
  removeDefinition(key: DefinitionKey): void;
  listDefinitions(filter: DefinitionFilter): readonly Definition[];
}

/** How much text one read gives at most, unless a single chunk is larger: whoever commits meanwhile waits for it. */
export const pageSize = 1 << 18;

export const listSize = 50;

/** When a run can be claimed, on the store's clock; null when only a command can wake it, and for what is damaged. */
export function dueAt({
  state,
  updatedAt,
  wakeAt,
  leaseUntil,
  damaged,
}: Pick<RunRow, 'state' | 'updatedAt' | 'wakeAt' | 'leaseUntil' | 'damaged'>): number | null {
  if (damaged !== null) return null;
  switch (state) {
    case 'ready':
      return updatedAt;
    case 'running':
      return leaseUntil;
    case 'waiting':
      return wakeAt;
    case 'ended':
      return null;
  }
}

/** Where a run stands in lists, or stood before it was erased. */
export interface ListPlace {
  readonly number: number;
  readonly createdAt: number;
}

export interface Numbered {
  readonly row: RunRow;
  readonly number: number;
}

export function placeOfRun({ row: { createdAt }, number }: Numbered): ListPlace {
  return { number, createdAt };
}

/** Whether it comes after another in what a filter lists. */
export function comesAfter(filter: RunFilter, one: ListPlace, other: ListPlace): boolean {
  const isOlder = one.number < other.number;
  if (!isTimed(filter) || one.createdAt === other.createdAt) return isOlder;
  return one.createdAt < other.createdAt;
}

/** Those of all runs, newest first, that a filter wants, from a place on. */
export function pick(
  runs: readonly Numbered[],
  filter: RunFilter & { readonly from?: ListPlace | undefined },
  termsOf: (run: string) => ReadonlySet<string>,
): readonly RunRow[] {
  const { from, newestOfEach, terms = [], limit = listSize } = filter;
  const rows = runs.map(({ row }) => row);
  const newest = new Map(
    rows.toReversed().map(({ tenant, conversation, run }) => [`${tenant} ${conversation}`, run]),
  );
  const isNewest = ({ tenant, conversation, run }: RunRow): boolean =>
    newest.get(`${tenant} ${conversation}`) === run;
  const left = from ? runs.filter((run) => comesAfter(filter, placeOfRun(run), from)) : runs;
  const ordered = left.map(({ row }) => row);
  return (isTimed(filter) ? ordered.toSorted(byTime) : ordered)
    .filter(
      (row) =>
        fits(row, filter, terms.length > 0 ? termsOf(row.run) : none) && (!newestOfEach || isNewest(row)),
    )
    .slice(0, limit);
}

const none: ReadonlySet<string> = new Set();

/** Whether a list is by time: elsewhere runs stand as they were created, which is how terms lead to them. */
export function isTimed(filter: RunFilter): boolean {
  return hasTime(filter) && (filter.terms ?? []).length === 0;
}

export function hasTime({ since, until }: RunFilter): boolean {
  return since !== undefined || until !== undefined;
}

/** The newest first; those of one moment as they stand. */
export function byTime(one: RunRow, other: RunRow): number {
  return other.createdAt - one.createdAt;
}

/** How many there are of each tenant, most first. */
export function counted(
  rows: readonly Pick<RunRow, 'tenant' | 'damaged'>[],
  which: Counted,
): readonly TenantCount[] {
  const wanted = rows.filter(({ damaged }) => !which.damaged || damaged !== null);
  const counts = Map.groupBy(wanted, ({ tenant }) => tenant);
  return [...counts]
    .map(([tenant, of]) => ({ tenant, runs: of.length }))
    .toSorted((one, other) => other.runs - one.runs || (one.tenant < other.tenant ? -1 : 1));
}

/** How many of those that go on each flow has, by its name. */
export function countedFlows(
  rows: readonly Pick<RunRow, 'flow' | 'state' | 'damaged'>[],
): readonly FlowCount[] {
  const open = rows.filter(({ state, damaged }) => state !== 'ended' && damaged === null);
  return [...Map.groupBy(open, ({ flow }) => flow)]
    .map(([flow, of]) => ({ flow, runs: of.length }))
    .toSorted((one, other) => (one.flow < other.flow ? -1 : 1));
}

export function fits(row: RunRow, filter: RunFilter, found: ReadonlySet<string>): boolean {
  const { tenant, conversation, app, status, unfinished, withApprovals, terms = [] } = filter;
  const { since = -Infinity, until = Infinity } = filter;
  return (
    row.tenant === tenant &&
    (conversation === undefined || row.conversation === conversation) &&
    (app === undefined || row.app === app) &&
    (status === undefined || row.status === status) &&
    (!unfinished || row.state !== 'ended') &&
    (!withApprovals || row.approvals > 0) &&
    row.createdAt >= since &&
    row.createdAt < until &&
    terms.every((term) => found.has(term))
  );
}

/** Those of all definitions that a filter wants. */
/** How many of these have not ended. */
export function countedOpen(rows: Iterable<Pick<RunRow, 'state'>>): Unfinished {
  let [working, waiting] = [0, 0];
  for (const { state } of rows) {
    if (state === 'waiting') waiting += 1;
    else if (state !== 'ended') working += 1;
  }
  return { working, waiting };
}

export function pickDefinitions(all: readonly Definition[], filter: DefinitionFilter): readonly Definition[] {
  const { tenant, kind, name, state, after, limit = listSize } = filter;
  return all
    .filter(
      (row) =>
        (tenant === undefined || row.tenant === tenant) &&
        (kind === undefined || row.kind === kind) &&
        (name === undefined || row.name === name) &&
        (state === undefined || row.state === state) &&
        (after === undefined || compareDefinitions(row, { tenant: row.tenant, ...after }) > 0),
    )
    .toSorted(compareDefinitions)
    .slice(0, limit);
}

type Placed = Pick<Definition, 'tenant' | 'kind' | 'name' | 'version'>;

/** By the bytes of tenant, kind and name, as databases do, then by version. */
function compareDefinitions(one: Placed, other: Placed): number {
  return (
    Buffer.compare(Buffer.from(one.tenant), Buffer.from(other.tenant)) ||
    Buffer.compare(Buffer.from(one.kind), Buffer.from(other.kind)) ||
    Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)) ||
    one.version - other.version
  );
}

/** What a rule works on: the rows, the store's time, and the hints to give once the transaction is durable. */
export interface Desk {
  readonly tables: Tables;
  readonly now: number;
  readonly hints: Hint[];
}

export function runOf({ tables }: Desk, run: string): RunRow {
  const row = tables.run(run);
  if (!row)
    throw new RunError('unknown', `There is no run ${run}: it was never created here, or it was erased.`);
  return row;
}

/** The run, if this fence holds it. A run that is parked, given back or ended is held by nobody. */
export function heldBy(desk: Desk, { run, epoch }: Fence): RunRow {
  const row = runOf(desk, run);
  if (row.state === 'ended')
    throw new RunError('rejected', `Run ${run} has ended at ${row.head}: nothing can follow.`);
  if (row.epoch !== epoch) {
    throw new RunError(
      'rejected',
      `Run ${run} is at epoch ${row.epoch}, not ${epoch}: another worker took it over, so stop working on it.`,
    );
  }
  if (row.state !== 'running') {
    throw new RunError(
      'rejected',
      `Run ${run} is ${row.state}: epoch ${epoch} gave it away, so claim it again before writing.`,
    );
  }
  return row;
}

export function expectHead({ run, head }: RunRow, expected: number): void {
  if (head === expected) return;
  throw new RunError(
    'rejected',
    `Run ${run} is at entry ${head}, not ${expected}: read what is recorded after ${Math.min(head, expected)} before writing again.`,
  );
}

/** A row whose change lists show: the run moves to the end of the feed. */
export function showRun(desk: Desk, row: RunRow): void {
  desk.tables.changeRun(row, true);
  tellChange(desk, row);
}

export function tellChange({ hints }: Desk, { run, tenant }: RunRow): void {
  hints.push({ type: 'changed', run, tenant });
}

/** Lets anyone claim the run from now on. */
export function makeReady(desk: Desk, row: RunRow): void {
  if (row.damaged !== null) return;
  desk.tables.changeRun({
    ...row,
    state: 'ready',
    worker: null,
    leaseUntil: 0,
    wakeAt: null,
    updatedAt: desk.now,
  });
  desk.hints.push({ type: 'ready', run: row.run });
}
