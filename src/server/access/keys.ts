import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { Role } from './caller.ts';
import { folderOwner, localTenant } from '../folder/home.ts';
import { makeDataFolder } from '../folder/data-folder.ts';
import { jsonIn } from './json-in.ts';

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
  expiresAt: z.number().exactOptional(),
  revokedAt: z.number().exactOptional(),
});
export type KeyRecord = z.infer<typeof KeyRecord>;

const KeyFile = z.strictObject({ version: z.literal(1), keys: z.array(KeyRecord) });

export function keyFileOf(folder: string): string {
  return join(folder, 'keys.json');
}

export type NewKey = Pick<KeyRecord, 'name' | 'tenant' | 'role' | 'expiresAt'>;

/** Make a key. It is told once, here, and kept nowhere. */
export function createKey(folder: string, given: NewKey, now: number): { record: KeyRecord; key: string } {
  const id = randomBytes(6).toString('hex');
  const key = `vit_${id}_${randomBytes(32).toString('base64url')}`;
  const record = { id, ...given, hash: digest(key).toString('hex'), createdAt: now };
  const added = changeKeys(folder, (keys) => {
    expectFree(keys, record);
    return { keys: [...keys, record], record };
  });
  return { record: added, key };
}

/** People of a tenant are told apart by the names of their keys. The owner of a folder may have lost theirs. */
function expectFree(keys: readonly KeyRecord[], { tenant, name, createdAt: now }: KeyRecord): void {
  const taken = keys.find(
    (key) =>
      key.tenant === tenant &&
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

/** Revoke a key by its id or by its name, if only one has it. */
export function revokeKey(folder: string, named: string, now: number): KeyRecord {
  return changeKeys(folder, (keys) => {
    const record = { ...meant(keys, named), revokedAt: now };
    return { keys: keys.map((key) => (key.id === record.id ? record : key)), record };
  });
}

function meant(keys: readonly KeyRecord[], named: string): KeyRecord {
  const found = keys.filter(
    ({ id, name, revokedAt }) => revokedAt === undefined && (id === named || name === named),
  );
  const [only] = found;
  if (only && found.length === 1) return only;
  const why = only ? `${found.length} keys are called so; give an id` : 'see «vitrine keys list»';
  throw new RunError('unknown', `There is no single key «${named}» to revoke: ${why}.`);
}

export function readKeys(folder: string): readonly KeyRecord[] {
  const file = keyFileOf(folder);
  if (!existsSync(file)) return [];
  const parsed = KeyFile.safeParse(jsonIn(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data.keys;
  throw new RunError(
    'malformed',
    `${file} is not a list of keys any more; restore it, or remove it and make new keys.`,
  );
}

interface Change {
  readonly keys: readonly KeyRecord[];
  /** The one it is about. */
  readonly record: KeyRecord;
}

/** One change at a time: of two at once the later would undo the earlier, and a revoked key would be good again. */
function changeKeys(folder: string, change: (keys: readonly KeyRecord[]) => Change): KeyRecord {
  makeDataFolder(folder);
  const file = keyFileOf(folder);
  const draft = `${file}.draft`;
  const open = openDraft(draft);
  try {
    const { keys, record } = change(readKeys(folder));
    writeSync(open, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`);
    fsyncSync(open);
    renameSync(draft, file);
    return record;
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  } finally {
    closeSync(open);
  }
}

function openDraft(draft: string): number {
  try {
    return openSync(draft, 'wx', 0o600);
  } catch (cause) {
    if (!existsSync(draft)) throw cause;
    const message = `Another command changes the keys right now: try again. If none does, remove ${draft}.`;
    throw new RunError('rejected', message, { retryable: true, cause });
  }
}

export function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
