import type { DatabaseSync } from 'node:sqlite';
import { term, wordsOf } from '../../run/facts.ts';
import { chunkSum, noSum, runSum, sumOf, placeSum, change, query } from './rows.ts';
import { isCorrupt } from './damage.ts';
import { countHeld, selectRuns, type StoredRun } from './runs.ts';
import { foldedSince, loggedSince, stepsFrom } from './schema.ts';
import { termRows } from './tables.ts';

/** Bring a database of an older version to this one: whole, or not at all. What it holds gets the checksums it lacks. */
export function migrate(database: DatabaseSync, version: number): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    if (version < summedSince) {
      database.exec(stepsFrom(version, loggedSince - 1));
      sumChunks(database);
      database.exec(stepsFrom(loggedSince - 1));
      sumRest(database);
    } else database.exec(stepsFrom(version));
    if (version < foldedSince) foldWords(database);
    database.exec('COMMIT');
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}

/** The version since which everything has its checksum. */
const summedSince = 2;

function sumRest(database: DatabaseSync): void {
  sumRuns(database);
  sumCommands(database);
  sumPlaces(database);
  countHeld(database);
}

interface OldChunk {
  readonly id: number;
  readonly number: number;
  readonly run: string;
  readonly first: number;
  readonly last: number;
  readonly at: number;
  readonly frames: string;
}

function sumChunks(database: DatabaseSync): void {
  const runs = query<{ readonly number: number; readonly run: string }>(
    database,
    'SELECT number, run FROM run',
  );
  const chunks = query<OldChunk>(
    database,
    'SELECT rowid AS id, first, last, at, frames FROM chunk WHERE run = ? ORDER BY last',
  );
  const update = change(database, 'UPDATE chunk SET sum = ? WHERE rowid = ?');
  const head = change(
    database,
    'INSERT INTO head (run, last, at, sum, bytes, again) VALUES (?1, ?2, ?3, ?4, ?5, ?5)',
  );
  for (const { number, run } of runs.all()) {
    let bytes = 0;
    let end: { readonly last: number; readonly at: number; readonly sum: string } | undefined;
    for (const { id, first, last, at, frames } of chunks.all(number)) {
      const sum = chunkSum(end?.sum ?? noSum, { run, first, last, at, frames });
      update(sum, id);
      bytes += Buffer.byteLength(frames);
      end = { last, at, sum };
    }
    if (end) head(number, end.last, end.at, end.sum, bytes);
  }
}

function sumRuns(database: DatabaseSync): void {
  const update = change(database, 'UPDATE run SET sum = ? WHERE number = ?');
  for (const row of query<StoredRun>(database, selectRuns).all())
    update(runSum(row, row.changedAt), row.number);
}

function sumCommands(database: DatabaseSync): void {
  const all = query<{ number: number; run: string; id: string; command: string; used: number | null }>(
    database,
    'SELECT command.number, run.run, id, command, used FROM command JOIN run ON run.number = command.run',
  );
  const update = change(database, 'UPDATE command SET sum = ? WHERE number = ?');
  for (const { number, run, id, command, used } of all.all()) update(sumOf(run, id, command, used), number);
}

function sumPlaces(database: DatabaseSync): void {
  const all = query<{ number: number; tenant: string; name: string; run: string; told: number }>(
    database,
    'SELECT number, tenant, name, run, told FROM place',
  );
  const update = change(database, 'UPDATE place SET sum = ? WHERE number = ?');
  for (const { number, told, ...place } of all.all())
    update(placeSum({ ...place, told: told === 1 }), number);
}

interface Holder {
  readonly number: number;
  readonly tenant: string;
}

/** Words that were cut otherwise are cut again. Where the index cannot be read `reindex` makes it anew. */
function foldWords(database: DatabaseSync): void {
  const rows = termRows(database);
  const holders = query<Holder>(
    database,
    `SELECT number, tenant FROM termsOf CROSS JOIN run ON number = holder WHERE terms GLOB '*[^ -~' || char(10) || ']*'`,
  );
  try {
    for (const { number, tenant } of holders.all()) {
      const terms = rows.of(number);
      rows.drop(tenant, number);
      rows.add(tenant, number, terms.flatMap(foldedTerm));
    }
  } catch (thrown) {
    if (!isCorrupt(thrown)) throw thrown;
  }
}

function foldedTerm(kept: string): readonly string[] {
  return kept.startsWith(term.word('')) ? wordsOf(kept.slice(term.word('').length)).map(term.word) : [kept];
}
