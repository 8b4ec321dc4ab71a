import { entryOf } from '../run/codec.ts';
import type { Entry } from '../run/events.ts';
import { failureOf, RunError, type Failure } from '../run/failure.ts';
import type { Showing } from '../wire/native/query.ts';
import { headHeader, watchRun } from '../wire/native/runs.ts';
import { sseReader } from '../wire/sse.ts';
import { ask, type ServerAddress } from './ask.ts';

/** How long to wait before coming back, the first time unless the server says so, and at most. Milliseconds. */
const firstPause = 250;
const longestPause = 5_000;
/** A server that is away for longer may say so. */
const longestRetry = 60_000;
/** The server says something at least every 25 seconds: a connection that is silent for so long is dead. */
const silence = 60_000;
const largestFrame = 64 * 1024 * 1024;

export interface Following {
  readonly run: string;
  /** The last entry that was seen. */
  readonly after?: number;
  /** What to show, or everything that is recorded. */
  readonly showing: Showing | 'everything';
  readonly signal?: AbortSignal;
  /** A stream of the run that is there already, to be read first. */
  readonly begun?: Response;
}

const everything: Showing = { stages: 'nested', names: '*', depth: '*' };

/** What whoever follows a run learns: that the server answers and how far the run has come, what happened, that it is away. */
export type News =
  | { readonly is: 'joined'; readonly head: number }
  | { readonly is: 'entries'; readonly entries: readonly Entry[] }
  | { readonly is: 'away'; readonly failure?: Failure };

/**
 * The entries of a run after a cursor, as they come, until it ends: each once and in order, whatever happens to the
 * connection or the server meanwhile. What comes with one piece of news arrived together.
 */
export async function* followRun(server: ServerAddress, following: Following): AsyncGenerator<News> {
  const { run, showing, signal = new AbortController().signal } = following;
  const told = { retry: 0 };
  let { after: cursor = 0, begun } = following;
  let pause = firstPause;
  while (!signal.aborted) {
    const failed: { failure?: Failure } = {};
    try {
      for await (const news of connection(server, { ...following, after: cursor, signal, begun }, told)) {
        if (news.is !== 'entries') {
          yield news;
          continue;
        }
        const fresh = news.entries.filter(({ seq }) => seq > cursor);
        const last = fresh.at(-1);
        if (!last) continue;
        if (showing === 'everything') expectNext(run, cursor, fresh);
        cursor = last.seq;
        pause = firstPause;
        yield { is: 'entries', entries: fresh };
        if (last.event.type === 'run.ended') return;
      }
    } catch (thrown) {
      if (signal.aborted || thrown instanceof EndOfRun) return;
      if (thrown instanceof RunError && thrown.failure.retryable !== true) throw thrown;
      failed.failure = failureOf(thrown);
    }
    begun = undefined;
    yield { is: 'away', ...failed };
    // Thousands may have been cut off at once: they come back one after the other.
    const { retry } = told;
    await wait(Math.max(retry, pause / 2) + Math.max(retry, pause) * Math.random(), signal);
    pause = Math.min(pause * 2, longestPause);
  }
}

/** The entries alone. */
export async function* followEntries(
  server: ServerAddress,
  following: Following,
): AsyncGenerator<readonly Entry[]> {
  for await (const news of followRun(server, following)) if (news.is === 'entries') yield news.entries;
}

class EndOfRun extends Error {}

interface Connecting extends Omit<Following, 'begun' | 'signal'> {
  readonly begun: Response | undefined;
  readonly signal: AbortSignal;
}

/** One connection, as long as it holds. What the server says of coming back is written down. */
async function* connection(
  server: ServerAddress,
  { run, after, showing, signal, begun }: Connecting,
  told: { retry: number },
): AsyncGenerator<News> {
  const dead = new AbortController();
  let heard = true;
  const watch = setInterval(() => {
    if (!heard) dead.abort();
    heard = false;
  }, silence);
  try {
    const either = AbortSignal.any([signal, dead.signal]);
    const query = { after: String(after), ...(showing === 'everything' ? everything : showing) };
    const headers = { accept: 'text/event-stream' };
    const response = begun ?? (await ask(server, watchRun, { of: { run }, query, headers, signal: either }));
    if (response.status === 204) throw new EndOfRun();
    expectStream(server, response);
    yield { is: 'joined', head: Number(response.headers.get(headHeader) ?? 0) };
    const reader = sseReader(largestFrame);
    const body = response.body?.getReader();
    either.addEventListener('abort', () => void body?.cancel().catch(() => {}), { once: true });
    for (;;) {
      const piece = await body?.read();
      if (!piece || piece.done) return;
      heard = true;
      const entries: Entry[] = [];
      reader.read(piece.value, ({ id, data }) => entries.push(entryOf(Number(id), data)));
      told.retry = Math.min(reader.retry ?? told.retry, longestRetry);
      if (entries.length > 0) yield { is: 'entries', entries };
    }
  } finally {
    clearInterval(watch);
    dead.abort();
  }
}

/** Something else answers at this address: it would do so again and again. */
function expectStream({ url }: ServerAddress, { headers }: Response): void {
  if (headers.get('content-type')?.startsWith('text/event-stream')) return;
  throw new RunError('unavailable', `${url} answered something else than a stream: is it a Vitrine server?`);
}

/** A gap in what is recorded is a loss; in what is shown it is what is not shown. */
function expectNext(run: string, cursor: number, [first]: readonly Entry[]): void {
  if (first?.seq === cursor + 1) return;
  throw new RunError('unavailable', `Run ${run} went from entry ${cursor} to ${first?.seq}.`, {
    retryable: true,
  });
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}
