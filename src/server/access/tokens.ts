import { createPublicKey, randomBytes, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRemoteJWKSet, errors, jwtVerify, SignJWT, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { JwtSettings } from '../../catalog/server-settings.ts';
import { RunError } from '../../run/failure.ts';
import { Role, type Caller } from './caller.ts';

/** Reads a token of somebody else's making; undefined if it is not good. */
export type TokenReader = (token: string) => Promise<Caller | undefined>;

/** Clocks of two machines may differ by so many seconds. */
const tolerance = 30;

export function jwtReader(settings: JwtSettings): TokenReader {
  const key = keyOf(settings);
  const { issuer, audience, algorithms, tenant: claim } = settings;
  return async (token) => {
    const options = {
      issuer,
      audience,
      algorithms,
      clockTolerance: tolerance,
      requiredClaims: ['exp', 'sub'],
    };
    const verified = await (
      'verify' in key ? jwtVerify(token, key.verify, options) : jwtVerify(token, key.find, options)
    ).catch(expectTokenFault);
    return verified && callerIn(verified.payload, claim);
  };
}

function expectTokenFault(thrown: unknown): undefined {
  if (thrown instanceof RunError) throw thrown;
  return undefined;
}

/** Only what the configuration names is ever fetched: a token's own «jku» is not looked at. */
function publishedKeys(url: string): JWTVerifyGetKey {
  const find = createRemoteJWKSet(new URL(url));
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (cause) {
      if (tokenFaults.some((fault) => cause instanceof fault)) throw cause;
      // An issuer that does not answer must not look like a token that is not good.
      const message = 'The issuer of tokens does not answer, so nobody is recognised: try again in a moment.';
      throw new RunError('unavailable', message, { retryable: true, cause });
    }
  };
}

const tokenFaults = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

type Key = { readonly verify: Uint8Array | KeyObject } | { readonly find: JWTVerifyGetKey };

function keyOf({ secret, publicKey, jwks }: JwtSettings): Key {
  if (publicKey !== undefined) return { verify: publicKeyOf(publicKey) };
  if (jwks !== undefined) return { find: publishedKeys(jwks) };
  const name = secret?.env ?? '';
  const value = process.env[name] ?? '';
  if (value.length >= 32) return { verify: new TextEncoder().encode(value) };
  throw new RunError(
    'malformed',
    `auth.jwt.secret: the environment variable ${name} needs at least 32 characters.`,
  );
}

function publicKeyOf(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    const message =
      'auth.jwt.publicKey: it is no public key; give the whole PEM, its first and last line included.';
    throw new RunError('malformed', message, { cause });
  }
}

function callerIn(payload: JWTPayload, claim: string): Caller | undefined {
  const { sub, exp, role } = payload;
  const tenant = payload[claim];
  if (typeof tenant !== 'string' || tenant === '' || sub === undefined || exp === undefined) return undefined;
  const known = Role.safeParse(role ?? 'member');
  if (!known.success) return undefined;
  return { tenant, who: sub, role: known.data, expiresAt: exp * 1_000 };
}

/** What a browser that has signed in carries, since EventSource and WebSocket send no headers of their own. */
export interface Badges {
  issue(caller: Caller, now: number): Promise<string>;
  read(badge: string): Promise<Caller | undefined>;
}

const algorithm = 'HS256';
/** How long a browser stays signed in, in seconds. */
export const badgeLife = 12 * 60 * 60;

export function badgesOf(folder: string): Badges {
  const secret = secretOf(join(folder, 'badges.key'));
  return {
    issue({ tenant, who, role, key, expiresAt }, now) {
      const end = Math.floor(now / 1_000) + badgeLife;
      const until = expiresAt === undefined ? end : Math.min(end, Math.floor(expiresAt / 1_000));
      return new SignJWT({ tenant, role, ...(key === undefined ? {} : { key }) })
        .setProtectedHeader({ alg: algorithm })
        .setSubject(who)
        .setAudience('vitrine-badge')
        .setExpirationTime(until)
        .sign(secret);
    },
    async read(badge) {
      const options = { algorithms: [algorithm], audience: 'vitrine-badge', requiredClaims: ['exp', 'sub'] };
      const verified = await jwtVerify(badge, secret, options).catch(() => undefined);
      if (!verified) return undefined;
      const { key } = verified.payload;
      const caller = callerIn(verified.payload, 'tenant');
      return caller && typeof key === 'string' ? { ...caller, key } : caller;
    },
  };
}

/** It outlives the process: whoever watches when the server starts again must not have to sign in again. */
function secretOf(file: string): Uint8Array {
  if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600, flag: 'wx' });
  return new Uint8Array(readFileSync(file));
}
