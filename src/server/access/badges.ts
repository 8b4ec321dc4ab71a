import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { failureOf } from '../../run/failure.ts';
import { Role } from './honest.ts';
import type { Caller, Lock } from './honest.ts';
import type { Shared } from '../../stores/store.ts';
import { changeShared, type Kind } from '../shared/kind.ts';
import type { SharedStore } from '../shared/watched-kind.ts';
import { endedBadges } from './ended-badges.ts';

/** What a browser that has signed in carries, since EventSource and WebSocket send no headers of their own. */
export interface Badges {
  issue(caller: Caller, now: number): Promise<string>;
  /** Whose it is; undefined if it is not good, or not under this lock. */
  read(badge: string): Promise<Caller | undefined>;
  /** End the badge somebody came in with, wherever else it is carried. */
  end(caller: Caller, now: number): Promise<void>;
  isEnded(caller: Caller): boolean;
  /** Look who has signed out elsewhere. */
  lookAgain(): Promise<void>;
}

const algorithm = 'HS256';
const audience = 'vitrine-badge';
/** Bytes. */
const secretLength = 32;
/** How long a browser stays signed in, in seconds. */
export const badgeLife = 12 * 60 * 60;

const Claims = z.object({
  tenant: z.string().min(1),
  role: Role,
  sub: z.string(),
  exp: z.number(),
  jti: z.string(),
  /** When it was given out: milliseconds since 1970. */
  at: z.number(),
  lock: z.string(),
  key: z.string().optional(),
});

/** Loaded for whoever signs in: most requests come with a key, or with nothing. */
const jose = () => import('jose');

export async function badgesOf(store: SharedStore, lock: Lock): Promise<Badges> {
  const secret = await secretOf(store.shared);
  const ended = await endedBadges(store);
  return {
    async issue({ tenant, who, role, key, expiresAt }, now) {
      const { SignJWT } = await jose();
      const end = Math.floor(now / 1_000) + badgeLife;
      const until = expiresAt === undefined ? end : Math.min(end, Math.floor(expiresAt / 1_000));
      return new SignJWT({ tenant, role, at: now, lock: lock.id, key })
        .setProtectedHeader({ alg: algorithm })
        .setJti(randomBytes(16).toString('base64url'))
        .setSubject(who)
        .setAudience(audience)
        .setExpirationTime(until)
        .sign(secret);
    },
    async read(badge) {
      const { jwtVerify } = await jose();
      const verified = await jwtVerify(badge, secret, { algorithms: [algorithm], audience }).catch(
        () => undefined,
      );
      const claims = Claims.safeParse(verified?.payload);
      if (!claims.success || claims.data.lock !== lock.id) return undefined;
      const { tenant, role, sub: who, exp, jti, at, key } = claims.data;
      const badged = { tenant, role, who, expiresAt: exp * 1_000, badge: { id: jti, at } };
      return key === undefined ? badged : { ...badged, key };
    },
    end: (caller, now) => ended.add(caller, now),
    isEnded: (caller) => ended.has(caller),
    lookAgain: () => ended.lookAgain(),
  };
}

/** What signs badges, in base64. */
export const badgeSecret: Kind<string> = { kind: 'badge secret', schema: z.string() };

/**
 * It outlives the process: whoever watches when the server starts again must not have to sign in again. All processes have
 * the same one: a browser that signed in at one is known at all.
 */
async function secretOf(shared: Shared): Promise<Uint8Array> {
  const made = randomBytes(secretLength).toString('base64');
  const place = { kind: badgeSecret, tenant: '', name: '' };
  try {
    return bytesOf(await changeShared(shared, place, (kept = made) => (isWhole(kept) ? kept : made)));
  } catch (thrown) {
    // Where there is no space it is good for as long as this process.
    if (failureOf(thrown).code !== 'unavailable') throw thrown;
    return bytesOf(made);
  }
}

/** One that was cut off could be guessed. */
export function isWhole(secret: string): boolean {
  return bytesOf(secret).length === secretLength;
}

function bytesOf(secret: string): Uint8Array {
  return new Uint8Array(Buffer.from(secret, 'base64'));
}
