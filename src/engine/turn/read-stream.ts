/**
 * Reads until the stream ends, `take` has enough, or the signal aborts. A stream that does not listen to its signal is
 * left behind. True if it was `take` that had enough.
 */
export async function readStream<T>(
  chunks: AsyncIterable<T>,
  signal: AbortSignal,
  take: (chunk: T) => boolean | Promise<boolean>,
): Promise<boolean> {
  const cut = Promise.withResolvers<never>();
  const end = (): void => cut.reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([readAll(chunks, signal, take), cut.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function readAll<T>(
  chunks: AsyncIterable<T>,
  signal: AbortSignal,
  take: (chunk: T) => boolean | Promise<boolean>,
): Promise<boolean> {
  for await (const chunk of chunks) {
    if (signal.aborted) return false;
    const taken = take(chunk);
    // To wait where there is nothing to wait for costs a turn of the loop for each piece of text.
    if (typeof taken === 'boolean' ? taken : await taken) return true;
  }
  return false;
}
