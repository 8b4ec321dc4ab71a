import { RunError, type Failure } from '../../run/failure.ts';
import { isBusy } from './busy.ts';
import type { Desk } from '../rules/tables.ts';
import { perform } from '../rules/rules.ts';
import { isCorrupt } from './damage.ts';
import type { WriterFolder } from '../folder/folder.ts';
import type { Operation, Reply } from '../batch.ts';
import { change, query } from './rows.ts';
import type { SqliteTables } from './tables.ts';
import { definitionOwner, fileOwner } from '../store.ts';
import {
  type Stats,
  openSync,
  readSync,
  fstatSync,
  closeSync,
  statfsSync,
  statSync,
  readFileSync,
  writeSync,
  fsyncSync,
} from 'node:fs';
import type { Clock } from '../sqlite.ts';
import { sync as writeWhole } from 'write-file-atomic';
import { syncFolder } from '../folder/sync.ts';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

export type Committer = (time: ReturnType<Clock>, operations: readonly Operation[]) => Reply;

/**
 * One transaction for a whole batch. What the rules refuse changes nothing and stands alone; what SQLite cannot do fails
 * everything, and nothing of it is applied. Throws `RunError` then.
 */
export function committer(folder: WriterFolder, tables: SqliteTables): Committer {
  const { database } = folder;
  const transact = transaction(folder, tables);
  const moveLeases = change(
    database,
    `UPDATE run SET leaseUntil = leaseUntil + ?1, due = due + ?1 WHERE state <> 'ended' AND state = 'running'`,
  );
  // A jump that a full disk kept from being applied is still to be applied.
  let owed = 0;
  const commit: Committer = ({ now, jump }, operations) => {
    const desk: Desk = { tables, now, hints: [] };
    try {
      owed += jump;
      if (owed !== 0) {
        transact(() => moveLeases(owed));
        tables.forget();
        owed = 0;
      }
      // Without operations it is to show whether the disk takes a commit.
      const isProbe = operations.length === 0;
      const reply = transact(() => ({ ...performAll(desk, operations), hints: desk.hints }), isProbe);
      if (operations.some(({ name }) => name === 'erase' || name === 'eraseDefinition'))
        afterCommit(() => scrub(folder));
      return reply;
    } catch (thrown) {
      tables.forget();
      if (isBusy(thrown)) throw thrown;
      if (!isFault(thrown) && !isCorrupt(thrown)) throw unavailable(thrown);
      // One operation is at fault, or meets a page that makes no sense, and the others must not pay for it.
      const [only] = operations;
      if (operations.length > 1)
        return joined(operations.map((operation) => commit({ now, jump: 0 }, [operation])));
      const failure = isCorrupt(thrown) ? unavailable(thrown).failure : internal(only, thrown);
      return { results: [], hints: [], refusals: [{ index: 0, failure }] };
    }
  };
  return commit;
}

/** The former writer is gone, so are its workers, and what they were about to refer to. What people sent stays. */
export function takeOver(folder: WriterFolder, tables: SqliteTables): void {
  // What is wrong there must not be made worse by what looks like nobody's.
  if (folder.problems.length > 0) return;
  const { database } = folder;
  const expire = change(
    database,
    `UPDATE run SET leaseUntil = 0, due = iif(damaged IS NULL, 0, NULL) WHERE state <> 'ended' AND state = 'running'`,
  );
  const orphans = query<{ readonly run: string }>(
    database,
    `SELECT DISTINCT run FROM blobUse WHERE run NOT IN (SELECT run FROM run)
       AND run NOT GLOB '${fileOwner}*' AND run NOT GLOB '${definitionOwner}*'`,
  );
  transaction(
    folder,
    tables,
  )(() => {
    expire();
    for (const { run } of orphans.all()) tables.dropBlobs(run);
  });
}

