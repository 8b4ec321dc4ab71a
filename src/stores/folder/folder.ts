import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RunError } from '../../run/failure.ts';
import { isCorrupt } from '../sqlite/damage.ts';
import { lockFolder } from './lock.ts';
import {
  type Part,
  placeOfFolder,
  type FolderPlace,
  highWater,
  readHighWater,
  type HighWater,
} from '../sqlite/commit.ts';
import { openReadOnly, type ReadOnly } from './read-only.ts';
import { migrate } from '../sqlite/migrate.ts';
import { createDatabase, hasOwnSchema, schemaVersion } from '../sqlite/schema.ts';
import { structureOf, type Structure } from '../sqlite/structure.ts';

/** How long a commit waits for another process that has the database; the thread must not be kept from reading longer. */
const busyMilliseconds = 50;
/** Of a database, before its first table. Bytes. */
const headerLength = 100;

export interface WriterFolder extends Structure {
  readonly database: DatabaseSync;
  readonly mark: HighWater;
  readonly place: FolderPlace;
  /** What the owner should know about the folder. */
  readonly notices: readonly string[];
  close(): void;
}

/** Opens a folder as its only writer. Whatever is wrong with it is found before anything in it is changed. */
export function openForWriting(folder: string): WriterFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(folder);
  try {
    const { notices, version } = inspect(folder);
    if (version === undefined) {
      // Before the database: one without a mark has lost it.
      highWater(markOf(folder), 0).close();
      createDatabase(databaseOf(folder));
    }
    // In a folder that others can look into, too, what is kept is its owner's alone.
    chmodSync(databaseOf(folder), 0o600);
    return opened(folder, { version, notices, unlock });
  } catch (thrown) {
    unlock();
    throw thrown;
  }
}

function opened(
  folder: string,
  { version, notices, unlock }: Inspected & { readonly unlock: () => void },
): WriterFolder {
  const database = new DatabaseSync(databaseOf(folder), { timeout: busyMilliseconds });
  try {
    database.exec(pragmas);
    if (version !== undefined && version < schemaVersion) broughtUp(folder, database, version);
    const mark = highWater(markOf(folder), commitsOf(database));
    const { problems, isSound } = structureOf(database);
    const place = placeOfFolder(folder, databaseOf(folder), changedParts(database));
    return {
      database,
      mark,
      place,
      notices: [...notices, ...problems.map((problem) => brokenTables(folder, problem))],
      problems,
      isSound,
      close() {
        database.close();
        place.close();
        mark.close();
        unlock();
      },
    };
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** What no two states of a database have in common: its header, and the page that counts its commits. */
function changedParts(database: DatabaseSync): readonly Part[] {
  const pageSize = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  const sql = `SELECT rootpage FROM sqlite_schema WHERE name = 'commits'`;
  const page = Number(database.prepare(sql).get()?.['rootpage']);
  return [
    { at: 0, length: headerLength },
    { at: (page - 1) * pageSize, length: pageSize },
  ];
}

/** Opens a folder beside whoever writes it, or when nobody does. `untouched`: as a copy in which no byte changes. */
export function openForReading(folder: string, untouched = false): ReadOnly {
  expectRuns(folder);
  const { version } = inspect(folder, untouched);
  if (version !== undefined && version < schemaVersion) throw older(folder, version);
  return openReadOnly(databaseOf(folder), folder, untouched);
}

/** Fails with `unknown` for a folder that nobody has worked in. */
export function expectRuns(folder: string): void {
  if (existsSync(databaseOf(folder))) return;
  throw new RunError('unknown', `There are no runs in ${folder}: start one there, or choose another folder.`);
}

/** FULL: every commit is fsynced before it returns. Deleted text is overwritten, so that erasing erases. */
const pragmas = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA wal_autocheckpoint = 16000;
PRAGMA secure_delete = ON;
PRAGMA cache_size = -6000;
PRAGMA temp_store = MEMORY;
`;

/**
 * Looks without touching: closing a writable database would fold a damaged WAL into it and delete the evidence. Only
 * through SQLite: whoever closes one of its files by other means takes away all locks this process has on it.
 */
function inspect(folder: string, untouched = false): Inspected {
  // Read before the database: what is committed in between must not look like a loss.
  const mark = readHighWater(markOf(folder));
  const isThere = existsSync(databaseOf(folder));
  const { commits, version } = isThere ? looked(folder, untouched) : { commits: 0, version: undefined };
  if (typeof mark === 'number' && commits < mark) throw damaged(folder, mark - commits);
  const isNew = mark === undefined && !isThere;
  if (typeof mark === 'number' || isNew) return { notices: [], version };
  const state = mark === 'torn' ? 'damaged' : 'missing';
  const notice = `The high-water mark in ${markOf(folder)} was ${state} and is written anew: whether commits were lost before this moment cannot be told.`;
  return { notices: [notice], version };
}

interface Inspected {
  readonly notices: readonly string[];
  /** Of the database; undefined where there is none yet. */
  readonly version: number | undefined;
}

function looked(folder: string, untouched: boolean): { readonly commits: number; readonly version: number } {
  const opened = openReadOnly(databaseOf(folder), folder, untouched);
  const { database } = opened;
  try {
    const version = versionOf(database);
    expectVersion(folder, version);
    if (version === schemaVersion && !hasOwnSchema(database)) throw broken(folder, 'its tables are not ours');
    return { commits: commitsOf(database), version };
  } catch (thrown) {
    if (isNoDatabase(thrown)) throw foreign(folder, thrown);
    throw isCorrupt(thrown) ? broken(folder, thrown) : thrown;
  } finally {
    opened.close();
  }
}

function expectVersion(folder: string, version: number): void {
  if (version > 0 && version <= schemaVersion) return;
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

function broken(folder: string, why: unknown): RunError {
  const what = why instanceof Error ? why.message : String(why);
  const message = `The database in ${folder} is broken (${what}): restore a copy of the folder. Nothing was changed.`;
  return new RunError('rejected', message, why instanceof Error ? { cause: why } : {});
}

function brokenTables(folder: string, problem: string): string {
  return `The database in ${folder} is damaged (${problem}): vitrine verify says more; restore a copy of the folder.`;
}

/** What is damaged in a way that keeps it from being brought up to date is left as it is, which is told: to try again is no use. */
function broughtUp(folder: string, database: DatabaseSync, version: number): void {
  try {
    migrate(database, version);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    if (!/malformed|corrupt/.test(message)) throw cause;
    throw new RunError(
      'damaged',
      `The database in ${folder} is of an older Vitrine (format ${version}) and damaged (${message}), so it was not brought up to date and nothing in it was changed: restore a copy of the folder.`,
      { cause },
    );
  }
}

function older(folder: string, version: number): RunError {
  const message = `The runs in ${folder} were written by an older Vitrine (format ${version}, this one knows ${schemaVersion}): let one work there (vitrine serve, run or resume), which brings the folder up to date.`;
  return new RunError('rejected', message);
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
}

export function commitsOf(database: DatabaseSync): number {
  return Number(database.prepare('SELECT count FROM commits').get()?.['count'] ?? 0);
}

function databaseOf(folder: string): string {
  return join(folder, 'vitrine.db');
}

function markOf(folder: string): string {
  return join(folder, 'high-water');
}
