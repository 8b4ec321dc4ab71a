import type { DatabaseSync } from 'node:sqlite';
import { chunkRows, commandRows } from './sqlite-entries.ts';
import { blobRows, lineRows } from './sqlite-lines.ts';
import { change } from './sqlite-rows.ts';
import { runRows } from './sqlite-runs.ts';
import { runSearch } from './sqlite-search.ts';
import type { Tables } from './tables.ts';

export interface SqliteTables extends Tables {
  /** A transaction was undone: what is remembered of it must go too. */
  forget(): void;
}

/** The rows of a store in SQLite. Only the writer may remember them: anyone else would miss its changes. */
export function sqliteTables(database: DatabaseSync, remember: boolean): SqliteTables {
  const runs = runRows(database, remember);
  const removals = ['chunk', 'command', 'head'].map((table) =>
    change(database, `DELETE FROM ${table} WHERE run = ?`),
  );
  const removeRun = change(database, 'DELETE FROM run WHERE run = ?');
  return {
    run: runs.run,
    addRun: runs.addRun,
    changeRun: runs.changeRun,
    removeRun(run) {
      if (!runs.run(run)) return;
      for (const remove of removals) remove(runs.number(run));
      removeRun(run);
      runs.forgetRun(run);
    },
    ...runSearch(database),
    ...chunkRows(database, runs),
    ...commandRows(database, runs),
    ...lineRows(database),
    ...blobRows(database),
    forget: runs.forgetAll,
  };
}
