import type { Definition, DefinitionKey } from '../../run/definition.ts';
import type {
  BlobUsers,
  Chunk,
  FeedPage,
  FlowCount,
  Hint,
  Receipt,
  RunRow,
  SentCommand,
  SharedValue,
  TenantCount,
  Unfinished,
} from '../store.ts';
import type { BlobKey, Due, Needs, RunKey } from '../rules/needs.ts';
import type { Place } from '../rules/tables.ts';

/**
 * Rows that many processes share, as a store with many writers uses them. A database locks, reads, writes, and says
 * whether something is still so; what is allowed it does not know. Its clock is the store's.
 *
 * Whatever fails here fails with `DatabaseError`. Every statement sees what was committed before it began, no more.
 */
export interface Database {
  /** A transaction on a connection of its own. */
  begin(): Promise<Transaction>;
  /** What was committed, at one moment and without a lock: for those who only look. */
  load(wanted: Wanted): Promise<Rows>;
  /**
   * Adds each chunk whose run has still this version, in one statement that keeps the run from changing meanwhile, and
   * unless the run has a chunk that begins there. Gives those that it added, with their time.
   */
  compareAndSet(chunks: readonly GuardedChunk[]): Promise<readonly { run: string; at: number }[]>;
  /** Tells all other processes, sooner or later, or never. */
  tell(news: News): void;
  listen(hear: (news: News) => void): () => void;
  close(): Promise<void>;
}

/** What is asked of a transaction happens in the order of the calls: nothing has to be awaited in between. */
export interface Transaction {
  /** One after the other, as they are named, waiting for each. Gives those it has: a run that is not there it cannot lock. */
  lock(locks: readonly Lock[]): Promise<readonly Lock[]>;
  /** Locks runs that are due, the longest due first, passing over those that another transaction has. */
  lockDue(due: Due): Promise<readonly string[]>;
  load(wanted: Wanted): Promise<Rows>;
  /**
   * Everything or nothing, and then it is durable. Undone where a run, its key, a command or a chunk that is added is
   * there already.
   */
  commit(changes: readonly Change[]): Promise<void>;
  rollback(): Promise<void>;
}

/** Kept until the transaction is over. Nobody else gets it meanwhile. */
export interface Lock {
  readonly kind: 'run' | 'line' | 'definition' | 'owner' | 'blob' | 'shared';
  /** Of a run its id, also as the owner of blobs, which need not be there; else a `lockName`. */
  readonly name: string;
}

export interface Line {
  readonly tenant: string;
  readonly name: string;
}

export interface Wanted extends Omit<Needs, 'creates' | 'stands' | 'leaves' | 'due'> {
  /** All places of these runs. */
  readonly placesOf?: readonly string[];
  /** All places in these lines. */
  readonly lines?: readonly Line[];
}

/** The row with the head, size and time of its journal, and a version that moves with every change but these and the lease. */
export interface KeptRun {
  readonly row: RunRow;
  readonly version: number;
}

export interface KeptCommand extends Omit<Receipt, 'fresh'> {
  readonly run: string;
}

export interface KeptBlob extends BlobKey {
  /** The runs that refer to it. */
  readonly users: readonly string[];
}

/** What was wanted, as far as it is there. */
export interface Rows {
  /** What the database's clock said. */
  readonly now: number;
  /** Those that were named, and those that the keys are of. */
  readonly runs: readonly KeptRun[];
  readonly keys: readonly (RunKey & { readonly run: string })[];
  /** In the order they came. */
  readonly commands: readonly KeptCommand[];
  /** Each line in its order. */
  readonly places: readonly Place[];
  readonly chunks: readonly Chunk[];
  readonly blobs: readonly KeptBlob[];
  /** Those that were named, and those that were looked for. */
  readonly shared: readonly SharedValue[];
  readonly definitions: readonly Definition[];
  readonly text?: string | undefined;
  readonly users?: BlobUsers | undefined;
  /** None where no run of the tenant stands, or stood, where it is to go on. */
  readonly list?: readonly RunRow[] | undefined;
  /** Without what is not final: nothing that is committed later has a place before these. */
  readonly feed?: FeedPage;
  readonly unfinished?: Unfinished;
  readonly count?: readonly TenantCount[];
  readonly questions?: number;
  readonly flows?: readonly FlowCount[];
  readonly held?: number;
  readonly definitionList?: readonly Definition[];
}

export interface GuardedChunk {
  readonly version: number;
  readonly chunk: Chunk;
}

/** One row, as it is from now on. */
export type Change = RunChange | SharedSet | DefinitionChange;

export interface SharedSet {
  readonly type: 'shared.set';
  readonly value: SharedValue;
}

export type DefinitionChange =
  /** In the place of the same version, if there is one. */
  | { readonly type: 'definition.kept'; readonly row: Definition }
  /** The draft and every version. */
  | { readonly type: 'definition.removed'; readonly key: DefinitionKey };

export type RunChange =
  | { readonly type: 'run.removed'; readonly run: string }
  | {
      readonly type: 'run.added';
      readonly run: string;
      readonly row: RunRow;
      readonly version: number;
      readonly key: string | undefined;
    }
  | {
      readonly type: 'run.changed';
      readonly run: string;
      readonly row: RunRow;
      readonly version: number;
      readonly isNews: boolean;
    }
  | { readonly type: 'terms.added'; readonly run: string; readonly terms: readonly string[] }
  | { readonly type: 'terms.dropped'; readonly run: string }
  | { readonly type: 'lease.moved'; readonly run: string; readonly until: number }
  | { readonly type: 'chunk.added'; readonly run: string; readonly chunk: Chunk; readonly at: number }
  | { readonly type: 'command.added'; readonly run: string; readonly sent: SentCommand }
  | { readonly type: 'command.used'; readonly run: string; readonly id: string; readonly seq: number }
  | {
      readonly type: 'place.added' | 'place.told' | 'place.removed';
      readonly run: string;
      readonly place: Place;
    }
  | {
      readonly type: 'blob.added';
      readonly run: string;
      readonly tenant: string;
      readonly blob: string;
      readonly text: string;
    }
  /** The run refers to nothing any more, and nobody else to these. */
  | { readonly type: 'blobs.dropped'; readonly run: string; readonly gone: readonly BlobKey[] };

/** What other processes may want to look at: hints, and runs whose journal has grown, ended or gone. */
export interface News {
  readonly hints: readonly Hint[];
  readonly runs: readonly string[];
}

/** The database did not do what it was asked, or nobody knows whether it did. */
export class DatabaseError extends Error {
  /**
   * `busy`: a lock was waited for in vain. `undone`: nothing of it was applied, and it can be tried again. `unknown`: the
   * connection broke when it was already asked to commit.
   */
  readonly outcome: 'busy' | 'undone' | 'unknown';

  constructor(outcome: DatabaseError['outcome'], message: string) {
    super(message);
    this.outcome = outcome;
  }
}

export const noRows: Rows = {
  now: 0,
  runs: [],
  keys: [],
  commands: [],
  places: [],
  chunks: [],
  blobs: [],
  definitions: [],
  shared: [],
};

/** What a line, a definition, a blob or something shared is locked by. */
export function lockName(...names: readonly string[]): string {
  return JSON.stringify(names);
}
