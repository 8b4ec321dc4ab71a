import type { Followers } from './follow.ts';
import { followFeed } from './follow-feed.ts';
import type { Argument, OperationName, Read, Result, Write } from './rules/rules.ts';
import type {
  Appender,
  Blobs,
  Definitions,
  Dispatch,
  Feed,
  Haste,
  Journal,
  Mailbox,
  Shared,
  Store,
  Append,
} from './store.ts';
import { joinIndexed } from '../run/facts.ts';
import { errorOf, RunError } from '../run/failure.ts';
import type { CommitAll, GroupCommit, Operation, Reply } from './batch.ts';

/** Carries operations to where the rows are. Those of one run arrive in the order of the calls. */
export interface Carrier {
  write<Name extends Write>(name: Name, argument: Argument<Name>): Promise<Result<Name>>;
  read<Name extends Read>(name: Name, argument: Argument<Name>): Promise<Result<Name>>;
  /** See `Journal.offer`. */
  offer?(appender: Appender, haste: Haste): void;
  /** What the clock says that `now` of the rules is read from. */
  time(): Promise<number>;
}

/** What changes nothing. */
interface Reading {
  readonly journal: Pick<Journal, 'read' | 'follow' | 'watch'>;
  readonly dispatch: Pick<Dispatch, 'get' | 'find' | 'list' | 'unfinished' | 'questions' | 'count' | 'flows'>;
  readonly mailbox: Pick<Mailbox, 'pending'>;
  readonly blobs: Pick<Blobs, 'get' | 'users' | 'held'>;
  readonly shared: Pick<Shared, 'list'>;
  readonly definitions: Pick<Definitions, 'versions' | 'list'>;
  readonly feed: Pick<Feed, 'read'>;
}

function readingFacets(carrier: Pick<Carrier, 'read'>, live: Followers): Reading {
  return {
    journal: {
      read: async (run, after) => (await carrier.read('read', { run, after })).chunks,
      follow: (run, after, signal) => live.follow(run, after, signal),
      watch: (run, after, watcher) => live.watch(run, after, watcher),
    },
    dispatch: {
      get: (run) => carrier.read('get', run),
      find: (wanted) => carrier.read('find', wanted),
      list: (filter) => carrier.read('list', filter),
      unfinished: (tenant) => carrier.read('unfinished', tenant),
      questions: () => carrier.read('questions', undefined),
      count: (which) => carrier.read('count', which),
      flows: () => carrier.read('flows', undefined),
    },
    mailbox: { pending: (run) => carrier.read('pending', run) },
    blobs: {
      get: (tenant, blob) => carrier.read('blob', { tenant, blob }),
      users: (tenant, blob) => carrier.read('blobUsers', { tenant, blob }),
      held: (tenant) => carrier.read('held', tenant),
    },
    shared: { list: (filter) => carrier.read('shared', filter) },
    definitions: {
      versions: (key) => carrier.read('definitionsOf', key),
      list: (filter) => carrier.read('listDefinitions', filter),
    },
    feed: { read: (from) => carrier.read('feed', from) },
  };
}

/** The facets of a store, over whatever carries its operations and hears of changes. */
export function facets(
  carrier: Carrier,
  live: Followers,
  { listen }: Pick<Store, 'listen'>,
): Omit<Store, 'listen' | 'health' | 'close'> {
  const { journal, dispatch, mailbox, blobs, shared, definitions, feed } = readingFacets(carrier, live);
  return {
    journal: {
      ...journal,
      append: (append) => carrier.write('append', append),
      offer: carrier.offer && ((appender, haste) => carrier.offer?.(appender, haste)),
    },
    dispatch: {
      ...dispatch,
      create: (run) => carrier.write('create', run),
      claim: (request) => carrier.write('claim', request),
      renew: (fences, lease) => carrier.write('renew', { fences, lease }),
      release: (request) => carrier.write('release', request),
      handBack: (fence) => carrier.write('handBack', fence),
      hold: (fence, name) => carrier.write('hold', { fence, name }),
      time: () => carrier.time(),
      letGo: (fence, name) => carrier.write('letGo', { fence, name }),
      erase: (run) => carrier.write('erase', run),
      reindex: (request) => carrier.write('reindex', request),
    },
    mailbox: { ...mailbox, send: (command) => carrier.write('send', command) },
    blobs: { ...blobs, put: (owner, text) => carrier.write('put', { owner, text }) },
    shared: { ...shared, set: (change) => carrier.write('share', change) },
    definitions: {
      ...definitions,
      draft: (draft) => carrier.write('saveDraft', draft),
      publish: (version) => carrier.write('publish', version),
      move: (move) => carrier.write('moveDefinition', move),
      erase: (key) => carrier.write('eraseDefinition', key),
    },
    feed: { ...feed, follow: (from, signal) => followFeed({ feed, listen }, from, signal) },
  };
}

