import { RunError } from '../run/failure.ts';
import type { Refusal } from './http/event-channel.ts';
import type { Turn } from './gateway.ts';

/**
 * Whether an agent may be asked again here: it has certainly not acted, or to act twice under one key does no harm and what
 * went wrong may pass. Whoever has waited a whole timeout is not made to wait another one.
 */
export function mayRepeat({ isRepeatable = false }: Turn, refusal: Refusal): boolean {
  const { error, isBeforeAnswer } = refusal;
  const { code, retryable = false } = error.failure;
  if (isUntouched(refusal)) return true;
  return isRepeatable && isBeforeAnswer && retryable && code !== 'timed-out';
}

/** The failure of a turn that an agent did not take, saying whether it may have acted all the same. */
export function agentFailure({ isRepeatable = false }: Turn, refusal: Refusal): RunError {
  const { code, message, retryable } = refusal.error.failure;
  const cause = { cause: refusal.error };
  if (isUntouched(refusal)) return new RunError(code, message, { retryable: true, ...cause });
  if (isRepeatable) return new RunError(code, message, { retryable, ...cause });
  const { status = 200 } = refusal;
  const isRefused = status >= 400 && status < 500 && status !== 408;
  const doubt = isRefused ? '' : ' It may have acted on the message all the same.';
  return new RunError(code, message + doubt, { retryable: false, ...cause });
}

/**
 * Whether it has certainly not acted: the request never left, or it was refused in so many words. Anything else, also a
 * 502 of somebody in between, may come after the deed.
 */
function isUntouched({ isSent, status, wait }: Refusal): boolean {
  return !isSent || status === 429 || (status === 503 && wait !== undefined);
}
