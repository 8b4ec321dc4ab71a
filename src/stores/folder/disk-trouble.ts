import { failureOf, RunError } from '../../run/failure.ts';
import { fullDisk } from '../sqlite/commit.ts';

/** What SQLite says where a file cannot be made, read or grown: SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN. */
const ofTheDisk = new Set([10, 13, 14]);

/** Whether something failed for want of a file that a full disk has no room for. */
export function isDiskTrouble(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && ofTheDisk.has(Number(thrown.errcode) & 0xff);
}

/** What failed in a folder because its disk is full says so, and which folder; anything else stays what it is. */
export function namingFullDisk<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const isFull = cause instanceof RunError ? false : failureOf(cause).code === 'unavailable';
    const why = isFull || isDiskTrouble(cause) ? fullDisk(folder) : undefined;
    throw why === undefined ? cause : new RunError('unavailable', why, { retryable: true, cause });
  }
}
