import type { DatabaseSync } from 'node:sqlite';
import { chunkRows, commandRows } from './entries.ts';
import { blobRows, lineRows } from './lines.ts';
import { heldRows } from './held.ts';
import { change, query } from './rows.ts';
import { runRows, type RunRowsSettings } from './runs.ts';
import { openCounts, runSearch } from './search.ts';
import { sharedRows } from './shared.ts';
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
  const removals = ['chunk', 'command', 'head'].map((table) =>
    change(database, `DELETE FROM ${table} WHERE run = ?`),
  );
  const removeRun = change(database, 'DELETE FROM run WHERE run = ?');
  return {
    run: runs.run,
    addRun: runs.addRun,
    changeRun: runs.changeRun,
    removeRun(run) {
      const row = runs.run(run);
      if (!row) return;
      held.add(row.tenant, -row.bytes - (commandBytes.one(runs.number(run))?.bytes ?? 0));
      for (const remove of removals) remove(runs.number(run));
      removeRun(run);
      runs.forgetRun(run);
    },
    ...openCounts(database),
    ...runSearch(database, isSound('run')),
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
    forget: runs.forgetAll,
  };
}
