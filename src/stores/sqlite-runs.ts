import type { DatabaseSync } from 'node:sqlite';
import { change, query } from './sqlite-rows.ts';
import type { RunRow } from './store.ts';
import { dueAt } from './tables.ts';

/** A run as the tables have it, with the number its entries and commands are kept under. */
export type StoredRun = RunRow & { readonly number: number };

export interface RunRows {
  readonly run: (run: string) => RunRow | undefined;
  readonly number: (run: string) => number;
  readonly addRun: (row: RunRow, key: string | undefined) => void;
  readonly changeRun: (row: RunRow) => void;
  readonly forgetRun: (run: string) => void;
  /** The run's head moved, which is kept nowhere but in its chunks. */
  readonly moveHead: (run: string, head: number, at: number) => void;
  /** What was remembered of a transaction that did not happen is wrong. */
  readonly forgetAll: () => void;
}

export const columns = `number, run, tenant, conversation, app, title, flow, status, approvals, state, epoch, worker,
  leaseUntil, wakeAt, createdAt,
  coalesce((SELECT last FROM chunk WHERE chunk.run = number ORDER BY last DESC LIMIT 1), 0) AS head,
  max(changedAt, coalesce((SELECT at FROM chunk WHERE chunk.run = number ORDER BY last DESC LIMIT 1), 0)) AS updatedAt`;

export function rowOf(stored: StoredRun): RunRow {
  const { number: _, ...row } = stored;
  return row;
}

interface Known {
  readonly number: number;
  row: RunRow;
}

const hotRuns = 10_000;

/** `remember` is for the only writer: it knows the runs in use by heart, so that the fence of an append costs no query. */
export function runRows(database: DatabaseSync, remember: boolean): RunRows {
  const hot = new Map<string, Known>();
  const byName = query<StoredRun>(database, `SELECT ${columns} FROM run WHERE run = ?`);
  const find = (run: string): Known | undefined => {
    const hit = hot.get(run);
    if (hit) return hit;
    const stored = byName.one(run);
    if (!stored) return undefined;
    const known = { number: stored.number, row: rowOf(stored) };
    if (hot.size >= hotRuns) hot.clear();
    if (remember) hot.set(run, known);
    return known;
  };
  const existing = (run: string): Known => {
    const known = find(run);
    if (!known) throw new RangeError(`rows of run ${run} were asked for without looking whether it exists`);
    return known;
  };
  const { insert, update } = writing(database);
  return {
    run: (run) => find(run)?.row,
    number: (run) => existing(run).number,
    addRun: insert,
    changeRun(row) {
      update(row);
      existing(row.run).row = row;
    },
    forgetRun: (run) => void hot.delete(run),
    moveHead(run, head, at) {
      const known = hot.get(run);
      if (known) known.row = { ...known.row, head, updatedAt: at };
    },
    forgetAll: () => hot.clear(),
  };
}

function writing(database: DatabaseSync): {
  readonly insert: (row: RunRow, key: string | undefined) => void;
  readonly update: (row: RunRow) => void;
} {
  const insert = change(
    database,
    `INSERT INTO run (run, tenant, conversation, app, title, loweredTitle, flow, idempotencyKey, status, approvals, state,
      epoch, worker, leaseUntil, wakeAt, due, createdAt, changedAt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = change(
    database,
    `UPDATE run SET status = ?, approvals = ?, state = ?, epoch = ?, worker = ?, leaseUntil = ?, wakeAt = ?, due = ?,
      changedAt = ? WHERE run = ?`,
  );
  const moving = (row: RunRow) => {
    const { status, approvals, state, epoch, worker, leaseUntil, wakeAt } = row;
    return [status, approvals, state, epoch, worker, leaseUntil, wakeAt, dueAt(row)];
  };
  const fixed = ({ run, tenant, conversation, app, title, flow }: RunRow) => [
    run,
    tenant,
    conversation,
    app,
    title,
    title.toLowerCase(),
    flow,
  ];
  return {
    insert: (row, key) => insert(...fixed(row), key ?? null, ...moving(row), row.createdAt, row.updatedAt),
    update: (row) => update(...moving(row), row.updatedAt, row.run),
  };
}
