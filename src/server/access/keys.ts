import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { Shared } from '../../stores/store.ts';
import { changeShared, listShared, type Kind } from '../shared/kind.ts';
import { Role } from './honest.ts';
import { folderOwner, localTenant } from '../folder/home.ts';

/** A key without the key: only its hash is kept. */
export const KeyRecord = z.strictObject({
  id: z.string(),
  name: z.string(),
  tenant: z.string(),
  role: Role,
  /** SHA-256 of the whole key. It has 256 bits of chance in it, so nobody can guess their way back. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  createdAt: z.number(),
  /** From then on it is not good any more. Milliseconds since 1970. */
  expiresAt: z.number().optional(),
  revokedAt: z.number().optional(),
});
export type KeyRecord = z.infer<typeof KeyRecord>;

/** The keys of each tenant are one value: whether a name is free is then decided by one at a time. */
export const keysKind: Kind<readonly KeyRecord[]> = { kind: 'keys', schema: z.array(KeyRecord) };

/** The name of what a tenant has only one of. */
const only = '';

export type NewKey = Pick<KeyRecord, 'name' | 'tenant' | 'role' | 'expiresAt'>;

export interface MadeKey {
  readonly record: KeyRecord;
  /** The key itself: it is told once, and kept nowhere. */
  readonly key: string;
}

export function newKey(given: NewKey, now: number): MadeKey {
  const id = randomBytes(6).toString('hex');
  const key = `vit_${id}_${randomBytes(32).toString('base64url')}`;
  return { record: { id, ...given, hash: digest(key).toString('hex'), createdAt: now }, key };
}

/** Make a key. */
export async function createKey(shared: Shared, given: NewKey, now: number): Promise<MadeKey> {
  const made = newKey(given, now);
  await changeShared(shared, { kind: keysKind, tenant: given.tenant, name: only }, (keys = []) => {
    expectFree(keys, made.record);
    return [...keys, made.record];
  });
  return made;
}

/** People of a tenant are told apart by the names of their keys. The owner of a folder may have lost theirs. */
function expectFree(keys: readonly KeyRecord[], { tenant, name, createdAt: now }: KeyRecord): void {
  const taken = keys.find(
    (key) =>
      key.name === name &&
      key.revokedAt === undefined &&
      (key.expiresAt === undefined || key.expiresAt > now),
  );
  if (!taken || (name === folderOwner && tenant === localTenant)) return;
  throw new RunError(
    'rejected',
    `Key ${taken.id} of tenant «${tenant}» is called «${name}» already: choose another name, or revoke that key first.`,
  );
}

/** Whether somebody came by keys, and none of them is good any more. */
export async function hasLeft(
  shared: Shared,
  { tenant, who }: { readonly tenant: string; readonly who: string },
  now: number,
): Promise<boolean> {
  const own = (await readKeys(shared)).filter((key) => key.tenant === tenant && key.name === who);
  const isGood = ({ revokedAt, expiresAt = Infinity }: KeyRecord): boolean =>
    revokedAt === undefined && expiresAt > now;
  return own.length > 0 && !own.some(isGood);
}

/** Revoke a key by its id or by its name, if only one has it. */
export async function revokeKey(shared: Shared, named: string, now: number): Promise<KeyRecord> {
  const { id, tenant } = meant(await readKeys(shared), named);
  const keys = await changeShared(shared, { kind: keysKind, tenant, name: only }, (known = []) =>
    known.map((key) => (key.id === id ? { revokedAt: now, ...key } : key)),
  );
  return meant(keys, id, true);
}

function meant(keys: readonly KeyRecord[], named: string, isRevoked = false): KeyRecord {
  const found = keys.filter(
    ({ id, name, revokedAt }) => (revokedAt !== undefined) === isRevoked && (id === named || name === named),
  );
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const why = only ? `${found.length} keys are called so; give an id` : 'see «vitrine keys list»';
  throw new RunError('unknown', `There is no single key «${named}» to revoke: ${why}.`);
}

/** All keys, of every tenant. */
export async function readKeys(shared: Pick<Shared, 'list'>): Promise<readonly KeyRecord[]> {
  return (await listShared(shared, keysKind)).flatMap(({ value }) => value);
}

export function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
