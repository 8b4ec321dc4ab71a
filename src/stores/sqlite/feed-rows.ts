import type { DatabaseSync } from 'node:sqlite';
import { feedSize, noPlace } from '../rules/feed.ts';
import type { Tables } from '../rules/tables.ts';
import { query } from './rows.ts';
import { selectRuns, type StoredRun } from './runs.ts';
import type { FeedItem, FeedPlace, RunRow } from '../store.ts';

interface Moved {
  readonly moved: number;
  readonly number: number;
}

/**
 * A place is the commit of a run's last change, which is counted anyway, and the run's number. Runs that were there before
 * there was a feed have all changed in the first commit.
 */
export function feedRows(
  database: DatabaseSync,
  shownTo: (tenant: string) => (stored: StoredRun) => RunRow,
): Pick<Tables, 'feed'> {
  const changed = query<StoredRun & Moved>(
    database,
    `${selectRuns.replace('SELECT ', 'SELECT moved, ')} WHERE tenant = ?1 AND (moved, number) > (?2, ?3)
      ORDER BY moved, number LIMIT ?4`,
  );
  const gone = query<Moved & { readonly run: string }>(
    database,
    `SELECT moved, number, run FROM erased WHERE tenant = ?1 AND (moved, number) > (?2, ?3)
      ORDER BY moved, number LIMIT ?4`,
  );
  const commits = query<{ readonly count: number }>(database, 'SELECT count FROM commits');
  return {
    feed({ tenant, after, limit = feedSize }: FeedPlace) {
      const count = commits.one()?.count ?? 0;
      const from = placeIn(after);
      if (from.moved > count) throw noPlace(after ?? '');
      const shown = shownTo(tenant);
      const values = [tenant, from.moved, from.number, limit] as const;
      const items = [
        ...changed.all(...values).map((stored) => ({ ...itemAt(stored), row: shown(stored) })),
        ...gone.all(...values).map((moved) => ({ ...itemAt(moved), row: undefined })),
      ];
      items.sort((one, other) => one.moved - other.moved || one.number - other.number);
      const page = items.slice(0, limit).map(({ place, run, row }): FeedItem => ({ place, run, row }));
      return { items: page, last: placeOf({ moved: count, number: Number.MAX_SAFE_INTEGER }) };
    },
  };
}

function itemAt({ run, moved, number }: Moved & { readonly run: string }) {
  return { run, moved, number, place: placeOf({ moved, number }) };
}

function placeOf({ moved, number }: Moved): string {
  return `${moved}.${number}`;
}

function placeIn(after: string | undefined): Moved {
  if (after === undefined) return { moved: 0, number: 0 };
  const [, moved, number] = /^(\d{1,15})\.(\d{1,16})$/.exec(after) ?? [];
  if (moved === undefined) throw noPlace(after);
  return { moved: Number(moved), number: Number(number) };
}
