import { RunError } from '../run/failure.ts';
import { ErasedRun, feedEvents, watchFeed, type FeedNews } from '../wire/native/feed.ts';
import { ListedRun } from '../wire/native/runs.ts';
import { ask, type ServerAddress } from './ask.ts';
import { comingBack, streamOf } from './stream.ts';

export interface FeedFrom {
  /** The place to go on after: `feed` of a list, or of what was told last. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Runs as they change, from a place on, until the signal aborts; whatever happens to the connection meanwhile. */
export async function* followFeed(
  server: ServerAddress,
  { after, signal = new AbortController().signal }: FeedFrom,
): AsyncGenerator<FeedNews> {
  const back = comingBack(server, signal);
  const headers = { accept: 'text/event-stream' };
  for (let place = after; !signal.aborted;) {
    try {
      const query = { after: place };
      const open = (either: AbortSignal) => ask(server, watchFeed, { query, headers, signal: either });
      for await (const piece of streamOf(server, open, { signal, told: back.told })) {
        if (piece instanceof Response) continue;
        back.isWell();
        for (const { id, event, data } of piece) {
          place = id;
          const news = newsIn(id, event, JSON.parse(data));
          if (news) yield news;
        }
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof RunError && thrown.failure.retryable !== true) throw thrown;
    }
    await back.wait();
  }
}

/** What a newer server tells besides is passed by. */
function newsIn(place: string, event: string, data: unknown): FeedNews | undefined {
  if (event === feedEvents.run) return { place, run: ListedRun.parse(data) };
  return event === feedEvents.erased ? { place, erased: ErasedRun.parse(data).run } : undefined;
}
