import { RunError, failureOf } from '../run/failure.ts';
import type { Argument, OperationName } from './rules/rules.ts';
import type { Append, Chunk, Watcher, Store, Hint } from './store.ts';
import type { Page } from './rules/journal.ts';
import { type Tail, tailOfRun } from './tail.ts';

export interface Followers {
  follow(run: string, after: number, signal: AbortSignal): AsyncIterable<Chunk>;
  watch(run: string, after: number, watcher: Watcher): () => void;
  /** This operation is durable: from here on what it did may be seen. */
  show<Name extends OperationName>(name: Name, argument: Argument<Name>): void;
  /** Something may have happened to any run: ask the store. */
  lookAgain(): void;
  /** Whoever still follows fails. */
  close(): void;
}

/**
 * A follower is a position, never a queue: near the head it is served from the shared window, and from the store when it
 * has fallen out of it. So a slow one costs nothing and misses nothing.
 */
export function followers(read: Reading): Followers {
  const { followed, join, leave, forget } = places();
  let closed = false;

  const readIfOpen: Reading = async (run, after) => {
    if (!closed) return read(run, after);
    throw new RunError('unavailable', `The store was closed while run ${run} was followed.`);
  };
  async function* follow(run: string, after: number, signal: AbortSignal): AsyncGenerator<Chunk> {
    const place = join(run);
    const tail = (place.tail ??= tailOfRun());
    place.count += 1;
    try {
      for await (const page of pages({ run, after, signal, tail, read: readIfOpen })) {
        for (const chunk of page) {
          // What was read before the run was erased is given to nobody afterwards.
          if (signal.aborted || place.isErased) return;
          yield chunk;
        }
      }
    } finally {
      place.count -= 1;
      leave(run, place);
    }
  }

  return {
    follow,
    watch(run, after, watcher) {
      const place = join(run);
      const left = (): void => {
        place.watches.delete(watch);
        leave(run, place);
      };
      const watch = new Watch({ run, after, watcher, left, read: readIfOpen });
      place.watches.add(watch);
      watch.look();
      return () => watch.end();
    },
    show(name, argument) {
      if (name === 'append') {
        const append = argument as Argument<'append'>;
        const place = followed.get(append.fence.run);
        if (place) showAppend(place, append);
      } else if (name === 'erase') lookAgain(forget(argument as Argument<'erase'>));
    },
    lookAgain: () => followed.forEach((place) => lookAgain(place)),
    close() {
      closed = true;
      for (const place of followed.values()) lookAgain(place);
    },
  };
}

interface Places {
  readonly followed: ReadonlyMap<string, Followed>;
  join(this: void, run: string): Followed;
  /** Whoever was the last there has left. */
  leave(this: void, run: string, place: Followed): void;
  /** The run was erased: whoever follows it still is at another place than those who follow one of that name later. */
  forget(this: void, run: string): Followed | undefined;
}

function places(): Places {
  const followed = new Map<string, Followed>();
  return {
    followed,
    join(run) {
      const place = followed.get(run) ?? { tail: undefined, count: 0, isErased: false, watches: new Set() };
      followed.set(run, place);
      return place;
    },
    leave(run, place) {
      if (place.count === 0 && place.watches.size === 0 && followed.get(run) === place) followed.delete(run);
    },
    forget(run) {
      const place = followed.get(run);
      if (place) place.isErased = true;
      followed.delete(run);
      return place;
    },
  };
}

/** Those who follow one run: some wait for promises, and share a window; the others are called. */
interface Followed {
  /** Of those who wait for promises, once there is one. */
  tail: Tail | undefined;
  count: number;
  isErased: boolean;
  readonly watches: Set<Watch>;
}

interface Following {
  readonly run: string;
  readonly after: number;
  readonly signal: AbortSignal;
  readonly tail: Tail;
  readonly read: Reading;
}

async function* pages({ run, after, signal, tail, read }: Following): AsyncGenerator<readonly Chunk[]> {
  let position = after;
  let found = false;
  while (!signal.aborted) {
    // The window was joined before the first read, so an append between reading and waiting moves the version.
    const seen = tail.version();
    const page = tail.after(position) ?? (await read(run, position).catch((thrown) => erased(thrown, found)));
    found = true;
    position = page.chunks.at(-1)?.last ?? position;
    if (page.chunks.length > 0) yield page.chunks;
    if (page.ended) return;
    const isThere = page.isAll || page.chunks.length === 0;
    if (isThere && tail.version() === seen && !signal.aborted) await tail.change(signal);
  }
}

