import { AsyncLocalStorage } from 'node:async_hooks';
import type { Take, Telling } from '../../gateways/gateway.ts';

/**
 * Reads until the stream ends, `take` has enough, or the signal aborts. A stream that does not listen to its signal is
 * left behind. True if it was `take` that had enough.
 */
export async function readStream(chunks: Telling, signal: AbortSignal, take: Take): Promise<boolean> {
  const cut = Promise.withResolvers<never>();
  const end = (): void => cut.reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    // Chunks are brought by a connection that many share: what they set off is the reader's all the same.
    const read = chunks.each ? chunks.each(AsyncLocalStorage.bind(take)) : readAll(chunks, signal, take);
    return await Promise.race([read, cut.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function readAll(chunks: Telling, signal: AbortSignal, take: Take): Promise<boolean> {
  for await (const chunk of chunks) {
    if (signal.aborted) return false;
    const taken = take(chunk);
    // To wait where there is nothing to wait for costs a turn of the loop for each piece of text.
    if (typeof taken === 'boolean' ? taken : await taken) return true;
  }
  return false;
}
