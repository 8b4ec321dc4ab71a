// What must hold of the rows at every moment, whatever the rules say.
import type { Place } from '../../src/stores/rules/tables.ts';
import { epochIn, lines, runs } from './operations.ts';
import { isOfRun, type StoredRows, type StoredRun } from './rows.ts';
import type { Applied } from './server.ts';

/** Watches a database; each call gives what is wrong after what was applied. */
export function invariants(rows: StoredRows): (applied: Applied) => readonly string[] {
  const epochs = new Map<string, number>();
  return ({ changes: all }) => {
    const changes = all.filter(isOfRun);
    const wrongs: string[] = [];
    for (const change of changes) {
      const before = epochs.get(change.run) ?? 0;
      const epoch = rows.row(change.run)?.epoch ?? before;
      if (change.type === 'chunk.added') {
        const believed = epochIn(change.chunk.frames);
        if (believed !== before && believed !== epoch)
          wrongs.push(`${change.run} was written by epoch ${believed}, being at ${epoch}`);
      }
      if (change.type === 'run.changed' && epoch > before + 1) wrongs.push(`${change.run} skips epochs`);
    }
    for (const { run } of changes) epochs.set(run, rows.row(run)?.epoch ?? 0);
    for (const run of runs) {
      const stored = rows.runs.get(run);
      if (stored) wrongs.push(...wrongsOf(run, stored, rows.places));
    }
    for (const { run } of rows.places)
      if (!rows.runs.has(run)) wrongs.push(`${run} is erased and stands in line`);
    for (const { blob, users } of rows.blobs.values())
      if (users.size === 0) wrongs.push(`${blob} is nobody's`);
    return wrongs;
  };
}

function wrongsOf(
  run: string,
  { row, chunks, commands }: StoredRun,
  places: readonly Place[],
): readonly string[] {
  const wrongs: string[] = [];
  chunks.forEach(({ first }, i) => {
    if (first !== (chunks[i - 1]?.last ?? 0) + 1) wrongs.push(`${run} has entry ${first} out of place`);
  });
  const isPending = [...commands.values()].some(({ used }) => used === null);
  const standing = places.filter((place) => place.run === run);
  if (row.state === 'ended' && standing.length > 0) wrongs.push(`${run} has ended and stands in line`);
  if (isPending && (row.state === 'waiting' || row.state === 'ended'))
    wrongs.push(`${run} is ${row.state} with a command pending`);
  for (const line of lines) {
    const first = places.find(({ name }) => name === line);
    if (row.state === 'waiting' && first?.run === run && !first.told)
      wrongs.push(`${run} sleeps at the head of line ${line}`);
  }
  return wrongs;
}
