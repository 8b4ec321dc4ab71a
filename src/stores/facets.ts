import type { Followers } from './follow.ts';
import { followFeed } from './follow-feed.ts';
import type { Argument, Operation, Read, Result, Write } from './rules/rules.ts';
import type {
  Appender,
  Blobs,
  Definitions,
  Dispatch,
  Feed,
  Journal,
  Mailbox,
  Shared,
  Store,
  Hint,
} from './store.ts';

/** Carries operations to where the rows are. Those of one run arrive in the order of the calls. */
export interface Carrier {
  write<Name extends Write>(name: Name, argument: Argument<Name>): Promise<Result<Name>>;
  read<Name extends Read>(name: Name, argument: Argument<Name>): Promise<Result<Name>>;
  /** See `Journal.offer`. */
  offer?(appender: Appender, isAwaited: boolean): void;
  /** What the clock says that `now` of the rules is read from. */
  time(): Promise<number>;
}

/** What changes nothing. */
interface Reading {
  readonly journal: Pick<Journal, 'read' | 'follow' | 'watch'>;
  readonly dispatch: Pick<Dispatch, 'get' | 'find' | 'list' | 'unfinished' | 'questions' | 'count' | 'flows'>;
  readonly mailbox: Pick<Mailbox, 'pending'>;
  readonly blobs: Pick<Blobs, 'get' | 'held'>;
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
      offer: carrier.offer && ((appender, isAwaited) => carrier.offer?.(appender, isAwaited)),
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

const notOfOneRun: ReadonlySet<Operation> = new Set([
  'claim',
  'renew',
  'list',
  'feed',
  'unfinished',
  'count',
  'blob',
  'held',
]);

/** The run an operation is about; undefined when it is about no single one. */
export function runOfOperation<Name extends Operation>(
  name: Name,
  argument: Argument<Name>,
): string | undefined {
  if (notOfOneRun.has(name)) return undefined;
  const about: Argument<Operation> = argument;
  if (about === undefined) return undefined;
  if (typeof about === 'string') return about;
  if ('fence' in about) return about.fence.run;
  if ('owner' in about) return about.owner.run;
  return 'run' in about ? about.run : undefined;
}

export interface Hints extends Pick<Store, 'listen'> {
  readonly give: (hints: readonly Hint[]) => void;
}

interface Listener {
  readonly hear: (hint: Hint) => void;
  readonly types: readonly Hint['type'][] | undefined;
}

/** Hints are heard a moment later, so that a listener that fails cannot make a durable commit look like a failed one. */
export function hintsToListeners(): Hints {
  const listeners = new Set<Listener>();
  return {
    listen(hear, types) {
      const listener = { hear: hear as Listener['hear'], types };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    give(hints) {
      if (hints.length > 0) queueMicrotask(() => tellAll(listeners, hints));
    },
  };
}

function tellAll(listeners: ReadonlySet<Listener>, hints: readonly Hint[]): void {
  for (const hint of hints)
    for (const { hear, types } of listeners) {
      if (types && !types.includes(hint.type)) continue;
      try {
        hear(hint);
      } catch (bug) {
        // The others hear of it all the same.
        queueMicrotask(() => {
          throw bug;
        });
      }
    }
}
