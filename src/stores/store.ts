import type { Command } from '../run/commands.ts';
import type {
  Definition,
  DefinitionErasure,
  DefinitionFilter,
  DefinitionKey,
  DefinitionMove,
  NewDraft,
  NewVersion,
} from '../run/definition.ts';
import type { Failure } from '../run/failure.ts';
import type { Facts, Indexed } from '../run/facts.ts';
import type { RunStatus } from '../run/tree.ts';

/** Who writes a run. A worker that lost the run has an old epoch and is turned away. */
export interface Fence {
  readonly run: string;
  readonly epoch: number;
}

/** Encoded entries `first..last` of one run, as they were committed together. */
export interface Chunk {
  readonly run: string;
  readonly first: number;
  readonly last: number;
  readonly frames: string;
}

/** What lists show of a run without reading its journal. It rides on appends. */
export interface Summary {
  readonly status: RunStatus;
  /** Undecided approvals. */
  readonly approvals: number;
}

/** `ready` waits for a worker, `running` has one, `waiting` waits for a person or a time. */
export type RunState = 'ready' | 'running' | 'waiting' | 'ended';

export interface RunRow extends Summary {
  readonly run: string;
  readonly tenant: string;
  readonly conversation: string;
  readonly app: string;
  readonly title: string;
  /** Flow name and version: a worker claims only what it has. */
  readonly flow: string;
  readonly state: RunState;
  readonly epoch: number;
  readonly head: number;
  /** Of its journal. */
  readonly bytes: number;
  readonly worker: string | null;
  readonly leaseUntil: number;
  readonly wakeAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The last entry that is good, where its journal was found damaged. Nobody works on it any more. */
  readonly damaged: number | null;
  /** The run whose place in the conversation it took, and the one that took its own. */
  readonly replaces: string | null;
  readonly replacedBy: string | null;
  /** What its journal says of it, as far as lists show it. */
  readonly facts: Facts;
}

/** A text that entries refer to by its name, which is made of it. */
export interface KeptText {
  readonly tenant: string;
  readonly blob: string;
  readonly text: string;
}

/** An append carries its place: it is refused (`rejected`) unless the run has exactly this epoch and head. */
export interface Append {
  readonly fence: Fence;
  readonly head: number;
  readonly last: number;
  readonly frames: string;
  readonly summary: Summary;
  /** Commands that became entries here: marked used in the same transaction, with the entry each became. */
  readonly uses?: readonly { readonly command: string; readonly seq: number }[] | undefined;
  /** Large texts that its entries refer to: kept for the run in the same transaction. */
  readonly blobs?: readonly KeptText[] | undefined;
  /** What its entries add to the index. */
  readonly indexed?: Indexed | undefined;
  /** The last append of a run: nothing can follow. */
  readonly ends?: boolean | undefined;
}

/**
 * Whoever writes one run and does not wait for promises: asked for what has gathered when a commit begins, and told what
 * became of it. Nothing more is asked before that.
 */
export interface Appender {
  readonly run: string;
  /** What is to be appended now; undefined when there is nothing, or no longer. */
  next(): Append | undefined;
  durable(): void;
  /** As `append` fails. */
  failed(thrown: unknown): void;
}

/**
 * How much haste a commit has. `none`: nobody waits but those who read. `some`: the run goes on with what takes its time anyway,
 * a turn of an agent, or it is over. `great`: it goes on with something that may take no time.
 */
export type Haste = 'none' | 'some' | 'great';

/** Who hears of a run without waiting for promises. */
export interface Watcher {
  chunk(chunk: Chunk): void;
  /** Nothing more comes: the run has ended and all was given, it was erased, or this is why. */
  over(failure?: unknown): void;
}

export interface Journal {
  /**
   * Resolves when the entries are durable. Appends of one run may be pipelined. Fails with `rejected` when the fence
   * does not hold, and with `unavailable` when the outcome is unknown: read the head before deciding.
   */
  append(append: Append): Promise<void>;
  /**
   * The same for one who has something to append: it is asked for it when the next commit begins. That may be a moment
   * later, as its haste allows. What is asked of the run afterwards takes effect after it. Not every store can.
   */
  offer?: ((appender: Appender, haste: Haste) => void) | undefined;
  /**
   * Chunks that hold entries after `after`, in order; the first may begin before it. Bounded: call again for more. Fails
   * with `damaged` where the next entry is not what was written.
   */
  read(run: string, after: number): Promise<readonly Chunk[]>;
  /** What `read` gives, and then every later chunk the moment it is durable, until `signal` aborts or the run ends. */
  follow(run: string, after: number, signal: AbortSignal): AsyncIterable<Chunk>;
  /** What `follow` gives, in the moment it is durable. Not every store can. Returns what ends it. */
  watch?: ((run: string, after: number, watcher: Watcher) => () => void) | undefined;
}

