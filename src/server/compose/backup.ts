import { chmodSync, copyFileSync, readdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { RunError } from '../../run/failure.ts';
import { backUpRuns } from '../../stores/folder/backup.ts';
import { verify, type Verified } from '../../stores/folder/verify.ts';
import { makeDataFolder } from '../folder/data-folder.ts';

/** What belongs to a process that works in a folder, or is copied in another way. */
const left = /^(vitrine\.db|lock\.db|high-water|holder\.json|control\.sock|vitrine\.log)|\.(new|draft)$/;

/** Copy a data folder, also while a server works in it, and check the copy. The folder itself does not change. */
export function backUpFolder(folder: string, into: string): Verified {
  const [from, target] = [resolve(folder), resolve(into)];
  if (`${target}${sep}`.startsWith(`${from}${sep}`))
    throw new RunError(
      'malformed',
      `${target} is in the folder it would be a copy of: choose a folder elsewhere.`,
    );
  makeDataFolder(target);
  backUpRuns(from, target);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!entry.isFile() || left.test(entry.name)) continue;
    copyFileSync(join(from, entry.name), join(target, entry.name));
    chmodSync(join(target, entry.name), 0o600);
  }
  return verify(target, true);
}
