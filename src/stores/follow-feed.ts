import type { Feed, FeedItem, FeedPlace, Store } from './store.ts';

/** A hint may get lost: so long after the last look it is looked again. Milliseconds. */
const lookAfter = 15_000;

interface Source extends Pick<Store, 'listen'> {
  readonly feed: Pick<Feed, 'read'>;
}

/** What changed after a place, and then what changes: told of by hints, read from the feed. */
export async function* followFeed(
  { feed, listen }: Source,
  { tenant, after, limit }: FeedPlace,
  signal: AbortSignal,
): AsyncGenerator<readonly FeedItem[]> {
  let isStale = true;
  let wake = (): void => {};
  const unlisten = listen(
    (hint) => {
      if (hint.tenant !== tenant) return;
      isStale = true;
      wake();
    },
    ['changed'],
  );
  try {
    for (let place = after; !signal.aborted;) {
      isStale = false;
      const { items } = await feed.read({ tenant, after: place, limit });
      place = items.at(-1)?.place ?? place;
      if (items.length > 0) yield items;
      else if (!isStale) await waiting((resolve) => (wake = resolve), signal);
    }
  } finally {
    unlisten();
  }
}

/** Until somebody calls, the signal aborts, or it is time to look all the same. */
function waiting(called: (wake: () => void) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, lookAfter);
    timer.unref();
    signal.addEventListener('abort', end, { once: true });
    called(end);
    if (signal.aborted) end();
  });
}