const notOfOneRun: ReadonlySet<OperationName> = new Set([
  'claim',
  'renew',
  'list',
  'feed',
  'unfinished',
  'count',
  'held',
]);

/** The run an operation is about; undefined when it is about no single one. */
export function runOfOperation<Name extends OperationName>(
  name: Name,
  argument: Argument<Name>,
): string | undefined {
  if (notOfOneRun.has(name)) return undefined;
  const about: Argument<OperationName> = argument;
  if (about === undefined) return undefined;
  if (typeof about === 'string') return about;
  if ('fence' in about) return about.fence.run;
  if ('owner' in about) return about.owner.run;
  return 'run' in about ? about.run : undefined;
}

/** A chunk that grows by joining stays small enough to be a step of a cursor. */
const joinedSize = 64 * 1024;

/** From the beginning of a commit to that of the next one, where nobody waits for it. Milliseconds. */
const shortestPause = 2;

const longestPause = 8;

/** It is so many times what the last one took: a disk that is slow gets larger commits, and no core is busy with them alone. */
const pauseOf = 8;

/** Where so many runs were in the last commit, each of those at work waits for the others. */
const crowd = 8;

/** So long waits text there, which no screen shows sooner, and a turn, which takes many times that. What may be quick waits the longest pause. */
const framePause = 16;

/** Where so many were in it, what may be quick waits as long, and text of one run waits for more of the same. */
const multitude = 32;

/** A piece of text that has waited less goes with a later round: a row, a frame and a write are for two pieces then. Milliseconds. */
const gatherPause = 24;

interface Caller {
  resolve(value: unknown): void;
  reject(reason: RunError): void;
}

interface Item {
  operation: Operation;
  /** Who gave it when it was asked; else those who wait for it. */
  readonly appender?: Appender;
  readonly callers: readonly Caller[] | Caller[];
}

/**
 * Rounds of what all runs ask for, each one commit, one under way. A round that somebody waits for begins in the next turn
 * of the loop; others begin after a pause of two to eight milliseconds, and after a quiet moment at once: each costs an
 * fsync and two threads that wake up, however little is in it. Where many runs work, their intents and outcomes wait for
 * each other, and their texts for the next picture of a screen, or for more of the same; what people ask for waits for nothing.
 */
export function groupCommit(commit: CommitAll): GroupCommit {
  const rounds = new Rounds(commit);
  return {
    add: (name, argument) =>
      new Promise((resolve, reject) => {
        const caller = { resolve: resolve as (value: unknown) => void, reject };
        rounds.add({ name, argument } as Operation, caller);
      }),
    offer: (appender, haste) => rounds.offer(appender, haste),
    drained: () => rounds.drained(),
  };
}

class Rounds {
  readonly #commit: CommitAll;
  /** Who has something to be written, and from when on it does not wait for more of the same. */
  readonly #offered = new Map<Appender, number>();
  #queue: Item[] = [];
  #openAppends = new Map<string, Item & { readonly callers: Caller[] }>();
  #state: 'resting' | 'beginning' | 'under way' = 'resting';
  /** The shortest pause that anything to be written asks for, from the beginning of the last round. */
  #wanted = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #began = -Infinity;
  #pause = shortestPause;
  /** How many the last commit was of; one that was hurried does not tell that there are few. */
  #together = 0;
  #drained: (() => void)[] = [];

  constructor(commit: CommitAll) {
    this.#commit = commit;
  }

  add(operation: Operation, caller: Caller): void {
    const { name, argument } = operation;
    const run = runOfOperation(name, argument);
    for (const appender of this.#offered.keys()) if (appender.run === run) this.#freeze(appender);
    const open = run === undefined ? undefined : this.#openAppends.get(run);
    if (open && name === 'append' && join(open, argument)) open.callers.push(caller);
    else {
      const item = { operation, callers: [caller] };
      this.#queue.push(item);
      if (run !== undefined) {
        if (name === 'append') this.#openAppends.set(run, item);
        else this.#openAppends.delete(run);
      }
    }
    this.#beginAfter(0);
  }

  offer(appender: Appender, haste: Haste): void {
    const from = haste === 'none' ? performance.now() + gatherPause : 0;
    this.#offered.set(appender, Math.min(from, this.#offered.get(appender) ?? Infinity));
    this.#beginAfter(this.#pauseFor(haste));
  }

  drained(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    this.#beginAfter(0);
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  get #isIdle(): boolean {
    return this.#state === 'resting' && this.#queue.length === 0 && this.#offered.size === 0;
  }

  /** What a run was asked for takes effect in the order of asking, so what it has offered goes first. */
  #freeze(appender: Appender): void {
    this.#offered.delete(appender);
    this.#openAppends.delete(appender.run);
    const argument = appender.next();
    if (argument) this.#queue.push({ operation: { name: 'append', argument }, appender, callers: nobody });
  }

