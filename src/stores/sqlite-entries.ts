import type { DatabaseSync } from 'node:sqlite';
import { change, query } from './sqlite-rows.ts';
import type { RunRows } from './sqlite-runs.ts';
import type { Chunk, Receipt } from './store.ts';
import { pageSize, type Tables } from './tables.ts';

export function chunkRows(database: DatabaseSync, runs: RunRows): Pick<Tables, 'addChunk' | 'chunksAfter'> {
  const insert = change(database, 'INSERT INTO chunk (run, first, last, at, frames) VALUES (?, ?, ?, ?, ?)');
  const after = query<Omit<Chunk, 'run'>>(
    database,
    'SELECT first, last, frames FROM chunk WHERE run = ? AND last > ? ORDER BY last',
  );
  return {
    addChunk({ run, first, last, frames }, at) {
      insert(runs.number(run), first, last, at, frames);
      runs.moveHead(run, last, at);
    },
    chunksAfter(run, seq) {
      const chunks: Chunk[] = [];
      let size = 0;
      for (const { first, last, frames } of after.each(runs.number(run), seq)) {
        chunks.push({ run, first, last, frames });
        size += frames.length;
        if (size >= pageSize) break;
      }
      return chunks;
    },
  };
}

interface StoredCommand {
  readonly id: string;
  readonly used: number | null;
  readonly command: string;
}

export function commandRows(
  database: DatabaseSync,
  runs: RunRows,
): Pick<Tables, 'command' | 'addCommand' | 'useCommand' | 'pending' | 'hasPending'> {
  const byId = query<StoredCommand>(
    database,
    'SELECT id, used, command FROM command WHERE run = ? AND id = ?',
  );
  const pending = query<StoredCommand>(
    database,
    'SELECT id, used, command FROM command WHERE run = ? AND used IS NULL ORDER BY number',
  );
  const insert = change(database, 'INSERT INTO command (run, id, command) VALUES (?, ?, ?)');
  const use = change(database, 'UPDATE command SET used = ? WHERE run = ? AND id = ?');
  return {
    command(run, id) {
      const row = byId.one(runs.number(run), id);
      return row && { id: row.id, used: row.used, command: commandOf(row) };
    },
    addCommand: ({ run, id, command }) => insert(runs.number(run), id, JSON.stringify(command)),
    useCommand: (run, id, seq) => use(seq, runs.number(run), id),
    pending: (run) =>
      pending.all(runs.number(run)).map((row) => ({ id: row.id, run, command: commandOf(row) })),
    hasPending: (run) => pending.one(runs.number(run)) !== undefined,
  };
}

/** Commands were checked when they came in. */
function commandOf({ command }: StoredCommand): Receipt['command'] {
  return JSON.parse(command) as Receipt['command'];
}
