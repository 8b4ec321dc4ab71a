import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sync as writeWhole } from 'write-file-atomic';
import { RunError } from '../../run/failure.ts';
import { isBusy } from '../sqlite/busy.ts';

/** Long enough for two that start at the same moment to sort themselves out. */
const patience = 250;

/**
 * One writer for a folder: an exclusive transaction on a file of its own, held as long as the process lives. The system
 * lets go of it however the process ends, so there is nothing stale to clean up. Returns what releases it.
 */
export function lockFolder(folder: string): () => void {
  const holder = join(folder, 'holder.json');
  const lock = new DatabaseSync(join(folder, 'lock.db'), { timeout: patience });
  try {
    chmodSync(join(folder, 'lock.db'), 0o600);
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw cause;
    throw new RunError(
      'rejected',
      `The folder ${folder} is in use by ${holderOf(folder)}: stop it first, or choose another folder.`,
      { cause },
    );
  }
  try {
    return named(holder, lock);
  } catch (thrown) {
    lock.close();
    throw thrown;
  }
}

/** Says who has the lock. Returns what takes that back, and releases it. */
function named(holder: string, lock: DatabaseSync): () => void {
  const self = { pid: process.pid, host: hostname(), since: new Date().toISOString(), lock: randomUUID() };
  const name = `${JSON.stringify(self)}\n`;
  writeWhole(holder, name, { mode: 0o600 });
  return () => {
    try {
      // Where the folder was deleted and made anew meanwhile, another has its name there: in a file that may be the same inode again.
      if (existsSync(holder) && readFileSync(holder, 'utf8') === name) rmSync(holder, { force: true });
    } finally {
      lock.close();
    }
  };
}

/** Who has the lock of a folder, in words. */
export function holderOf(folder: string): string {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(join(folder, 'holder.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    return `process ${String(pid)} on ${String(host)} since ${String(since)}`;
  } catch {
    // The holder has the lock and has not written its name yet.
    return 'another process that has only just started';
  }
}
