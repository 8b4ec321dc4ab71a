import { RunError, failureOf } from '../run/failure.ts';
import type { Page } from './journal-rules.ts';
import type { Chunk } from './store.ts';
import { tailOfRun, type Tail } from './tail.ts';

export interface Followers {
  follow(run: string, after: number, signal: AbortSignal): AsyncIterable<Chunk>;
  /** A chunk is durable; `ends` when nothing follows it. */
  publish(chunk: Chunk, ends: boolean): void;
  /** Something may have happened to this run, or to every run: ask the store. */
  lookAgain(run?: string): void;
  /** Whoever still follows fails. */
  close(): void;
}

/**
 * A follower is a position, never a queue: near the head it is served from the shared window, and from the store when it
 * has fallen out of it. So a slow one costs nothing and misses nothing.
 */
export function followers(read: (run: string, after: number) => Promise<Page>): Followers {
  const followed = new Map<string, { readonly tail: Tail; count: number }>();
  let closed = false;

  async function* follow(run: string, after: number, signal: AbortSignal): AsyncGenerator<Chunk> {
    const place = followed.get(run) ?? { tail: tailOfRun(), count: 0 };
    followed.set(run, place);
    place.count += 1;
    try {
      for await (const page of pages(place.tail, { run, after, signal })) {
        for (const chunk of page) {
          if (signal.aborted) return;
          yield chunk;
        }
      }
    } finally {
      place.count -= 1;
      if (place.count === 0) followed.delete(run);
    }
  }

  async function* pages(tail: Tail, { run, after, signal }: Following): AsyncGenerator<readonly Chunk[]> {
    let position = after;
    let found = false;
    while (!signal.aborted) {
      if (closed) throw new RunError('unavailable', `The store was closed while run ${run} was followed.`);
      // The window was joined before the first read, so an append between reading and waiting moves the version.
      const seen = tail.version();
      const page =
        tail.after(position) ?? (await read(run, position).catch((thrown) => erased(thrown, found)));
      found = true;
      position = page.chunks.at(-1)?.last ?? position;
      if (page.chunks.length > 0) yield page.chunks;
      if (page.ended) return;
      if (page.chunks.length === 0 && tail.version() === seen && !signal.aborted) await tail.change(signal);
    }
  }

  return {
    follow,
    publish: (chunk, ends) => followed.get(chunk.run)?.tail.publish(chunk, ends),
    lookAgain(run) {
      for (const [name, { tail }] of followed) if (run === undefined || run === name) tail.forget();
    },
    close() {
      closed = true;
      for (const { tail } of followed.values()) tail.forget();
    },
  };
}

interface Following {
  readonly run: string;
  readonly after: number;
  readonly signal: AbortSignal;
}

/** A run that was there and is no longer has no more to give; one that never was is the caller's mistake. */
function erased(thrown: unknown, found: boolean): Page {
  if (found && failureOf(thrown).code === 'unknown') return { chunks: [], ended: true };
  throw thrown;
}
