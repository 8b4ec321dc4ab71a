import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jwtVerify, SignJWT } from 'jose';
import { sync as writeWhole } from 'write-file-atomic';
import { z } from 'zod';
import { failureOf } from '../../run/failure.ts';
import { Role, type Caller } from './caller.ts';
import { endedBadges } from './ended-badges.ts';
import type { Lock } from './lock.ts';

/** What a browser that has signed in carries, since EventSource and WebSocket send no headers of their own. */
export interface Badges {
  issue(caller: Caller, now: number): Promise<string>;
  /** Whose it is; undefined if it is not good, or not under this lock. */
  read(badge: string): Promise<Caller | undefined>;
  /** End the badge somebody came in with, wherever else it is carried. */
  end(caller: Caller, now: number): void;
  isEnded(caller: Caller): boolean;
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
  key: z.string().exactOptional(),
});

export function badgesOf(folder: string, lock: Lock): Badges {
  const secret = secretOf(join(folder, 'badges.key'));
  const ended = endedBadges(join(folder, 'signed-out.json'));
  return {
    issue({ tenant, who, role, key, expiresAt }, now) {
      const end = Math.floor(now / 1_000) + badgeLife;
      const until = expiresAt === undefined ? end : Math.min(end, Math.floor(expiresAt / 1_000));
      return new SignJWT({ tenant, role, at: now, lock: lock.id, ...(key === undefined ? {} : { key }) })
        .setProtectedHeader({ alg: algorithm })
        .setJti(randomBytes(16).toString('base64url'))
        .setSubject(who)
        .setAudience(audience)
        .setExpirationTime(until)
        .sign(secret);
    },
    async read(badge) {
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
  };
}

/** It outlives the process: whoever watches when the server starts again must not have to sign in again. */
function secretOf(file: string): Uint8Array {
  const kept = existsSync(file) ? new Uint8Array(readFileSync(file)) : undefined;
  // One that a full disk cut off could be guessed.
  if (kept?.length === secretLength) return kept;
  const made = new Uint8Array(randomBytes(secretLength));
  try {
    writeWhole(file, Buffer.from(made), { mode: 0o600 });
  } catch (thrown) {
    // Where there is no space it is good for as long as this process.
    if (failureOf(thrown).code !== 'unavailable') throw thrown;
  }
  return made;
}