  #pauseFor(haste: Haste): number {
    if (this.#together < crowd) return haste === 'none' ? this.#pause : 0;
    return haste === 'great' && this.#together < multitude ? longestPause : framePause;
  }

  #beginAfter(pause: number): void {
    if (pause >= this.#wanted) return;
    this.#wanted = pause;
    if (this.#state === 'resting') this.#waitOrBegin();
  }

  #waitOrBegin(): void {
    clearTimeout(this.#timer);
    const wait = this.#began + this.#wanted - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => this.#waitOrBegin(), Math.ceil(wait));
      return;
    }
    this.#state = 'beginning';
    // Those who were just answered have their next request ready within this turn of the loop.
    setImmediate(this.#round);
  }

  readonly #round = (): void => {
    this.#state = 'under way';
    const isHurried = this.#wanted === 0;
    this.#wanted = Infinity;
    this.#began = performance.now();
    const isOfMany = this.#together >= multitude && this.#drained.length === 0;
    for (const [appender, from] of this.#offered)
      if (!isOfMany || from <= this.#began) this.#freeze(appender);
    const batch = this.#queue;
    const count = batch.length + this.#offered.size;
    this.#together = isHurried ? Math.max(this.#together, count) : count;
    if (this.#offered.size > 0) this.#wanted = framePause;
    this.#queue = [];
    this.#openAppends.clear();
    if (batch.length === 0) return this.#rest();
    this.#commit(
      batch.map(({ operation }) => operation),
      {
        done: (reply) => {
          settle(batch, reply);
          this.#rest();
        },
        failed: (thrown) => {
          fail(batch, thrown);
          this.#rest();
        },
      },
    );
  };

  #rest(): void {
    const took = performance.now() - this.#began;
    this.#pause = Math.min(Math.max(shortestPause, pauseOf * took), longestPause);
    this.#state = 'resting';
    if (!this.#isIdle) return this.#waitOrBegin();
    this.#wanted = Infinity;
    for (const resolve of this.#drained.splice(0)) resolve();
  }
}

const nobody: readonly Caller[] = [];

/** Appends of one run that follow each other become one chunk: if the first is refused, the second must be too. */
function join(item: Item, next: Append): boolean {
  const { name, argument } = item.operation;
  if (name !== 'append' || argument.ends || argument.fence.epoch !== next.fence.epoch) return false;
  if (argument.last !== next.head || argument.frames.length + next.frames.length > joinedSize) return false;
  const uses = [...(argument.uses ?? []), ...(next.uses ?? [])];
  const blobs = [...(argument.blobs ?? []), ...(next.blobs ?? [])];
  const frames = argument.frames + next.frames;
  const indexed = joinIndexed(argument.indexed, next.indexed);
  item.operation = { name, argument: { ...next, head: argument.head, frames, uses, blobs, indexed } };
  return true;
}

function settle(batch: readonly Item[], { results, refusals }: Reply): void {
  const refused = new Map(refusals.map(({ index, failure }) => [index, errorOf(failure)]));
  batch.forEach((item, index) => tell(item, refused.get(index), results[index]));
}

function fail(batch: readonly Item[], thrown: unknown): void {
  const failure =
    thrown instanceof RunError
      ? thrown
      : new RunError('unavailable', 'The commit failed.', { cause: thrown });
  for (const item of batch) tell(item, failure);
}

function tell({ appender, callers }: Item, failure: RunError | undefined, result?: unknown): void {
  for (const caller of callers) {
    if (failure) caller.reject(failure);
    else caller.resolve(result);
  }
  if (!appender) return;
  try {
    if (failure) appender.failed(failure);
    else appender.durable();
  } catch (bug) {
    // The others of this round are durable all the same, and hear of it.
    queueMicrotask(() => {
      throw bug;
    });
  }
}
