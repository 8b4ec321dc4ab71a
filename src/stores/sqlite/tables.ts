import type { DatabaseSync } from 'node:sqlite';
import { chunkRows, commandRows } from './entries.ts';
import { definitionRows } from './definitions.ts';
import { blobRows, lineRows } from './lines.ts';
import { heldRows } from './held.ts';
import { change, query } from './rows.ts';
import { runRows, type RunRows, type RunRowsSettings } from './runs.ts';
import { openCounts } from './open-counts.ts';
import { runSearch } from './search.ts';
import { sharedRows } from './shared.ts';
import { termRows, type TermRows } from './term-rows.ts';
import type { RunRow } from '../store.ts';
import type { Tables } from '../rules/tables.ts';

export interface SqliteTables extends Tables {
  /** A transaction was undone: what is remembered of it must go too. */
  forget(): void;
}

/** The rows of a store in SQLite. Only the writer may remember them: anyone else would miss its changes. */
export function sqliteTables(database: DatabaseSync, settings: RunRowsSettings): SqliteTables {
  const runs = runRows(database, settings);
  const held = heldRows(database);
  const chunks = chunkRows(database, runs);
  const { isSound = () => true } = settings;
  const commands = commandRows(database, runs, isSound('command'));
  const commandBytes = query<{ readonly bytes: number }>(
    database,
    'SELECT coalesce(sum(octet_length(command)), 0) AS bytes FROM command WHERE run = ?',
  );
  const add = (run: string, bytes: number): void => held.add(runs.run(run)?.tenant ?? '', bytes);
  const tables = ['chunk', 'command', 'head'];
  const removals = tables.map((table) => change(database, `DELETE FROM ${table} WHERE run = ?`));
  const gone = runRemoval(database);
  const terms = termRows(database);
  const { moved, forget, ...counts } = openCounts(database, settings.remember);
  return {
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
      const number = runs.number(run);
      held.add(row.tenant, -row.bytes - (commandBytes.one(number)?.bytes ?? 0));
      for (const remove of removals) remove(number);
      terms.drop(row.tenant, number);
      gone(row, number);
      moved(row, undefined);
      runs.forgetRun(run);
    },
    ...counts,
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
    forget() {
      runs.forgetAll();
      forget();
    },
  };
}

/** The row goes, the feed knows that it has gone, and the conversation's newest run is the one before. */
function runRemoval(database: DatabaseSync): (row: RunRow, number: number) => void {
  const remove = change(database, 'DELETE FROM run WHERE number = ?');
  const tell = change(
    database,
    'INSERT INTO erased (moved, number, tenant, run) VALUES ((SELECT count + 1 FROM commits), ?, ?, ?)',
  );
  const renew = change(
    database,
    `UPDATE run SET newest = 1 WHERE number =
      (SELECT number FROM run WHERE tenant = ? AND conversation = ? ORDER BY number DESC LIMIT 1)`,
  );
  return ({ run, tenant, conversation }, number) => {
    remove(number);
    tell(number, tenant, run);
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
