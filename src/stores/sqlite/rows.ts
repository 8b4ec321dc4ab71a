import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { hash } from 'node:crypto';
import type { RunRow } from '../store.ts';
import type { Place, Tables } from '../rules/tables.ts';
import type { HeldRows } from './runs.ts';
import { blobName } from '../blob-name.ts';
import { damagedBlob } from './damage.ts';

/** A prepared question. Our own schema is the only place its rows come from, so their shape is known. */
export interface Query<Row> {
  one(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): readonly Row[];
  each(...values: SQLInputValue[]): Iterable<Row>;
}

export function query<Row>(database: DatabaseSync, sql: string): Query<Row> {
  const statement = database.prepare(sql);
  return {
    one: (...values) => statement.get(...values) as Row | undefined,
    all: (...values) => statement.all(...values) as Row[],
    each: (...values) => statement.iterate(...values) as Iterable<Row>,
  };
}

export function change(database: DatabaseSync, sql: string): (...values: SQLInputValue[]) => void {
  const statement = database.prepare(sql);
  return (...values) => void statement.run(...values);
}

/** A chunk as it lies in a database, with the time it was committed at. */
export interface Summed {
  readonly run: string;
  readonly first: number;
  readonly last: number;
  readonly at: number;
  readonly frames: string;
}

/**
 * The checksum of a chunk covers that of the chunk before it, so the last one stands for the whole journal: a chunk that
 * was changed, lost, swapped or brought from another run does not fit. SHA-256, since it is to prove what happened, not
 * only to notice a bad disk; it costs about a microsecond a chunk.
 */
export function chunkSum(previous: string, { run, first, last, at, frames }: Summed): string {
  return hash('sha256', `${previous} ${run} ${first} ${last} ${at}\n${frames}`, 'base64');
}

/** What the first chunk of a run follows. */
export const noSum = '';

/** Of a run as lists and workers need it. Leases are left out: they are moved for many runs at once, and mend themselves. */
export function runSum(row: SummedRun, changedAt: number): string {
  const { run, tenant, conversation, app, title, flow, status, approvals, state } = row;
  const { epoch, worker, wakeAt, createdAt, damaged } = row;
  const { replaces, replacedBy, facts } = row;
  const names = [run, tenant, conversation, app, title, flow];
  // What was written before places could be taken has the sum it had.
  const places = replaces === null && replacedBy === null ? [] : [replaces, replacedBy];
  const counts = [status, approvals, state, epoch, worker, wakeAt, createdAt, damaged, changedAt];
  // The same of what was written before there was an index.
  return sumOf(...names, ...counts, ...places, ...(facts === null ? [] : [facts]));
}

type SummedRun = Omit<RunRow, 'head' | 'updatedAt' | 'leaseUntil' | 'facts'> & {
  readonly facts: string | null;
};

/** Of any other row, as SQLite keeps it: half a character comes back as U+FFFD, and that is no damage. */
export function sumOf(...values: readonly (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(values.map(kept)), 'base64');
}