export interface NewRun {
  readonly run: string;
  readonly tenant: string;
  readonly conversation: string;
  readonly app: string;
  readonly title: string;
  readonly flow: string;
  /** The same key of the same tenant creates one run. */
  readonly idempotencyKey?: string;
  /** The first entries, from seq 1. */
  readonly last: number;
  readonly frames: string;
  /** What its first entries add to the index. */
  readonly indexed?: Indexed | undefined;
  /** The run whose place in the conversation it takes: one that has ended, and whose place nobody took. */
  readonly replaces?: string;
  /** The blob of its tenant that says what it runs: kept as long as the run. */
  readonly definition?: string;
  /** Claim it in the same commit. */
  readonly claim?: { readonly worker: string; readonly lease: number };
}

export interface Claim {
  readonly fence: Fence;
  readonly head: number;
  readonly reason: 'started' | 'woken' | 'recovered';
}

export interface RunFilter {
  readonly tenant: string;
  readonly conversation?: string;
  readonly app?: string;
  readonly status?: RunStatus;
  readonly unfinished?: boolean;
  readonly withApprovals?: boolean;
  /** Of each conversation only its newest run. */
  readonly newestOfEach?: boolean;
  /** Found by all of these. */
  readonly terms?: readonly string[];
  /** Created from then on, and before then. Milliseconds. */
  readonly since?: number;
  readonly until?: number;
  /** Newest first, where times are given by time; the run to go on after. */
  readonly after?: string;
  readonly limit?: number;
}

/** Times are the store's own clock: a worker's clock decides nothing. */
/** Runs that have not ended: those that are parked until something comes, and the others. */
export interface Unfinished {
  readonly working: number;
  readonly waiting: number;
}

export interface Dispatch {
  create(run: NewRun): Promise<{ readonly run: string; readonly created: boolean }>;
  /** `ready` runs, parked runs whose time has come, and running ones whose lease has expired. Raises the epoch. */
  claim(request: {
    readonly worker: string;
    readonly flows: readonly string[];
    readonly max: number;
    readonly lease: number;
    readonly run?: string;
  }): Promise<readonly Claim[]>;
  /** The fences that are still held, for another `lease` milliseconds. */
  renew(fences: readonly Fence[], lease: number): Promise<readonly Fence[]>;
  /**
   * Park a run. It becomes `waiting` only if no command is pending; else it stays `running` with this worker, which goes
   * on: a command that arrives at this moment is never a lost wake-up.
   */
  release(request: {
    readonly fence: Fence;
    readonly head: number;
    readonly wakeAt?: number;
    /** The lines in which its turn has begun: a paused run keeps its place in these and leaves all others. */
    readonly begun?: readonly string[];
  }): Promise<RunState>;
  /** Give a run back unfinished, to be claimed by anyone at once: a worker that shuts down. */
  handBack(fence: Fence): Promise<void>;
  get(run: string): Promise<RunRow | undefined>;
  /** The run that a tenant created with a key. */
  find(wanted: { readonly tenant: string; readonly idempotencyKey: string }): Promise<RunRow | undefined>;
  list(filter: RunFilter): Promise<readonly RunRow[]>;
  /** How many runs of a tenant have not ended. */
  unfinished(tenant: string): Promise<Unfinished>;
  /** How many runs each tenant has, most first: all, or those that are damaged. For whoever owns the store alone. */
  count(which: Counted): Promise<readonly TenantCount[]>;
  /** How many runs that have not ended each flow has, by its name and version. Damaged ones go on with nobody. */
  flows(): Promise<readonly FlowCount[]>;
  /** Stand in line for a name (a conversation's agent); true when it is this run's turn. Asking again keeps the place. */
  hold(fence: Fence, name: string): Promise<boolean>;
  letGo(fence: Fence, name: string): Promise<void>;
  /** How many questions wait for people, of all tenants. */
  questions(): Promise<number>;
  /** What a run's journal says of it takes the place of what the index has. */
  reindex(request: { readonly run: string; readonly indexed: Indexed }): Promise<void>;
  /** What the store's clock says now. */
  time(): Promise<number>;
  /** Every trace of a run is gone: journal, commands, places in line, blobs nobody else refers to. */
  erase(run: string): Promise<void>;
}

export interface Counted {
  readonly damaged: boolean;
}

export interface TenantCount {
  readonly tenant: string;
  readonly runs: number;
}

export interface FlowCount {
  readonly flow: string;
  readonly runs: number;
}

export interface SentCommand {
  readonly id: string;
  readonly run: string;
  readonly command: Command;
}

/** What became of a command: `used` is the entry it turned into, null while it waits. */
export interface Receipt {
  readonly id: string;
  readonly used: number | null;
  /** False when a command with this id was there already; its first version counts. */
  readonly fresh: boolean;
  readonly command: Command;
}

/** Durable commands. Rows are kept as long as the run, so a repeated id gets the same answer and wakes nobody. */
export interface Mailbox {
  /** Fails with `unknown` for a run that does not exist and `rejected` for one that has ended. Wakes a parked run. */
  send(command: SentCommand): Promise<Receipt>;
  /** Commands not used yet, in the order they came. */
  pending(run: string): Promise<readonly SentCommand[]>;
}

