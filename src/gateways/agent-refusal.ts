import { RunError } from '../run/failure.ts';
import type { Refusal } from './ask-again.ts';

/**
 * Whether an agent has certainly not acted, so that it may be asked again: the request never left, or it was refused in
 * so many words. Anything else, also a 502 of somebody in between, may come after the deed.
 */
export function isUntouched({ isSent, status, wait }: Refusal): boolean {
  return !isSent || status === 429 || (status === 503 && wait !== undefined);
}

/** The failure of a turn that an agent did not take, saying whether it may have acted all the same. */
export function agentFailure(refusal: Refusal): RunError {
  const { code, message } = refusal.error.failure;
  const cause = { cause: refusal.error };
  if (isUntouched(refusal)) return new RunError(code, message, { retryable: true, ...cause });
  const { status = 200 } = refusal;
  const isRefused = status >= 400 && status < 500 && status !== 408;
  const doubt = isRefused ? '' : ' It may have acted on the message all the same.';
  return new RunError(code, message + doubt, { retryable: false, ...cause });
}
