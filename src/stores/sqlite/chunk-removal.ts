import type { DatabaseSync } from 'node:sqlite';
import { change, query } from './rows.ts';

/** What is not JSON is what a disk has made of it: the chunks that it stood for are missed then. */
export const placedIds = `SELECT value FROM chunkPlace CROSS JOIN json_each(iif(json_valid(chunks), chunks, '[]')) WHERE chunkPlace.run =`;

/**
 * Takes the chunks of a run away. Where the index does not lead to all entries of its journal, the table is looked through:
 * what is left there would be text that nobody can ever erase.
 */
export function chunkRemoval(
  database: DatabaseSync,
  lookThrough: (run: number) => Iterable<{ readonly id: number }>,
): (run: number) => void {
  const listed = `id IN (${placedIds} ?1) AND run = ?1`;
  const entries = query<{ readonly journal: number | null; readonly found: number }>(
    database,
    `SELECT (SELECT last FROM head WHERE run = ?1) AS journal,
      (SELECT coalesce(sum(last - first + 1), 0) FROM chunk WHERE ${listed}) AS found`,
  );
  // In their places: when SQLite moves what is left of a page to another one, it leaves some of its bytes behind.
  const blank = 'UPDATE chunk SET frames = zeroblob(octet_length(frames)) WHERE';
  const overwrite = change(database, `${blank} ${listed}`);
  const overwriteOne = change(database, `${blank} id = ?`);
  const remove = change(database, `DELETE FROM chunk WHERE ${listed}`);
  const removeOne = change(database, 'DELETE FROM chunk WHERE id = ?');
  const removePlaces = change(database, 'DELETE FROM chunkPlace WHERE run = ?');
  // Ids of the newest chunks are given again once those are gone, and must not look as if they were in the index.
  const lower = change(
    database,
    'UPDATE placed SET upTo = min(upTo, (SELECT coalesce(max(id), 0) FROM chunk))',
  );
  return (run) => {
    const { journal, found } = entries.one(run) ?? { journal: 0, found: 0 };
    overwrite(run);
    remove(run);
    const others = (journal ?? 0) === found ? [] : [...lookThrough(run)];
    for (const { id } of others) overwriteOne(id);
    for (const { id } of others) removeOne(id);
    removePlaces(run);
    lower();
  };
}
