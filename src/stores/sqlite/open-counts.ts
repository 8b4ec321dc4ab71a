import type { DatabaseSync } from 'node:sqlite';
import { query } from './rows.ts';
import type { RunRow, Unfinished } from '../store.ts';
import { countedOpen, type Tables } from '../rules/tables.ts';

/** How many runs have not ended. The only writer knows it by heart: every start asks, and counting takes longer with each of them. */
export interface OpenCounts extends Pick<Tables, 'questions' | 'unfinished'> {
  /** A run was another before, or was not there; undefined where it is gone. */
  readonly moved: (before: RunRow | undefined, after: RunRow | undefined) => void;
  readonly forget: () => void;
}

export function openCounts(database: DatabaseSync, remember: boolean): OpenCounts {
  const undecided = query<{ readonly count: number }>(
    database,
    "SELECT coalesce(sum(approvals), 0) AS count FROM run INDEXED BY runWithApprovals WHERE approvals > 0 AND state <> 'ended'",
  );
  const open = query<Unfinished>(
    database,
    `SELECT coalesce(sum(state <> 'waiting'), 0) AS working, coalesce(sum(state = 'waiting'), 0) AS waiting
      FROM run INDEXED BY runUnfinished WHERE tenant = ? AND state <> 'ended'`,
  );
  const known = new Map<string, Unfinished>();
  return {
    questions: () => undecided.one()?.count ?? 0,
    unfinished(tenant) {
      const count = known.get(tenant) ?? { working: 0, waiting: 0, ...open.one(tenant) };
      if (remember) known.set(tenant, count);
      return count;
    },
    moved(before, after) {
      const { tenant = '', damaged = null } = before ?? after ?? {};
      const count = known.get(tenant);
      if (count === undefined) return;
      // What is damaged may be counted as something else than it is shown as.
      if (damaged === null) known.set(tenant, changed(count, openIn(before), openIn(after)));
      else known.delete(tenant);
    },
    forget: () => known.clear(),
  };
}

function openIn(row: RunRow | undefined): Unfinished {
  return countedOpen(row ? [row] : []);
}

function changed({ working, waiting }: Unfinished, before: Unfinished, after: Unfinished): Unfinished {
  return {
    working: working + after.working - before.working,
    waiting: waiting + after.waiting - before.waiting,
  };
}
