import type { Turn } from '../gateway.ts';
import { RunError } from '../../run/failure.ts';

type Headers = Readonly<Record<string, string>>;

/** The headers of a request for an event stream. What a user configures (`own`) wins over what a protocol needs. */
export function requestHeaders(turn: Turn, needed: Headers, own: Headers = {}): Record<string, string> {
  const named = Object.entries(own).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    // Counting bytes bounds memory only while a byte is a byte.
    'accept-encoding': 'identity',
    ...idempotencyHeader(turn),
    ...needed,
    ...Object.fromEntries(named),
  };
}

/** The key as a header may carry it, the same for every attempt. */
export function idempotencyHeader({ idempotencyKey }: Turn): { 'idempotency-key': string } {
  return { 'idempotency-key': idempotencyKey.toWellFormed().replace(/[^!-~]/gu, encodeURIComponent) };
}

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

/** An address below `baseUrl`, whose own path and query stay. */
export function urlBelow(baseUrl: string, path: string, example: string): URL {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RunError('malformed', `baseUrl "${baseUrl}" is no address; give one like ${example}.`);
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url;
}

/** What stands after the origin, as a request names it. */
export function pathOf(url: URL): string {
  return url.pathname + url.search;
}
