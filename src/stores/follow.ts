import { RunError } from '../run/failure.ts';
import type { Argument, Operation } from './rules/rules.ts';
import type { Append, Chunk, Watcher } from './store.ts';
import { tailOfRun, type Tail } from './tail.ts';
import { erased, Watch, type Reading } from './watch.ts';

export interface Followers {
  follow(run: string, after: number, signal: AbortSignal): AsyncIterable<Chunk>;
  watch(run: string, after: number, watcher: Watcher): () => void;
  /** This operation is durable: from here on what it did may be seen. */
  show<Name extends Operation>(name: Name, argument: Argument<Name>): void;
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
    place.count += 1;
    try {
      for await (const page of pages({ run, after, signal, tail: place.tail, read: readIfOpen })) {
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
      const place = followed.get(run) ?? { tail: tailOfRun(), count: 0, isErased: false, watches: new Set() };
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
  readonly tail: Tail;
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
  if (place.count > 0) place.tail.publish(chunk, ends);
  for (const watch of place.watches) watch.show(chunk, ends);
}

function lookAgain(place: Followed | undefined): void {
  place?.tail.forget();
  for (const watch of place?.watches ?? []) watch.look();
}
