import { accessSync, constants, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isDiskTrouble } from './disk-trouble.ts';

const busyMilliseconds = 5_000;

export interface ReadOnly {
  readonly database: DatabaseSync;
  readonly close: () => void;
}

/**
 * Opens a database beside whoever writes it. `untouched` is for copies: not even the small files that readers and writers
 * share are made beside it. On a disk that cannot be written, or is full, there is no other way.
 */
export function openReadOnly(path: string, folder: string, untouched = false): ReadOnly {
  const shared = untouched || !isWritable(folder) ? undefined : sharing(path);
  if (shared) return plain(shared);
  const wal = `${path}-wal`;
  if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) === 0) return plain(immutable(path));
  // What was committed last is still in the WAL, and SQLite reads that only where it can write.
  const draft = mkdtempSync(join(tmpdir(), 'vitrine-copy-'));
  const copy = join(draft, basename(path));
  copyFileSync(path, copy);
  copyFileSync(wal, `${copy}-wal`);
  const database = new DatabaseSync(copy, beside);
  return {
    database,
    close() {
      database.close();
      rmSync(draft, { recursive: true });
    },
  };
}

const beside = { readOnly: true, timeout: busyMilliseconds };

/** With whoever writes; undefined where nobody does, and a full disk has no room for what would be shared. */
function sharing(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, beside);
  try {
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    return database;
  } catch (thrown) {
    // What makes no sense is told by whoever reads it.
    if (!isDiskTrouble(thrown)) return database;
    database.close();
    return undefined;
  }
}

function immutable(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, beside);
}

function plain(database: DatabaseSync): ReadOnly {
  return { database, close: () => database.close() };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