/** Owners of blobs that are called so are no runs: what they have is kept until it is erased. */
export const fileOwner = 'file_';
export const definitionOwner = 'definition_';

/** What a blob is kept for: the apps of the runs that refer to it, and other owners. */
export interface BlobUsers {
  readonly apps: readonly string[];
  readonly owners: readonly string[];
}

/** Large things, kept once per tenant under the SHA-256 of their bytes. */
export interface Blobs {
  put(
    owner: { readonly tenant: string; readonly run: string },
    text: string,
  ): Promise<{ readonly blob: string; readonly size: number }>;
  get(tenant: string, blob: string): Promise<string | undefined>;
  users(tenant: string, blob: string): Promise<BlobUsers>;
  /** How many bytes a tenant has in all: these, and the journals and commands of its runs. */
  held(tenant: string): Promise<number>;
}

/** What a shared value is found by. The tenant is empty where it is of no tenant. */
export interface SharedKey {
  readonly kind: string;
  readonly tenant: string;
  readonly name: string;
}

/** A small thing that all processes of a store go by: the keys of a tenant, a pin, what somebody prefers. */
export interface SharedValue extends SharedKey {
  /** JSON. */
  readonly value: string;
  /** Moves up with every change. */
  readonly version: number;
}

export interface SharedChange extends SharedKey {
  readonly value: string;
  /** The version that is changed; 0 where there is none. */
  readonly version: number;
}

/** All of a kind, unless it says whose, or which. */
export type SharedFilter = Pick<SharedKey, 'kind'> & Partial<SharedKey>;

export interface Shared {
  list(filter: SharedFilter): Promise<readonly SharedValue[]>;
  /** Gives its new version. Fails with `rejected` unless it has the version that is to be changed. */
  set(change: SharedChange): Promise<number>;
}

/** What can be run, as data. Of each name there is a draft at most, and versions from 1 on whose body never changes. */
export interface Definitions {
  /** Fails with `rejected`, saying who saved the draft last and when, unless it has the revision that was read. */
  draft(draft: NewDraft): Promise<Definition>;
  /** The same body as the newest version is that version. */
  publish(version: NewVersion): Promise<Definition>;
  move(move: DefinitionMove): Promise<Definition>;
  /** The draft and all versions of one name, the draft first, then the oldest. */
  versions(key: DefinitionKey): Promise<readonly Definition[]>;
  list(filter: DefinitionFilter): Promise<readonly Definition[]>;
  /** Everything, or the draft alone. */
  erase(erasure: DefinitionErasure): Promise<void>;
}

/** Something happened that a process may want to look at. A hint: it may be lost, or come for nothing. */
export type Hint =
  | { readonly type: 'ready'; readonly run: string }
  | { readonly type: 'command'; readonly run: string }
  | { readonly type: 'freed'; readonly run: string }
  | { readonly type: 'erased'; readonly run: string }
  /** What lists show of it has changed, or it is gone. */
  | { readonly type: 'changed'; readonly run: string; readonly tenant: string }
  | { readonly type: 'damaged'; readonly run: string; readonly failure: Failure }
  | { readonly type: 'shared'; readonly key: SharedKey };

/** Where to read on in the feed of a tenant's runs; without a place, from the first. */
export interface FeedPlace {
  readonly tenant: string;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** A run that has changed: how it stands now, or without a row where it was erased. */
export interface FeedItem {
  readonly place: string;
  readonly run: string;
  readonly row: RunRow | undefined;
}

/** A part of the feed, and the place of what changed last of all. */
export interface FeedPage {
  readonly items: readonly FeedItem[];
  readonly last: string;
}

/**
 * The runs of a tenant in the order in which what lists show of them last changed. Each stands in it once: whoever reads on
 * from a place, however old, has how all of them stand. Text that is appended changes nothing here.
 */
export interface Feed {
  /** What changed after a place, and the last place of all. Fails with `rejected` where the place is none of this feed. */
  read(from: FeedPlace): Promise<FeedPage>;
  /** The same, and then what changes, until `signal` aborts. */
  follow(from: FeedPlace, signal: AbortSignal): AsyncIterable<readonly FeedItem[]>;
}

/** Where runs are kept. */
export interface Store {
  readonly journal: Journal;
  readonly dispatch: Dispatch;
  readonly mailbox: Mailbox;
  readonly blobs: Blobs;
  readonly shared: Shared;
  readonly definitions: Definitions;
  readonly feed: Feed;
  /** Hear hints of some types, or all of them, until the returned function is called. */
  listen<Type extends Hint['type']>(
    hear: (hint: Extract<Hint, { readonly type: Type }>) => void,
    types?: readonly Type[],
  ): () => void;
  /** Why nothing should be started now: what is written would not be kept. Undefined while all is well. */
  health(): Promise<string | undefined>;
  close(): Promise<void>;
}
