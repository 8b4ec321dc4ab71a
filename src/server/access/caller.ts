import { Role } from '../../wire/native/endpoint.ts';

export { Role };

/** Who asks, as the door has let them in. */
export interface Caller {
  readonly tenant: string;
  readonly who: string;
  readonly role: Role;
  /** The key they came in with: when it is revoked, what they have open is closed. */
  readonly key?: string;
  /** Milliseconds since 1970, where what they came in with ends by itself. */
  readonly expiresAt?: number | undefined;
  /** Whether they came through the socket of the data folder, which only its owner can reach. */
  readonly isOwner?: boolean;
  /** The badge of their browser: when it signs out, what it has open is closed. */
  readonly badge?: { readonly id: string; readonly at: number };
}

export function mayAct(has: Role, needs: Role): boolean {
  return Role.options.indexOf(has) >= Role.options.indexOf(needs);
}
