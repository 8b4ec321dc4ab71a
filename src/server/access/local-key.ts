import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sync as writeWhole } from 'write-file-atomic';
import { folderOwner, localTenant } from '../folder/home.ts';
import type { Keyring } from './keyring.ts';
import type { Shared } from '../../stores/store.ts';
import { createKey } from './keys.ts';

/** Where the key is that a server made for whoever owns its folder. */
export function localKeyFile(folder: string): string {
  return join(folder, 'local.key');
}

/** The key of whoever owns the folder; undefined where none was made. */
export function readLocalKey(folder: string): string | undefined {
  const file = localKeyFile(folder);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

export interface KeyPlace {
  readonly folder: string;
  readonly shared: Shared;
  readonly keyring: Keyring;
}

/** See to it that whoever owns the folder has a good key. It is in a file that only they can read, and nowhere else. */
export async function ensureLocalKey({ folder, shared, keyring }: KeyPlace, now: number): Promise<string> {
  const kept = readLocalKey(folder);
  if (kept !== undefined && (await keyring.find(kept))) {
    chmodSync(localKeyFile(folder), 0o600);
    return kept;
  }
  const { key } = await createKey(shared, { name: folderOwner, tenant: localTenant, role: 'operator' }, now);
  writeWhole(localKeyFile(folder), `${key}\n`, { mode: 0o600 });
  await keyring.lookAgain();
  return key;
}
