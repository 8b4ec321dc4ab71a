import { decodeAll } from '../run/codec.ts';
import type { Entry } from '../run/events.ts';
import { RunError } from '../run/failure.ts';
import { sseReader } from '../wire/sse.ts';
import { ask, type ServerAddress } from './ask.ts';
import type { Showing } from './shapes.ts';

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
}

const everything: Showing = { stages: 'nested', names: '*', depth: '*' };

/**
 * The entries of a run after a cursor, as they come, until it ends: each once and in order, whatever happens to the
 * connection or the server meanwhile. Each yield is what arrived together.
 */
export async function* followEntries(
  server: ServerAddress,
  { run, after = 0, showing, signal = new AbortController().signal }: Following,
): AsyncGenerator<readonly Entry[]> {
  const told = { retry: 0 };
  let cursor = after;
  let pause = firstPause;
  while (!signal.aborted) {
    try {
      for await (const entries of connection(server, { run, after: cursor, showing, signal }, told)) {
        const fresh = entries.filter(({ seq }) => seq > cursor);
        const last = fresh.at(-1);
        if (!last) continue;
        if (showing === 'everything') expectNext(run, cursor, fresh);
        cursor = last.seq;
        pause = firstPause;
        yield fresh;
        if (last.event.type === 'run.ended') return;
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (thrown instanceof EndOfRun) return;
      if (thrown instanceof RunError && thrown.failure.retryable !== true) throw thrown;
    }
    // Thousands may have been cut off at once: they come back one after the other.
    const { retry } = told;
    await wait(Math.max(retry, pause / 2) + Math.max(retry, pause) * Math.random(), signal);
    pause = Math.min(pause * 2, longestPause);
  }
}

class EndOfRun extends Error {}

/** One connection, as long as it holds. What the server says of coming back is written down. */
async function* connection(
  server: ServerAddress,
  { run, after, showing, signal }: Required<Following>,
  told: { retry: number },
): AsyncGenerator<readonly Entry[]> {
  const dead = new AbortController();
  let heard = true;
  const watch = setInterval(() => {
    if (!heard) dead.abort();
    heard = false;
  }, silence);
  try {
    const path = `/api/runs/${encodeURIComponent(run)}/events`;
    const headers = { accept: 'text/event-stream' };
    const either = AbortSignal.any([signal, dead.signal]);
    const query = { after, ...(showing === 'everything' ? everything : showing) };
    const response = await ask(server, { path, query, headers }, either);
    if (response.status === 204) throw new EndOfRun();
    expectStream(server, response);
    const reader = sseReader(largestFrame);
    const body = response.body?.getReader();
    for (;;) {
      const piece = await body?.read();
      if (!piece || piece.done) return;
      heard = true;
      const entries: Entry[] = [];
      reader.read(piece.value, ({ id, data }) => entries.push(...decodeAll(`id: ${id}\ndata: ${data}\n\n`)));
      told.retry = Math.min(reader.retry ?? told.retry, longestRetry);
      if (entries.length > 0) yield entries;
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
