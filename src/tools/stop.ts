import { RunError } from '../run/failure.ts';
import type { ToolContext } from './tool.ts';

/** What a call that was stopped fails with: the reason of whoever stopped it, as a failure people can read. */
export function stopped(name: string, signal: AbortSignal): RunError {
  const reason: unknown = signal.reason;
  if (reason instanceof RunError) return reason;
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    return new RunError('timed-out', `${name} took longer than it may.`, { retryable: true, cause: reason });
  }
  return new RunError('rejected', `${name} was stopped before it finished.`, { cause: reason });
}

/** Does the work, but never waits for it once the signal says stop: work that ignores the signal is left behind. */
export async function orStopped<T>(
  name: string,
  signal: AbortSignal,
  work: () => T | Promise<T>,
): Promise<T> {
  if (signal.aborted) throw stopped(name, signal);
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(stopped(name, signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, begin(work)]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Does the work with a limit of its own; only when that limit was the cause is the failure `timed-out: sentence`. */
export async function within<T>(
  limit: { readonly milliseconds: number; readonly sentence: string },
  context: ToolContext,
  work: (context: ToolContext) => Promise<T>,
): Promise<T> {
  const late = AbortSignal.timeout(limit.milliseconds);
  const signal = AbortSignal.any([context.signal, late]);
  try {
    return await work(underSignal(context, signal));
  } catch (error) {
    if (late.aborted && !context.signal.aborted) {
      throw new RunError('timed-out', limit.sentence, { cause: error });
    }
    throw error;
  }
}

function underSignal(context: ToolContext, signal: AbortSignal): ToolContext {
  const { idempotencyKey, tenant, run } = context;
  return {
    idempotencyKey,
    tenant,
    run,
    signal,
    say: (text) => context.say(text),
    attach: (item) => context.attach(item),
  };
}

// A function that throws before it returns a promise must lose the race, not skip it.
async function begin<T>(work: () => T | Promise<T>): Promise<T> {
  return work();
}
