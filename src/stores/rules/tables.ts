import type {
  Chunk,
  Counted,
  Receipt,
  RunFilter,
  RunRow,
  SentCommand,
  SharedFilter,
  SharedKey,
  SharedValue,
  TenantCount,
} from '../store.ts';

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
  run(run: string): RunRow | undefined;
  runWithKey(tenant: string, key: string): string | undefined;
  addRun(row: RunRow, key: string | undefined): void;
  changeRun(row: RunRow): void;
  /** The run with its entries, commands, places and idempotency key. */
  removeRun(run: string): void;
  /** Runs that are due at `now`, the longest due first. */
  claimable(request: Claimable): readonly RunRow[];
  list(filter: RunFilter): readonly RunRow[];
  /** How many runs of a tenant have not ended. */
  unfinished(tenant: string): number;
  /** Undecided approvals of all runs that have not ended. */
  questions(): number;
  count(which: Counted): readonly TenantCount[];

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
  /** Bytes of all journals, commands and blobs of a tenant. */
  held(tenant: string): number;
  /** Kept once per tenant; the run is one more that refers to it. */
  addBlob(owner: { readonly tenant: string; readonly run: string }, blob: string, text: string): void;
  /** The run refers to nothing any more; what nobody else refers to is gone. */
  dropBlobs(run: string): void;

  sharedValue(key: SharedKey): SharedValue | undefined;
  listShared(filter: SharedFilter): readonly SharedValue[];
  setShared(value: SharedValue): void;
}

/** How much text one read gives at most, unless a single chunk is larger. */
export const pageSize = 1 << 20;

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

/** Those of all runs, newest first, that a filter wants. */
export function pick(rows: readonly RunRow[], filter: RunFilter): readonly RunRow[] {
  const from = filter.after === undefined ? 0 : rows.findIndex(({ run }) => run === filter.after) + 1;
  return rows
    .slice(from)
    .filter((row) => fits(row, filter))
    .slice(0, filter.limit ?? listSize);
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

export function fits(row: RunRow, filter: RunFilter): boolean {
  const { tenant, conversation, app, status, unfinished, withApprovals, search } = filter;
  return (
    row.tenant === tenant &&
    (conversation === undefined || row.conversation === conversation) &&
    (app === undefined || row.app === app) &&
    (status === undefined || row.status === status) &&
    (!unfinished || row.state !== 'ended') &&
    (!withApprovals || row.approvals > 0) &&
    (search === undefined || row.title.toLowerCase().includes(search.toLowerCase()))
  );
}
