import type { DatabaseSync } from 'node:sqlite';
import { failureOf } from '../../run/failure.ts';
import { damagedAfter, isCorrupt } from './damage.ts';
import { query } from './rows.ts';
import { sqliteTables } from './tables.ts';
import type { RunRow } from '../store.ts';
import type { Tables } from '../rules/tables.ts';
import type { FoundDamage } from './sqlite.worker.ts';

/** How far a check of all journals has come: the run, by its number, and its last entry that was looked at. */
export interface CheckPlace {
  readonly number: number;
  readonly after: number;
}

export const fromNewest: CheckPlace = { number: Number.MAX_SAFE_INTEGER, after: 0 };

/** So much is looked at before those who wait for the database get their turn. Characters, and runs. */
const most = 1 << 20;
const mostRuns = 50;

/** Looks at a piece of what a folder keeps, newest run first. Gives where to go on; undefined at the end. */
export type Check = (from: CheckPlace) => CheckPlace | undefined;

/** `tell` hears of each run that is not what was written. */
export function checker(database: DatabaseSync, tell: (run: string, thrown: unknown) => void): Check {
  // Apart from what the writer knows by heart: to look at every run must not make it forget those in use.
  const tables = sqliteTables(database, { remember: false });
  const next = query<{ readonly number: number; readonly run: string }>(
    database,
    'SELECT number, run FROM run WHERE number <= ? ORDER BY number DESC LIMIT 1',
  );
  return (from) => {
    let place = from;
    let size = 0;
    for (let runs = 0; runs < mostRuns && size < most; runs += 1) {
      const found = readable(() => next.one(place.number));
      if (!found) return undefined;
      let after: number | undefined = found.number === place.number ? place.after : 0;
      try {
        while (after !== undefined && size < most) {
          const chunks = tables.chunksAfter(found.run, after);
          for (const { frames } of chunks) size += frames.length;
          after = chunks.at(-1)?.last;
        }
        const row = after === undefined ? tables.run(found.run) : undefined;
        if (row && row.damaged !== null) tell(found.run, damagedAfter(row, row.damaged));
      } catch (thrown) {
        if (failureOf(thrown).code !== 'damaged' && !isCorrupt(thrown)) throw thrown;
        tell(found.run, thrown);
        after = undefined;
      }
      place = after === undefined ? { number: found.number - 1, after: 0 } : { number: found.number, after };
    }
    return place;
  };
}

/** Pages that make no sense are told when the folder is opened. */
function readable<T>(look: () => T | undefined): T | undefined {
  try {
    return look();
  } catch (thrown) {
    if (!isCorrupt(thrown)) throw thrown;
    return undefined;
  }
}

/** Journals that one process reads whole only to say in a list whether they are good. Bytes. */
const glanceRoom = 32 << 20;

/**
 * For those who do not stay to check everything: looks once at each run that is shown, whole while there is room, and then
 * at its end alone.
 */
export function glances(tables: Pick<Tables, 'chunksAfter'>, found: FoundDamage): (row: RunRow) => void {
  const seen = new Set<string>();
  let left = glanceRoom;
  return ({ run, head, bytes, damaged }) => {
    if (seen.has(run) || damaged !== null) return;
    seen.add(run);
    const isSmall = bytes <= left;
    if (isSmall) left -= bytes;
    try {
      for (let after: number | undefined = isSmall ? 0 : head - 1; after !== undefined;)
        after = tables.chunksAfter(run, after).at(-1)?.last;
    } catch (thrown) {
      found.note(run, thrown);
    }
  };
}
