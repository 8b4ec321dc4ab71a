import type { DatabaseSync } from 'node:sqlite';
import type { Dispatch } from './dispatch.ts';

/** The dispatches there were, by the key each was asked for with. */
export interface DispatchLog {
  /** The dispatch of this key: the one that was sent, or the one that is made now with the next number. */
  keep(key: string, make: (number: number) => Dispatch): Dispatch;
  all(): readonly Dispatch[];
}

/** Kept in SQLite, so that who was sent out yesterday is not sent again today. */
export function dispatchLog(records: DatabaseSync): DispatchLog {
  const known = records.prepare('SELECT dispatch FROM dispatches WHERE key = ?');
  const newest = records.prepare('SELECT coalesce(max(number), 0) AS number FROM dispatches');
  const insert = records.prepare('INSERT INTO dispatches (number, key, dispatch) VALUES (?, ?, ?)');
  const all = records.prepare('SELECT dispatch FROM dispatches ORDER BY number');
  return {
    keep(key, make) {
      const before = known.get(key);
      if (before) return read(before);
      const number = Number(newest.get()?.['number']) + 1;
      const dispatch = make(number);
      insert.run(number, key, JSON.stringify(dispatch));
      return dispatch;
    },
    all: () => all.all().map(read),
  };
}

function read(row: Readonly<Record<string, unknown>>): Dispatch {
  const dispatch: Dispatch = JSON.parse(String(row['dispatch']));
  return dispatch;
}
