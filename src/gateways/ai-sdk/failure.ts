import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { cleaner, failureOfError, failureOfStatus, wordsOf } from '../chat/attempt.ts';
import { codeIn, connectionFailed, retryAfter } from '../http/event-channel.ts';

/** What provider packages throw. They are told by their fields, since each brings its own copy of the classes. */
const ProviderError = z.object({
  name: z.string(),
  message: z.string(),
  statusCode: z.number().optional(),
  isRetryable: z.boolean().optional(),
  responseHeaders: z.record(z.string(), z.string()).optional(),
  responseBody: z.string().optional(),
});

const clean = cleaner([]);
const malformedNames = new Set(['AI_JSONParseError', 'AI_TypeValidationError']);

/** Upstream's own words for a piece the provider package could not read, when `error` is about such a piece. */
export function malformedPiece(error: unknown): string | undefined {
  const parsed = ProviderError.safeParse(error);
  return parsed.success && malformedNames.has(parsed.data.name) ? clean(parsed.data.message) : undefined;
}

/** The failure that something thrown or reported by a provider package stands for. */
export function failureOfProvider(
  who: string,
  error: unknown,
): { error: RunError; wait?: number | undefined } {
  if (error instanceof RunError) return { error };
  const parsed = ProviderError.safeParse(error);
  if (!parsed.success) return { error: failureOfError(who, error, clean) };
  const { name, message, statusCode, isRetryable, responseHeaders = {}, responseBody = '' } = parsed.data;
  const words = clean(responseBody === '' ? message : wordsOf(responseBody));
  if (statusCode !== undefined && statusCode !== 200) {
    return { error: failureOfStatus(who, statusCode, words), wait: retryAfter(responseHeaders) };
  }
  if (name === 'AI_APICallError' || /^(terminated|fetch failed|network error)$/i.test(message)) {
    // The words of the system name the address, which is for the log.
    const failure = new RunError('unavailable', `${connectionFailed(who, codeIn(error))}.`, {
      retryable: isRetryable ?? true,
      cause: error,
    });
    return { error: failure };
  }
  return { error: new RunError('unavailable', `${who} failed: ${words}.`, { cause: error }) };
}