function kept(value: string | number | null): string | number | null {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

type StoredPlace = Omit<Place, 'told'> & { readonly told: number };

export function lineRows(
  database: DatabaseSync,
): Pick<Tables, 'place' | 'places' | 'firstInLine' | 'addPlace' | 'tellPlace' | 'removePlace'> {
  const select = 'SELECT tenant, name, run, told FROM place';
  const one = query<StoredPlace>(database, `${select} WHERE run = ? AND name = ?`);
  const ofRun = query<StoredPlace>(database, `${select} WHERE run = ? ORDER BY number`);
  const first = query<StoredPlace>(
    database,
    `${select} WHERE tenant = ? AND name = ? ORDER BY number LIMIT 1`,
  );
  const insert = change(database, 'INSERT INTO place (tenant, name, run, told, sum) VALUES (?, ?, ?, ?, ?)');
  const tell = change(database, 'UPDATE place SET told = 1, sum = ? WHERE run = ? AND name = ?');
  const remove = change(database, 'DELETE FROM place WHERE run = ? AND name = ?');
  return {
    place: (run, name) => placeOf(one.one(run, name)),
    places: (run) => ofRun.all(run).map((row) => ({ ...row, told: row.told === 1 })),
    firstInLine: (tenant, name) => placeOf(first.one(tenant, name)),
    addPlace: ({ tenant, name, run, told }) =>
      insert(tenant, name, run, told ? 1 : 0, placeSum({ tenant, name, run, told })),
    tellPlace: (place) => tell(placeSum({ ...place, told: true }), place.run, place.name),
    removePlace: ({ run, name }) => remove(run, name),
  };
}

function placeOf(row: StoredPlace | undefined): Place | undefined {
  return row && { ...row, told: row.told === 1 };
}

export function placeSum({ tenant, name, run, told }: Place): string {
  return sumOf(tenant, name, run, told ? 1 : 0);
}

function blobUsers(database: DatabaseSync): Pick<Tables, 'blobUsers'> {
  const users = query<{ readonly app: string | null; readonly owner: string | null }>(
    database,
    `SELECT DISTINCT run.app AS app, CASE WHEN run.run IS NULL THEN blobUse.run END AS owner
       FROM blob JOIN blobUse ON blobUse.blob = blob.number LEFT JOIN run ON run.run = blobUse.run
       WHERE blob.tenant = ? AND blob.blob = ?`,
  );
  return {
    blobUsers(tenant, blob) {
      const found = users.all(tenant, blob);
      return {
        apps: found.flatMap(({ app }) => app ?? []),
        owners: found.flatMap(({ owner }) => owner ?? []),
      };
    },
  };
}

export function blobRows(
  database: DatabaseSync,
  held: HeldRows,
): Pick<Tables, 'blob' | 'blobUsers' | 'addBlob' | 'useBlob' | 'dropBlobs'> {
  // Of a row that was damaged anything may be left.
  const byHash = query<{ readonly number: number; readonly text: unknown }>(
    database,
    'SELECT number, text FROM blob WHERE tenant = ? AND blob = ?',
  );
  // A damaged index would say that it is not there; the other one still knows.
  const byName = query<{ readonly text: unknown }>(
    database,
    'SELECT text FROM blob INDEXED BY blobByName WHERE blob = ? AND tenant = ?',
  );
  // Not by RETURNING: that makes and drops a table of its own.
  const insert = database.prepare('INSERT OR IGNORE INTO blob (tenant, blob, text) VALUES (?, ?, ?)');
  const use = change(
    database,
    'INSERT OR IGNORE INTO blobUse (run, blob) SELECT ?, number FROM blob WHERE tenant = ? AND blob = ?',
  );
  // Of `length` SQLite would have to read them all.
  const unused = query<{ readonly tenant: string; readonly bytes: number }>(
    database,
    `DELETE FROM blob WHERE number IN (SELECT blob FROM blobUse WHERE run = ?1)
       AND NOT EXISTS (SELECT 1 FROM blobUse WHERE blobUse.blob = blob.number AND blobUse.run <> ?1)
       RETURNING tenant, octet_length(text) AS bytes`,
  );
  const unuse = change(database, 'DELETE FROM blobUse WHERE run = ?');
  return {
    blob(tenant, blob) {
      const found = byHash.one(tenant, blob) ?? byName.one(blob, tenant);
      if (!found) return undefined;
      const { text } = found;
      if (typeof text !== 'string' || blobName(text) !== blob) throw damagedBlob(blob);
      return text;
    },
    ...blobUsers(database),
    addBlob({ tenant, run }, blob, text) {
      if (insert.run(tenant, blob, text).changes > 0) held.add(tenant, Buffer.byteLength(text));
      use(run, tenant, blob);
    },
    useBlob({ tenant, run }, blob) {
      if (!byHash.one(tenant, blob)) return false;
      use(run, tenant, blob);
      return true;
    },
    dropBlobs(run) {
      for (const { tenant, bytes } of unused.all(run)) held.add(tenant, -bytes);
      unuse(run);
    },
  };
}
