import { RunError } from '../run/failure.ts';
import { sseReader } from '../wire/sse.ts';
import { brokenOff, type ServerAddress } from './ask.ts';

/** How long to wait before coming back, the first time unless the server says so, and at most. Milliseconds. */
const firstPause = 250;
const longestPause = 5_000;
/** A server that is away for longer may say so. */
const longestRetry = 60_000;
/** The server says something at least every 25 seconds: a connection that is silent for so long is dead. */
const silence = 60_000;
const largestFrame = 64 * 1024 * 1024;

/** What the server says of coming back. */
export interface Told {
  retry: number;
}

interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** One connection, as long as it holds: its response, and then the frames that arrive together. */
export async function* streamOf(
  server: ServerAddress,
  open: (signal: AbortSignal) => Promise<Response>,
  { signal, told }: { readonly signal: AbortSignal; readonly told: Told },
): AsyncGenerator<Response | readonly Frame[]> {
  const dead = new AbortController();
  let heard = true;
  const watch = setInterval(() => {
    if (!heard) dead.abort();
    heard = false;
  }, silence);
  try {
    const either = AbortSignal.any([signal, dead.signal]);
    const response = await open(either);
    expectStream(server, response);
    yield response;
    const reader = sseReader(largestFrame);
    const body = response.body?.getReader();
    either.addEventListener('abort', () => void body?.cancel().catch(() => {}), { once: true });
    for (;;) {
      const piece = await body?.read().catch((cause: unknown) => {
        throw brokenOff(server, cause);
      });
      if (!piece || piece.done) return;
      heard = true;
      const frames: Frame[] = [];
      reader.read(piece.value, ({ id, event, data }) => frames.push({ id, event, data }));
      told.retry = Math.min(reader.retry ?? told.retry, longestRetry);
      if (frames.length > 0) yield frames;
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

export interface ComingBack {
  readonly told: Told;
  /** Something came: the next pause is the first. */
  readonly isWell: () => void;
  readonly wait: () => Promise<void>;
}

/** How long to wait before coming back. Thousands may have been cut off at once: they come back one after the other. */
export function comingBack({ gone }: ServerAddress, signal: AbortSignal): ComingBack {
  const enough = gone ? AbortSignal.any([signal, gone]) : signal;
  const told = { retry: 0 };
  let pause = firstPause;
  return {
    told,
    isWell: () => (pause = firstPause),
    async wait() {
      const { retry } = told;
      await waitFor(Math.max(retry, pause / 2) + Math.max(retry, pause) * Math.random(), enough);
      pause = Math.min(pause * 2, longestPause);
    },
  };
}

function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
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
