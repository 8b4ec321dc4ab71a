import type { DatabaseSync } from 'node:sqlite';
import { chunkSum, noSum, sumOf } from './checksum.ts';
import type { KeptChunks } from './chunks.ts';
import { damagedAfter, damagedCommand, isCorrupt } from './damage.ts';
import { change, query } from './rows.ts';
import type { RunRows } from './runs.ts';
import type { Chunk, Receipt } from '../store.ts';
import { pageSize, type Tables } from '../rules/tables.ts';

/** The journals of runs, each chunk chained to the one before. */
export function chunkRows(runs: RunRows, kept: KeptChunks): Pick<Tables, 'addChunk' | 'chunksAfter'> {
  return {
    addChunk(chunk, at) {
      const { run, last, frames } = chunk;
      const { number, sum: previous } = runs.head(run);
      const sum = chunkSum(previous, { ...chunk, at });
      const id = kept.add(number, { ...chunk, at }, sum);
      runs.moveHead(run, { chunk: id, last, sum, bytes: Buffer.byteLength(frames) }, at);
    },
    chunksAfter(run, seq) {
      const head = runs.head(run);
      const chunks: Chunk[] = [];
      let end = { last: 0, sum: noSum };
      try {
        const { last, sum } = kept.endingAt(head.number, seq) ?? end;
        end = { last, sum: sum ?? noSum };
        let size = 0;
        for (const { sum: found, at, ...place } of kept.after(head.number, seq)) {
          const chunk = { run, ...place };
          if (chunk.first !== end.last + 1 || found !== chunkSum(end.sum, { ...chunk, at })) break;
          chunks.push(chunk);
          end = { last: chunk.last, sum: found };
          size += chunk.frames.length;
          if (size >= pageSize) return chunks;
        }
      } catch (thrown) {
        if (!isCorrupt(thrown)) throw thrown;
      }
      const isWhole = end.last === head.last && end.sum === head.sum;
      // What is good is given first; whoever comes back for more is told.
      if (!isWhole && chunks.length === 0)
        throw damagedAfter({ run, state: head.state }, Math.min(seq, end.last));
      return chunks;
    },
  };
}

export interface StoredCommand {
  readonly id: string;
  readonly used: number | null;
  readonly command: string;
  readonly sum: string | null;
}

export function commandRows(
  database: DatabaseSync,
  runs: RunRows,
  isSound: boolean,
): Pick<Tables, 'command' | 'addCommand' | 'useCommand' | 'pending' | 'hasPending'> {
  const select = `SELECT id, used, command, sum FROM command ${isSound ? '' : 'NOT INDEXED'}`;
  const byId = query<StoredCommand>(database, `${select} WHERE run = ? AND id = ?`);
  const pending = query<StoredCommand>(database, `${select} WHERE run = ? AND used IS NULL ORDER BY number`);
  const nobodys = query(database, "SELECT 1 FROM command NOT INDEXED WHERE typeof(run) <> 'integer'");
  const insert = change(database, 'INSERT INTO command (run, id, command, sum) VALUES (?, ?, ?, ?)');
  const use = change(database, 'UPDATE command SET used = ?, sum = ? WHERE run = ? AND id = ?');
  return {
    command(run, id) {
      const row = byId.one(runs.number(run), id);
      if (!row && !isSound) throw damagedCommand(run, id);
      return row && { id: row.id, used: row.used, command: commandOf(run, row) };
    },
    addCommand({ run, id, command }) {
      const text = JSON.stringify(command);
      insert(runs.number(run), id, text, sumOf(run, id, text, null));
    },
    useCommand(run, id, seq) {
      const number = runs.number(run);
      const text = byId.one(number, id)?.command ?? '';
      use(seq, sumOf(run, id, text, seq), number, id);
    },
    pending(run) {
      const rows = pending.all(runs.number(run));
      // A command that does not say whose it is may be the one that is not found.
      if (rows.length === 0 && !isSound && nobodys.one()) throw damagedCommand(run, 'that waits');
      return rows.map((row) => ({ id: row.id, run, command: commandOf(run, row) }));
    },
    hasPending: (run) => pending.one(runs.number(run)) !== undefined,
  };
}

/** Commands were checked when they came in. */
function commandOf(run: string, stored: StoredCommand): Receipt['command'] {
  if (!isWhole(run, stored)) throw damagedCommand(run, stored.id);
  return JSON.parse(stored.command) as Receipt['command'];
}

export function isWhole(run: string, { id, used, command, sum }: StoredCommand): boolean {
  return sum === sumOf(run, id, command, used);
}