function showAppend(place: Followed, append: Append): void {
  const { fence, head, last, frames, ends = false } = append;
  if (last === head) {
    if (ends) lookAgain(place);
    return;
  }
  const chunk = { run: fence.run, first: head + 1, last, frames };
  if (place.count > 0) place.tail?.publish(chunk, ends);
  for (const watch of place.watches) watch.show(chunk, ends);
}

function lookAgain(place: Followed | undefined): void {
  place?.tail?.forget();
  for (const watch of place?.watches ?? []) watch.look();
}

export type Reading = (run: string, after: number) => Promise<Page>;

interface Settings {
  readonly run: string;
  readonly after: number;
  readonly watcher: Watcher;
  readonly read: Reading;
  /** Called once, when it is over. */
  readonly left: () => void;
}

/** What is kept of what is shown while the store is read: a read takes a moment, and few commits come in one. */
const mostAhead = 16;

interface Shown {
  readonly chunk: Chunk;
  readonly ends: boolean;
}

/**
 * A place in a run that is called with what comes after it. What follows its place it gets in the moment that is shown; else
 * it reads until it is there. What is shown meanwhile waits for its turn, so that it need not be read as well.
 */
export class Watch {
  readonly #settings: Settings;
  #position: number;
  #isReading = false;
  #isStale = false;
  #isOver = false;
  #isFound = false;
  #ahead: Shown[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#position = settings.after;
  }

  /** This was committed. */
  show(chunk: Chunk, ends: boolean): void {
    if (chunk.first === this.#position + 1) return this.#take(chunk, ends);
    if (this.#isReading && this.#ahead.length < mostAhead) this.#ahead.push({ chunk, ends });
    else this.look();
  }

  /** Only the store can tell how the run stands. */
  look(): void {
    this.#isStale = true;
    if (!this.#isReading && !this.#isOver) void this.#read();
  }

  /** Whoever watched has gone. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settings.left();
  }

  async #read(): Promise<void> {
    const { run, read } = this.#settings;
    this.#isReading = true;
    try {
      while (this.#isStale && !this.#isOver) {
        this.#isStale = false;
        const page = await read(run, this.#position).catch((thrown) => erased(thrown, this.#isFound));
        this.#isFound = true;
        const fresh = page.chunks.filter(({ last }) => last > this.#position);
        for (const chunk of fresh) this.#give(chunk);
        if (page.ended) this.#finish();
        // Only the store can tell what comes after that, unless it was shown.
        if (!this.#takeAhead()) this.#isStale ||= fresh.length > 0 && !page.isAll;
      }
    } catch (thrown) {
      this.#finish(thrown);
    }
    this.#isReading = false;
  }

  /** Whether anything that was shown is what comes next. Behind a hole there is more to read. */
  #takeAhead(): boolean {
    const next = this.#ahead.filter(({ chunk }) => chunk.last > this.#position);
    this.#ahead = [];
    for (const { chunk, ends } of next) {
      if (chunk.first === this.#position + 1) this.#take(chunk, ends);
      else this.#isStale = true;
    }
    return next.length > 0;
  }

  #take(chunk: Chunk, ends: boolean): void {
    this.#give(chunk);
    if (ends) this.#finish();
  }

  /** The place moves before the call, which may end this, and whose failure is its own. */
  #give(chunk: Chunk): void {
    if (this.#isOver) return;
    this.#isFound = true;
    this.#position = chunk.last;
    try {
      this.#settings.watcher.chunk(chunk);
    } catch (thrown) {
      this.#finish(thrown);
    }
  }

  #finish(failure?: unknown): void {
    if (this.#isOver) return;
    this.end();
    this.#settings.watcher.over(failure);
  }
}

/** A run that was there and is no longer has no more to give; one that never was is the caller's mistake. */
function erased(thrown: unknown, found: boolean): Page {
  if (found && failureOf(thrown).code === 'unknown') return { chunks: [], isAll: true, ended: true };
  throw thrown;
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
