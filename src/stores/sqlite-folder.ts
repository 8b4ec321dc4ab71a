import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RunError } from '../run/failure.ts';
import { lockFolder } from './folder-lock.ts';
import { highWater, readHighWater, type HighWater } from './high-water.ts';
import { createDatabase, schemaVersion } from './sqlite-schema.ts';

const busyMilliseconds = 5_000;

export interface WriterFolder {
  readonly database: DatabaseSync;
  readonly mark: HighWater;
  /** What the owner should know about the folder. */
  readonly notices: readonly string[];
  close(): void;
}

/** Opens a folder as its only writer. Whatever is wrong with it is found before anything in it is changed. */
export function openForWriting(folder: string): WriterFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(folder);
  try {
    const notices = inspect(folder);
    if (!existsSync(databaseOf(folder))) {
      // Before the database: one without a mark has lost it.
      highWater(markOf(folder), 0).close();
      createDatabase(databaseOf(folder));
    }
    const database = new DatabaseSync(databaseOf(folder), { timeout: busyMilliseconds });
    database.exec(pragmas);
    const mark = highWater(markOf(folder), commitsOf(database));
    return {
      database,
      mark,
      notices,
      close() {
        database.close();
        mark.close();
        unlock();
      },
    };
  } catch (thrown) {
    unlock();
    throw thrown;
  }
}

/** Opens a folder beside whoever writes it, or when nobody does. */
export function openForReading(folder: string): DatabaseSync {
  if (!existsSync(databaseOf(folder))) {
    throw new RunError(
      'unknown',
      `There are no runs in ${folder}: start one there, or choose another folder.`,
    );
  }
  inspect(folder);
  return readOnly(folder);
}

/** FULL: every commit is fsynced before it returns. Deleted text is overwritten, so that erasing erases. */
const pragmas = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA wal_autocheckpoint = 4000;
PRAGMA secure_delete = ON;
PRAGMA cache_size = -16000;
PRAGMA temp_store = MEMORY;
`;

/**
 * Looks without touching: closing a writable database would fold a damaged WAL into it and delete the evidence. Only
 * through SQLite: whoever closes one of its files by other means takes away all locks this process has on it.
 */
function inspect(folder: string): string[] {
  // Read before the database: what is committed in between must not look like a loss.
  const mark = readHighWater(markOf(folder));
  const isThere = existsSync(databaseOf(folder));
  const commits = isThere ? countIn(folder) : 0;
  if (typeof mark === 'number' && commits < mark) throw damaged(folder, mark - commits);
  const isNew = mark === undefined && !isThere;
  if (typeof mark === 'number' || isNew) return [];
  const state = mark === 'torn' ? 'damaged' : 'missing';
  return [
    `The high-water mark in ${markOf(folder)} was ${state} and is written anew: whether commits were lost before this moment cannot be told.`,
  ];
}

function countIn(folder: string): number {
  const database = readOnly(folder);
  try {
    expectVersion(folder, versionOf(database));
    return commitsOf(database);
  } catch (thrown) {
    throw isNoDatabase(thrown) ? foreign(folder, thrown) : thrown;
  } finally {
    database.close();
  }
}

function readOnly(folder: string): DatabaseSync {
  return new DatabaseSync(databaseOf(folder), { readOnly: true, timeout: busyMilliseconds });
}

function expectVersion(folder: string, version: number): void {
  if (version === schemaVersion) return;
  if (version === 0) throw foreign(folder);
  throw new RunError(
    'rejected',
    `The runs in ${folder} were written by a newer Vitrine (format ${version}, this one knows ${schemaVersion}): update Vitrine, or choose another folder. Nothing was changed.`,
  );
}

function isNoDatabase(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && thrown.errcode === 26;
}

function foreign(folder: string, cause?: unknown): RunError {
  const message = `${databaseOf(folder)} is not a database of Vitrine: move it away, or choose another folder.`;
  return new RunError('malformed', message, { cause });
}

function damaged(folder: string, missing: number): RunError {
  return new RunError(
    'rejected',
    `The database in ${folder} is damaged: its last ${missing} ${missing === 1 ? 'commit is' : 'commits are'} missing although they were acknowledged. Restore a copy of the folder, or move ${markOf(folder)} aside to go on with what is left. Nothing was changed.`,
  );
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

function commitsOf(database: DatabaseSync): number {
  return Number(database.prepare('SELECT count FROM commits').get()?.['count'] ?? 0);
}

function databaseOf(folder: string): string {
  return join(folder, 'vitrine.db');
}

function markOf(folder: string): string {
  return join(folder, 'high-water');
}
