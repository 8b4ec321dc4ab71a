import type { Catalog } from '../../engine/world.ts';
import type { Feed, FeedItem, FeedPlace } from '../../stores/store.ts';
import { feedEvents } from '../../wire/native/feed.ts';
import { listedRun } from '../routes/route.ts';
import type { Sink } from './viewer.ts';

/** Into a silence, so that whatever is between us sees that the connection lives. Milliseconds. */
const beat = 25_000;
/** Runs that are read at once for one of them. */
const page = 50;

/** The apps whose runs are not there for whoever follows, now. */
type HiddenApps = () => Promise<ReadonlySet<string>>;

export interface FeedViewers {
  /** What changed after a place, then what changes. Who does not keep up is read for again when they do. */
  follow(from: FeedPlace, sink: Sink, hidden?: HiddenApps): void;
  /** Whoever follows is told to come back. */
  close(): void;
}

interface Settings {
  readonly feed: Pick<Feed, 'follow'>;
  readonly catalog: Catalog;
  readonly clean: (text: string) => string;
  readonly failed: (thrown: unknown) => void;
}

export function feedViewers({ feed, catalog, clean, failed }: Settings): FeedViewers {
  const closing = new AbortController();
  const viewers = new Set<Sink>();
  const beating = setInterval(() => {
    for (const sink of viewers) sink.beat(false);
  }, beat);
  beating.unref();
  const tell = async (from: FeedPlace, sink: Sink, hidden: HiddenApps): Promise<void> => {
    const { signal, room } = reading(sink, closing.signal);
    try {
      for await (const items of feed.follow({ ...from, limit: page }, signal)) {
        const apart = await hidden();
        const shown = items.filter(({ row }) => !row || !apart.has(row.app));
        const isTaken = sink.write(sink.form(clean(shown.map((item) => frameOf(item, catalog)).join(''))));
        if (!isTaken) await room();
      }
    } catch (thrown) {
      failed(thrown);
    } finally {
      viewers.delete(sink);
      sink.end('reconnect');
    }
  };
  return {
    follow(from, sink, hidden = async () => new Set()) {
      viewers.add(sink);
      void tell(from, sink, hidden);
    },
    close() {
      clearInterval(beating);
      closing.abort();
    },
  };
}

interface Reading {
  /** Aborts when they have gone, or all are sent away. */
  readonly signal: AbortSignal;
  /** Resolves when they take more, or there is nobody to give it to. */
  readonly room: () => Promise<void>;
}

function reading(sink: Sink, closing: AbortSignal): Reading {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, closing]);
  let drained = (): void => {};
  sink.listen({ drained: () => drained(), gone: () => gone.abort() });
  signal.addEventListener('abort', () => drained(), { once: true });
  return { signal, room: () => new Promise((resolve) => (signal.aborted ? resolve() : (drained = resolve))) };
}

function frameOf({ place, run, row }: FeedItem, catalog: Catalog): string {
  const [event, data] = row ? [feedEvents.run, listedRun(row, catalog)] : [feedEvents.erased, { run }];
  return `id: ${place}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
