import { RunError, failureOf } from '../run/failure.ts';
import type { Page } from './rules/journal.ts';
import type { Argument, Operation } from './rules/rules.ts';
import type { Append, Chunk } from './store.ts';
import { tailOfRun, type Tail } from './tail.ts';

export interface Followers {
  follow(run: string, after: number, signal: AbortSignal): AsyncIterable<Chunk>;
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
  const followed = new Map<string, { readonly tail: Tail; count: number }>();
  let closed = false;

  const readIfOpen: Reading = async (run, after) => {
    if (!closed) return read(run, after);
    throw new RunError('unavailable', `The store was closed while run ${run} was followed.`);
  };

  async function* follow(run: string, after: number, signal: AbortSignal): AsyncGenerator<Chunk> {
    const place = followed.get(run) ?? { tail: tailOfRun(), count: 0 };
    followed.set(run, place);
    place.count += 1;
    try {
      for await (const page of pages({ run, after, signal, tail: place.tail, read: readIfOpen })) {
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

  return {
    follow,
    show(name, argument) {
      if (name === 'append') {
        const append = argument as Argument<'append'>;
        const place = followed.get(append.fence.run);
        if (place) showAppend(place.tail, append);
      } else if (name === 'erase') followed.get(argument as Argument<'erase'>)?.tail.forget();
    },
    lookAgain() {
      for (const { tail } of followed.values()) tail.forget();
    },
    close() {
      closed = true;
      for (const { tail } of followed.values()) tail.forget();
    },
  };
}

type Reading = (run: string, after: number) => Promise<Page>;

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
    if (page.chunks.length === 0 && tail.version() === seen && !signal.aborted) await tail.change(signal);
  }
}

function showAppend(tail: Tail, { fence, head, last, frames, ends = false }: Append): void {
  if (last > head) tail.publish({ run: fence.run, first: head + 1, last, frames }, ends);
  else if (ends) tail.forget();
}

/** A run that was there and is no longer has no more to give; one that never was is the caller's mistake. */
function erased(thrown: unknown, found: boolean): Page {
  if (found && failureOf(thrown).code === 'unknown') return { chunks: [], ended: true };
  throw thrown;
}
