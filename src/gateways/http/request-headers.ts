import type { Turn } from '../gateway.ts';
import { idempotencyHeader } from './idempotency-header.ts';

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
