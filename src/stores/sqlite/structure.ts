import type { DatabaseSync } from 'node:sqlite';
import { isCorrupt } from './damage.ts';
import { isWholeDefinition, selectDefinitions, type StoredDefinition } from './definitions.ts';
import { isWhole, type StoredCommand } from './chunks.ts';
import { placeSum, query } from './rows.ts';
import { rebuilder } from './rebuilt.ts';
import { rowOf, selectRuns, type StoredRun } from './runs.ts';
import type { Place } from '../rules/tables.ts';

/** Those that say which runs there are and who works on them: small, and looked at whole when a folder is opened. */
const small = ['run', 'head', 'command', 'place', 'blobUse', 'definition'];
const most = 5;
/** Characters of what is wrong in one place. */
const longest = 200;

/**
 * What is wrong with the tables and indexes that runs are found by. An entry that is missing from an index is a run that
 * nobody finds, with nothing to show for it. Journals and large texts carry checksums and are looked at when they are read.
 */
export function structureOf(database: DatabaseSync): Structure {
  const found = new Map(small.map((table) => [table, tableProblems(database, table)]));
  const problems = [
    ...[...found.values()].flat(),
    ...attempt('table run', () => strangeRuns(database)),
    ...attempt('table command', () => strangeCommands(database)),
    ...attempt('table place', () => strangePlaces(database)),
    ...attempt('table definition', () => strangeDefinitions(database)),
  ];
  return {
    problems: briefly(problems),
    isSound: (table) => (found.get(table) ?? []).length === 0,
  };
}

/** SQLite says the same of page after page, in one text of many lines: a few of them, each once, say as much. */
export function briefly(problems: readonly string[]): readonly string[] {
  const lines = problems.flatMap((problem) =>
    problem.split('\n').filter((line) => !/^\*\*\*|^\s*$/.test(line)),
  );
  const each = [
    ...new Set(lines.map((line) => (line.length > longest ? `${line.slice(0, longest)}…` : line))),
  ];
  const more = each.length - most;
  return more > 0 ? [...each.slice(0, most), `and ${more} more`] : each;
}

export interface Structure {
  readonly problems: readonly string[];
  /** Whether what is not found in a table is not there. */
  readonly isSound: (table: 'run' | 'command') => boolean;
}

/** What SQLite itself finds wrong with a table and its indexes. */
export function tableProblems(database: DatabaseSync, table: string): readonly string[] {
  const sql = `PRAGMA integrity_check('${table}')`;
  return attempt(`table ${table}`, () =>
    query<{ readonly integrity_check: string }>(database, sql)
      .all()
      .map(({ integrity_check: problem }) => problem)
      .filter((problem) => problem !== 'ok'),
  );
}

/** What SQLite finds wrong with the file as a whole: pages that nothing refers to, or two things do. */
export function wholeProblems(database: DatabaseSync): readonly string[] {
  return attempt('the file', () =>
    query<{ readonly quick_check: string }>(database, 'PRAGMA quick_check')
      .all()
      .map(({ quick_check: problem }) => problem)
      .filter((problem) => problem !== 'ok'),
  );
}

function strangeRuns(database: DatabaseSync): readonly string[] {
  // Of those that have ended nobody finds too little: their rows are looked at when they are listed.
  const rows = query<StoredRun>(database, `${selectRuns} WHERE state <> 'ended'`).all();
  const rebuilt = rebuilder(database);
  return rows.flatMap((stored) =>
    rowOf(stored) || rebuilt(stored) ? [] : [`what is kept about run ${stored.run}`],
  );
}

function strangeCommands(database: DatabaseSync): readonly string[] {
  const sql = `SELECT run.run, id, used, command, command.sum FROM command JOIN run ON run.number = command.run
    WHERE used IS NULL`;
  return query<{ run: string } & StoredCommand>(database, sql)
    .all()
    .flatMap(({ run, ...stored }) => (isWhole(run, stored) ? [] : [`command ${stored.id} of run ${run}`]));
}

function strangePlaces(database: DatabaseSync): readonly string[] {
  const sql = 'SELECT tenant, name, run, told, sum FROM place';
  return query<Omit<Place, 'told'> & { readonly told: number; readonly sum: string | null }>(database, sql)
    .all()
    .flatMap(({ sum, told, ...place }) =>
      sum === placeSum({ ...place, told: told === 1 }) ? [] : [`the place of run ${place.run} in a line`],
    );
}

function strangeDefinitions(database: DatabaseSync): readonly string[] {
  return query<StoredDefinition>(database, selectDefinitions)
    .all()
    .flatMap((row) => (isWholeDefinition(row) ? [] : [`what is kept about ${row.kind} «${row.name}»`]));
}

function attempt(what: string, look: () => readonly string[]): readonly string[] {
  try {
    return look();
  } catch (thrown) {
    if (!isCorrupt(thrown)) throw thrown;
    return [`${what}: ${thrown instanceof Error ? thrown.message : String(thrown)}`];
  }
}
