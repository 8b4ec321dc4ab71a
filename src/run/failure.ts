// Threads and short commands start with this file, so it must not bring the schemas along.
import type { Failure, FailureCode } from './failure-schema.ts';

export type { Failure, FailureCode };

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
  damaged: 500,
  unready: 503,
} as const satisfies Record<FailureCode, number>;

interface FailureOptions extends Pick<Failure, 'retryable' | 'after' | 'where' | 'problems'> {
  readonly cause?: unknown;
  /** Whoever was asked was lost before saying how it went. Where it may not be repeated, a person decides. */
  readonly isLost?: boolean;
}

/** Carries a failure to the one place that catches it: the engine or the route. */
export class RunError extends Error {
  readonly failure: Failure;
  readonly isLost: boolean;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RunError';
    this.isLost = options.isLost ?? false;
    this.failure = { code, message, ...saidIn(options) };
  }
}

/** It becomes a part of what flows return and steps record, which is JSON: what is not said is not there. */
function saidIn({ retryable, after, where, problems }: FailureOptions): Partial<Failure> {
  const said = Object.entries({ retryable, after, where, problems });
  return Object.fromEntries(said.filter(([, value]) => value !== undefined));
}

/** A failure that was recorded, or came from another thread or process, as something to throw. */
export function errorOf({ code, message, ...more }: Failure): RunError {
  return new RunError(code, message, more);
}

/** A failure in a sentence for people, who may look at the line it comes from. */
export function sentenceOf({ message, where }: Failure): string {
  return where === undefined ? message : `${message} (${where})`;
}

/**
 * The failure a thrown value stands for. Anything but a `RunError` is a bug, and clients learn nothing of it; but for a
 * full disk, which may be met wherever something is written, and is nobody's bug.
 */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof RunError) return thrown.failure;
  if (isFullDisk(thrown))
    return {
      code: 'unavailable',
      message: 'The disk is full: make room there, then try again.',
      retryable: true,
    };
  return { code: 'internal', message: 'Something went wrong inside Vitrine; the log has the details.' };
}

/** SQLite's word for it is a number; to watch files fails with the same word as to write them, and is another thing. */
function isFullDisk(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { code, errcode, syscall } = thrown as { code?: unknown; errcode?: unknown; syscall?: unknown };
  return ((code === 'ENOSPC' || code === 'EDQUOT') && syscall !== 'watch') || errcode === 13;
}
