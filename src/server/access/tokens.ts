import { createPublicKey, type KeyObject } from 'node:crypto';
import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { JwtSettings } from '../../catalog/server-settings.ts';
import { RunError } from '../../run/failure.ts';
import { localTenant } from '../folder/home.ts';
import { Role } from './honest.ts';
import type { Caller } from './honest.ts';

/** Reads a token of somebody else's making; undefined if it is not good. */
export type TokenReader = (token: string) => Promise<Caller | undefined>;

/** Clocks of two machines may differ by so many seconds. */
const tolerance = 30;

/** `refused` hears of tokens of the issuer that name somebody who cannot be told from others. */
export function jwtReader(settings: JwtSettings, refused: (why: RunError) => void): TokenReader {
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
    const fault = verified && faultIn(verified.payload, claim);
    if (fault === undefined) return verified && callerIn(verified.payload, claim);
    refused(fault);
    throw fault;
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

/** Why the names in a token must not be used: with them one could pass for another. */
function faultIn(payload: JWTPayload, claim: string): RunError | undefined {
  const tenant = payload[claim];
  const unclear = ['sub', claim].find((name) => !isClear(payload[name]));
  if (unclear !== undefined)
    return new RunError(
      'unauthenticated',
      `The «${unclear}» of this token is missing or empty, or has blanks, characters that cannot be seen or letters of another width in it: give the token a plain one.`,
    );
  // What is the terminal's belongs to whoever owns the folder: no issuer elsewhere can give it to anybody.
  if (String(tenant).toLowerCase() === localTenant)
    return new RunError(
      'unauthenticated',
      `The tenant «${localTenant}» is the terminal's, and no token can name it: give the token another.`,
    );
  return undefined;
}

const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

function isClear(name: unknown): boolean {
  return typeof name === 'string' && name !== '' && !unseen.test(name) && name === name.normalize('NFKC');
}

function callerIn(payload: JWTPayload, claim: string): Caller | undefined {
  const { sub, exp, role } = payload;
  const tenant = payload[claim];
  if (typeof tenant !== 'string' || sub === undefined || exp === undefined) return undefined;
  const known = Role.safeParse(role ?? 'member');
  if (!known.success) return undefined;
  return { tenant, who: sub, role: known.data, expiresAt: exp * 1_000 };
}
