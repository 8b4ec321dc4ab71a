import type { FastifyError } from 'fastify';
import { failureOf, RunError, statusOf, type Failure } from '../../run/failure.ts';

/** How a thrown value is told to a client: no stack, no path, nothing that is not meant for them. */
export interface Refusal {
  readonly status: number;
  readonly failure: Failure;
  /** Whether it is a bug, which the log must have. */
  readonly isBug: boolean;
}

export function refusalOf(thrown: unknown, hidden: readonly string[]): Refusal {
  const expected = thrown instanceof RunError ? thrown : fromFramework(thrown);
  const failure = failureOf(expected);
  const message = withoutPaths(failure.message, hidden);
  return {
    status: statusOf[failure.code],
    failure: { ...failure, message },
    isBug: failure.code === 'internal',
  };
}

/** What is longer than its route takes is refused with how long it may be. */
export function inBytes(
  thrown: unknown,
  { isFile, most }: { readonly isFile: boolean; readonly most: number },
): unknown {
  if (!isFrameworkError(thrown) || thrown.statusCode !== 413) return thrown;
  const [what, fix] = isFile ? ['file', 'a smaller one'] : ['the body', 'less at once'];
  return new RunError('too-large', `It does not fit: ${what}: more than ${most} bytes; send ${fix}.`);
}

/** Sentences are made so that they can be read without the path they name: «The data folder /a/b was deleted». */
export function withoutPaths(text: string, paths: readonly string[]): string {
  return paths.reduce((left, path) => left.replaceAll(` ${path} `, ' ').replaceAll(path, '…'), text);
}

/** What the framework refuses is as expected as what we refuse; its words may quote what they should not. */
function fromFramework(thrown: unknown): unknown {
  if (hasLeft(thrown)) return new RunError('malformed', 'The request ended before its body did.');
  if (!isFrameworkError(thrown)) return thrown;
  const { statusCode = 500 } = thrown;
  if (statusCode === 415)
    return new RunError(
      'malformed',
      'The «Content-Type» of the body is not taken here: send JSON as «application/json».',
    );
  if (statusCode === 404) return new RunError('unknown', 'There is nothing at this address.');
  if (statusCode >= 400 && statusCode < 500) return new RunError('malformed', 'The request cannot be read.');
  return thrown;
}

function isFrameworkError(thrown: unknown): thrown is FastifyError {
  return thrown instanceof Error && 'code' in thrown && String(thrown.code).startsWith('FST_');
}

/** Whoever went away in the middle of a body: the framework reads it, and says whose fault that is. */
function hasLeft(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('statusCode' in thrown)) return false;
  return thrown.code === 'ECONNRESET' && thrown.statusCode === 400;
}
