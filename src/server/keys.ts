import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { RunError } from '../run/failure.ts';
import { Role } from './caller.ts';

/** A key without the key: only its hash is kept. */
export const KeyRecord = z.strictObject({
  id: z.string(),
  name: z.string(),
  tenant: z.string(),
  role: Role,
  /** SHA-256 of the whole key. It has 256 bits of chance in it, so nobody can guess their way back. */
  hash: z.string(),
  createdAt: z.number(),
  revokedAt: z.number().exactOptional(),
});
export type KeyRecord = z.infer<typeof KeyRecord>;

const KeyFile = z.strictObject({ version: z.literal(1), keys: z.array(KeyRecord) });

const fileName = 'keys.json';

export type NewKey = Pick<KeyRecord, 'name' | 'tenant' | 'role'>;

/** Make a key. It is told once, here, and kept nowhere. */
export function createKey(
  folder: string,
  { name, tenant, role }: NewKey,
  now: number,
): { record: KeyRecord; key: string } {
  const id = randomBytes(6).toString('hex');
  const key = `vit_${id}_${randomBytes(32).toString('base64url')}`;
  const record = { id, name, tenant, role, hash: digest(key).toString('hex'), createdAt: now };
  writeKeys(folder, [...readKeys(folder), record]);
  return { record, key };
}

/** Revoke a key by its id or by its name, if only one has it. */
export function revokeKey(folder: string, named: string, now: number): KeyRecord {
  const keys = readKeys(folder);
  const meant = keys.filter(
    ({ id, name, revokedAt }) => revokedAt === undefined && (id === named || name === named),
  );
  const [only] = meant;
  if (!only || meant.length > 1) {
    const why = only ? `${meant.length} keys are called so; give an id` : 'see «vitrine keys list»';
    throw new RunError('unknown', `There is no single key «${named}» to revoke: ${why}.`);
  }
  const revoked = { ...only, revokedAt: now };
  writeKeys(
    folder,
    keys.map((key) => (key.id === only.id ? revoked : key)),
  );
  return revoked;
}

export function readKeys(folder: string): readonly KeyRecord[] {
  const file = join(folder, fileName);
  if (!existsSync(file)) return [];
  const parsed = KeyFile.safeParse(jsonOf(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data.keys;
  throw new RunError(
    'malformed',
    `${file} is not a list of keys any more; restore it, or remove it and make new keys.`,
  );
}

/** The keys of a folder as a running server sees them: what another process changes is seen soon. */
export interface Keyring {
  find(key: string): KeyRecord | undefined;
  isGood(id: string): boolean;
  readonly isEmpty: boolean;
  /** Look whether the file has changed; true if it has. */
  reload(): boolean;
}

export function keyringOf(folder: string): Keyring {
  let stamp = '';
  let keys = new Map<string, KeyRecord>();
  const reload = (): boolean => {
    const now = stampOf(join(folder, fileName));
    if (now === stamp) return false;
    keys = new Map(readKeys(folder).map((record) => [record.id, record]));
    stamp = now;
    return true;
  };
  const isGood = (id: string): boolean => {
    const record = keys.get(id);
    return record !== undefined && record.revokedAt === undefined;
  };
  reload();
  return {
    reload,
    isGood,
    get isEmpty() {
      return ![...keys.keys()].some(isGood);
    },
    find(key) {
      const [, id = ''] = /^vit_([0-9a-f]{12})_[\w-]{43}$/.exec(key) ?? [];
      // A key may have been made a moment ago.
      if (id !== '' && !keys.has(id)) reload();
      const record = keys.get(id);
      if (!record || !isGood(id)) return undefined;
      return timingSafeEqual(digest(key), Buffer.from(record.hash, 'hex')) ? record : undefined;
    },
  };
}

function writeKeys(folder: string, keys: readonly KeyRecord[]): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, fileName);
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`, { mode: 0o600 });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : '';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What it says is wrong is said by the schema.
    return undefined;
  }
}
