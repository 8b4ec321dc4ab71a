import type { DatabaseSync } from 'node:sqlite';
import { keptChunks, type KeptChunks } from './chunks.ts';
import { chunkRows, commandRows } from './entries.ts';
import { definitionRows } from './definitions.ts';
import { blobRows, lineRows } from './lines.ts';
import { heldRows, type HeldRows } from './held.ts';
import { change, query } from './rows.ts';
import { runRows, type RunRows, type RunRowsSettings } from './runs.ts';
import { openCounts, type OpenCounts } from './open-counts.ts';
import { runSearch } from './search.ts';
import { sharedRows } from './shared.ts';
import { termRows, type TermRows } from './term-rows.ts';
import type { RunRow } from '../store.ts';
import type { Tables } from '../rules/tables.ts';

export interface SqliteTables extends Tables {
  /** What is written once for a whole transaction: before each commit. */
  finish(): void;
  /** A transaction was undone: what is remembered of it must go too. */
  forget(): void;
}

/** The rows of a store in SQLite. Only the writer may remember them: anyone else would miss its changes. */
export function sqliteTables(database: DatabaseSync, settings: RunRowsSettings): SqliteTables {
  const runs = runRows(database, settings);
  const held = heldRows(database);
  const kept = keptChunks(database, settings.remember);
  const chunks = chunkRows(runs, kept);
  const { isSound = () => true } = settings;
  const commands = commandRows(database, runs, isSound('command'));
  const add = (run: string, bytes: number): void => held.add(runs.run(run)?.tenant ?? '', bytes);
  const terms = termRows(database);
  const removal = runRemoval(database, { held, terms, kept });
  const counted = countedRuns(runs, openCounts(database, settings.remember), removal);
  return {
    ...counted,
    ...runSearch(database, terms, isSound('run')),
    ...termTables(terms, runs),
    ...chunks,
    ...commands,
    addChunk(chunk, at) {
      chunks.addChunk(chunk, at);
      add(chunk.run, Buffer.byteLength(chunk.frames));
    },
    addCommand(sent) {
      commands.addCommand(sent);
      add(sent.run, Buffer.byteLength(JSON.stringify(sent.command)));
    },
    held: (tenant) => held.held(tenant),
    ...lineRows(database),
    ...blobRows(database, held),
    ...sharedRows(database),
    ...definitionRows(database),
    finish: () => held.write(),
    forget() {
      counted.forget();
      kept.forget();
      terms.forget();
      held.forget();
    },
  };
}

/** Runs as they come, change and go; those that have not ended are counted along. */
function countedRuns(
  runs: RunRows,
  { moved, forget, ...counts }: OpenCounts,
  removed: (row: RunRow, number: number) => void,
): Pick<SqliteTables, 'run' | 'addRun' | 'changeRun' | 'removeRun' | 'questions' | 'unfinished' | 'forget'> {
  return {
    ...counts,
    run: runs.run,
    addRun(row, key) {
      runs.addRun(row, key);
      moved(undefined, row);
    },
    changeRun(row, isNews) {
      moved(runs.run(row.run), row);
      runs.changeRun(row, isNews);
    },
    removeRun(run) {
      const row = runs.run(run);
      if (!row) return;
      removed(row, runs.number(run));
      moved(row, undefined);
      runs.forgetRun(run);
    },
    forget() {
      runs.forgetAll();
      forget();
    },
  };
}

interface Counted {
  readonly held: HeldRows;
  readonly terms: TermRows;
  readonly kept: KeptChunks;
}

/** All of it goes, the feed knows that it has gone, and the conversation's newest run is the one before. */
function runRemoval(
  database: DatabaseSync,
  { held, terms, kept }: Counted,
): (row: RunRow, number: number) => void {
  const commandBytes = query<{ readonly bytes: number }>(
    database,
    'SELECT coalesce(sum(octet_length(command)), 0) AS bytes FROM command WHERE run = ?',
  );
  const tables = ['command', 'head'];
  const removals = tables.map((table) => change(database, `DELETE FROM ${table} WHERE run = ?`));
  const remove = change(database, 'DELETE FROM run WHERE number = ?');
  const tell = change(
    database,
    `INSERT INTO erased (moved, number, tenant, run, createdAt)
      VALUES ((SELECT count + 1 FROM commits), ?, ?, ?, ?)`,
  );
  const renew = change(
    database,
    `UPDATE run SET newest = 1 WHERE number =
      (SELECT number FROM run WHERE tenant = ? AND conversation = ? ORDER BY number DESC LIMIT 1)`,
  );
  return ({ run, tenant, conversation, bytes, createdAt }, number) => {
    held.add(tenant, -bytes - (commandBytes.one(number)?.bytes ?? 0));
    kept.remove(number);
    for (const empty of removals) empty(number);
    terms.drop(tenant, number);
    remove(number);
    tell(number, tenant, run, createdAt);
    renew(tenant, conversation);
  };
}

function termTables(terms: TermRows, { run, number }: RunRows): Pick<Tables, 'addTerms' | 'dropTerms'> {
  const tenantOf = (name: string): string => run(name)?.tenant ?? '';
  return {
    addTerms: (name, more) => terms.add(tenantOf(name), number(name), more),
    dropTerms: (name) => terms.drop(tenantOf(name), number(name)),
  };
}
