import { statfsSync, statSync, readFileSync, openSync, writeSync, fsyncSync, closeSync } from 'node:fs';
import { ownWrites, type Part } from '../sqlite/commit.ts';
import { sync as writeWhole } from 'write-file-atomic';
import { syncFolder } from './sync.ts';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/** Less than this on a disk is as good as nothing. Bytes. */
const leastSpace = 1 << 20;

/** What can become of a folder while somebody works in it. */
export interface FolderPlace {
  /** Why what is written there now is not kept; undefined while it is. */
  lost(): string | undefined;
  /** Why nothing more can be written there; undefined while it can. */
  full(): string | undefined;
  /** What was written there up to now, this process has written. */
  note(): void;
  close(): void;
}

/**
 * Remembers which file a path stands for. Whoever has a file open goes on writing to it after it was deleted: everything
 * would be acknowledged, and nothing of it be there when the process ends. `parts` are those that every commit changes.
 */
export function placeOfFolder(folder: string, file: string, parts: readonly Part[]): FolderPlace {
  const own = ownWrites(file, parts);
  const { dev, ino } = statSync(file);
  return {
    note: () => own.note(),
    close: () => own.close(),
    lost() {
      const found = statSync(file, { throwIfNoEntry: false });
      if (found?.dev === dev && found.ino === ino)
        return own.isForeign(found) ? overwritten(folder) : undefined;
      const what = found ? 'was replaced by another' : 'was deleted or moved away';
      return `The data folder ${folder} ${what} while this process works in it: nothing that is written now would be kept. Bring it back, or start again.`;
    },
    full: () => fullDisk(folder),
  };
}

function overwritten(folder: string): string {
  return `The database in ${folder} was written over by another program while this process works in it: nothing more is written there. End this process, put a good copy of the whole folder back, and start again.`;
}

/** Why nothing more can be written in a folder; undefined while it can. */
export function fullDisk(folder: string): string | undefined {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= leastSpace) return undefined;
  return `The disk of the data folder ${folder} is full: make room there.`;
}

/**
 * How many commits were acknowledged, kept outside the database. SQLite takes a damaged end of its WAL for the end: it
 * opens without a word and without what was acknowledged. Only something outside can tell that commits are missing.
 */
export interface HighWater {
  /** Before a commit is acknowledged, and after it is durable: so the mark is never ahead of what a crash leaves. */
  raise(commits: number): void;
  close(): void;
}

/** Undefined when there is none; `torn` when it cannot be believed. */
export function readHighWater(path: string): number | 'torn' | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined;
    throw thrown;
  }
  const commits = Number(text.slice(0, 16));
  return text === line(commits) ? commits : 'torn';
}

/**
 * Appears whole or not at all; then written in place and not fsynced: the mark must outlive the process, and after a
 * power failure an older mark is only less watchful, never wrong.
 */
export function highWater(path: string, commits: number): HighWater {
  writeWhole(path, line(commits), { mode: 0o600 });
  syncFolder(dirname(path));
  const file = openSync(path, 'r+');
  const bytes = Buffer.from(line(commits), 'latin1');
  return {
    raise(count) {
      bytes.write(line(count), 'latin1');
      writeSync(file, bytes, 0, bytes.length, 0);
    },
    close() {
      fsyncSync(file);
      closeSync(file);
    },
  };
}

function line(commits: number): string {
  const digits = String(commits).padStart(16, '0');
  return `${digits} ${crc32(digits).toString(16).padStart(8, '0')}\n`;
}
