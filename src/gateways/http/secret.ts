import { RunError } from '../../run/failure.ts';

/** A key, or where it is read from each time it is needed. */
export type Secret = string | (() => string);

export function readSecret(secret: Secret, who: string): string {
  if (typeof secret === 'string') return secret;
  try {
    return secret();
  } catch (cause) {
    const how = cause instanceof RunError ? `: ${cause.message}` : '.';
    throw new RunError('unauthenticated', `The key for ${who} cannot be read${how}`, { cause });
  }
}
