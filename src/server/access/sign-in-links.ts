import { createHash, randomBytes } from 'node:crypto';
import type { Caller } from './honest.ts';

/** Links that sign a browser in, once. */
export interface SignInLinks {
  /** What stands in the link. */
  make(caller: Caller, now: number): string;
  /** Whom it signs in; undefined if it was used, is too old, or is none. */
  take(ticket: string, now: number): Caller | undefined;
}

/** How long a link is good for, in milliseconds. */
export const linkLife = 10 * 60 * 1_000;

export function signInLinks(): SignInLinks {
  const open = new Map<string, { readonly caller: Caller; readonly until: number }>();
  return {
    make(caller, now) {
      const ticket = randomBytes(32).toString('base64url');
      open.set(digestOf(ticket), { caller, until: now + linkLife });
      return ticket;
    },
    take(ticket, now) {
      const name = digestOf(ticket);
      const found = open.get(name);
      open.delete(name);
      return found && now < found.until ? found.caller : undefined;
    },
  };
}

/** Looked up by its digest: how long that takes tells nothing about the ticket. */
function digestOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex');
}