/** Work that changes nothing is no commit, unless it is to be one: a server that has nothing to do writes nothing. */
function transaction(
  { database, mark, place }: WriterFolder,
  tables: Pick<SqliteTables, 'finish'>,
): <T>(work: () => T, isCommit?: boolean) => T {
  const begin = change(database, 'BEGIN IMMEDIATE');
  const changes = query<{ readonly total: number }>(database, 'SELECT total_changes() AS total');
  // Not by RETURNING: that makes and drops a table of its own in every commit.
  const count = change(database, 'UPDATE commits SET count = ?');
  const counted = query<{ readonly count: number }>(database, 'SELECT count FROM commits');
  // Nobody else changes anything: what the last commit left need not be asked for.
  let known: { readonly total: number; readonly commits: number } | undefined;
  const commit = change(database, 'COMMIT');
  const rollback = change(database, 'ROLLBACK');
  return (work, isCommit = false) => {
    const before = known;
    known = undefined;
    try {
      begin();
      const { total, commits } = before ?? {
        total: changes.one()?.total ?? 0,
        commits: counted.one()?.count ?? 0,
      };
      const result = work();
      tables.finish();
      const changed = changes.one()?.total ?? 0;
      if (!isCommit && changed === total) {
        rollback();
        known = { total, commits };
        return result;
      }
      count(commits + 1);
      const lost = place.lost();
      if (lost !== undefined) throw new RunError('unavailable', lost, { retryable: true });
      try {
        commit();
      } finally {
        place.note();
      }
      afterCommit(() => mark.raise(commits + 1));
      known = { total: changed + 1, commits: commits + 1 };
      return result;
    } catch (thrown) {
      if (database.isTransaction) rollback();
      throw thrown;
    }
  };
}

/** What fails here must not look like the fault of an operation: to try those again would be to do them twice. */
function afterCommit(work: () => void): void {
  try {
    work();
  } catch (cause) {
    throw unavailable(cause);
  }
}

function performAll(desk: Desk, operations: readonly Operation[]): Omit<Reply, 'hints'> {
  const refusals: { index: number; failure: Failure }[] = [];
  const results = operations.map(({ name, argument }, index) => {
    try {
      return perform(desk, name, argument);
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      refusals.push({ index, failure: thrown.failure });
      return undefined;
    }
  });
  return { results, refusals };
}

/** What was erased is still in the WAL. Readers may be in the way; then the next erasure or the end clears it. */
function scrub({ database, place }: WriterFolder): void {
  try {
    database.exec('PRAGMA busy_timeout = 100; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = 5000;');
  } finally {
    place.note();
  }
}

/** Result codes that speak of an operation (a constraint, a value that does not fit), not of the disk. */
const faults = new Set([1, 18, 19, 20, 21, 25]);

function isFault(thrown: unknown): boolean {
  if (thrown instanceof RunError) return false;
  return !(thrown instanceof Error && 'errcode' in thrown) || faults.has(Number(thrown.errcode) & 0xff);
}

function unavailable(cause: unknown): RunError {
  if (cause instanceof RunError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `The database could not be written (${why}): see to the disk, then try again.`;
  return new RunError('unavailable', message, { retryable: true, cause });
}

function internal(operation: Operation | undefined, thrown: unknown): Failure {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'internal', message: `The store could not perform ${operation?.name ?? 'nothing'}: ${why}` };
}

function joined(replies: readonly Reply[]): Reply {
  return {
    results: replies.map(({ results }) => results[0]),
    refusals: replies.flatMap(({ refusals }, index) => refusals.map(({ failure }) => ({ index, failure }))),
    hints: replies.flatMap(({ hints }) => hints),
  };
}

/** A part of a file. Bytes. */
export interface Part {
  readonly at: number;
  readonly length: number;
}

/** Notices that somebody else writes a file which this process alone should write. */
export interface OwnWrites {
  /** What was written up to now, this process has written. */
  note(): void;
  /** Whether somebody else has written there since. */
  isForeign(found: Stats): boolean;
  close(): void;
}

/**
 * A file that is written over in place stays the same file to whoever has it open. It has another time or size then; one
 * that was only touched has the same in the parts that every writer changes.
 */
export function ownWrites(path: string, parts: readonly Part[]): OwnWrites {
  // Open until the end: to close a file of a database takes away the locks that this process has on it.
  const file = openSync(path, 'r');
  const look = (): string =>
    parts
      .map(({ at, length }) => {
        const bytes = Buffer.alloc(length);
        return bytes.subarray(0, readSync(file, bytes, 0, length, at)).toString('latin1');
      })
      .join('|');
  let stamp = stampOf(fstatSync(file));
  let print = look();
  let isForeign = false;
  return {
    note() {
      const now = stampOf(fstatSync(file));
      if (isForeign || now === stamp) return;
      stamp = now;
      print = look();
    },
    isForeign(found) {
      if (isForeign || stampOf(found) === stamp) return isForeign;
      isForeign = look() !== print;
      if (!isForeign) stamp = stampOf(found);
      return isForeign;
    },
    close: () => closeSync(file),
  };
}

function stampOf({ mtimeMs, size }: Stats): string {
  return `${mtimeMs} ${size}`;
}

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
