import { z } from 'zod';

/** What can go wrong, and the HTTP status that says so. The only place where the two meet. */
export const statusOf = {
  malformed: 400,
  unauthenticated: 401,
  refused: 403,
  unknown: 404,
  rejected: 409,
  'too-large': 413,
  'over-budget': 429,
  disabled: 501,
  unavailable: 502,
  'timed-out': 504,
  internal: 500,
} as const;

export const FailureCode = z.enum([
  'malformed',
  'unauthenticated',
  'refused',
  'unknown',
  'rejected',
  'too-large',
  'over-budget',
  'disabled',
  'unavailable',
  'timed-out',
  'internal',
] satisfies (keyof typeof statusOf)[]);
export type FailureCode = z.infer<typeof FailureCode>;

/** A failure we expect, as plain data: it goes into the journal and to clients. */
export const Failure = z.object({
  code: FailureCode,
  message: z.string(),
  retryable: z.boolean().optional(),
});
export type Failure = z.infer<typeof Failure>;

/** Carries a failure to the one place that catches it: the engine or the route. */
export class RunError extends Error {
  readonly failure: Failure;

  constructor(code: FailureCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RunError';
    this.failure = {
      code,
      message,
      ...(options.retryable === undefined ? {} : { retryable: options.retryable }),
    };
  }
}

/** The failure a thrown value stands for. Anything but a `RunError` is a bug, and clients learn nothing of it. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof RunError) return thrown.failure;
  return { code: 'internal', message: 'Something went wrong inside Vitrine; the log has the details.' };
}
