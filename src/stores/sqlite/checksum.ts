import { hash } from 'node:crypto';
import type { RunRow } from '../store.ts';

/** A chunk as it lies in a database, with the time it was committed at. */
export interface Summed {
  readonly run: string;
  readonly first: number;
  readonly last: number;
  readonly at: number;
  readonly frames: string;
}

/**
 * The checksum of a chunk covers that of the chunk before it, so the last one stands for the whole journal: a chunk that
 * was changed, lost, swapped or brought from another run does not fit. SHA-256, since it is to prove what happened, not
 * only to notice a bad disk; it costs about a microsecond a chunk.
 */
export function chunkSum(previous: string, { run, first, last, at, frames }: Summed): string {
  return hash('sha256', `${previous} ${run} ${first} ${last} ${at}\n${frames}`, 'base64');
}

/** What the first chunk of a run follows. */
export const noSum = '';

/** Of a run as lists and workers need it. Leases are left out: they are moved for many runs at once, and mend themselves. */
export function runSum(row: SummedRun, changedAt: number): string {
  const { run, tenant, conversation, app, title, flow, status, approvals, state } = row;
  const { epoch, worker, wakeAt, createdAt, damaged } = row;
  const { replaces, replacedBy, facts } = row;
  const names = [run, tenant, conversation, app, title, flow];
  // What was written before places could be taken has the sum it had.
  const places = replaces === null && replacedBy === null ? [] : [replaces, replacedBy];
  const counts = [status, approvals, state, epoch, worker, wakeAt, createdAt, damaged, changedAt];
  // The same of what was written before there was an index.
  return sumOf(...names, ...counts, ...places, ...(facts === null ? [] : [facts]));
}

type SummedRun = Omit<RunRow, 'head' | 'updatedAt' | 'leaseUntil' | 'facts'> & {
  readonly facts: string | null;
};

/** Of any other row, as SQLite keeps it: half a character comes back as U+FFFD, and that is no damage. */
export function sumOf(...values: readonly (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(values.map(kept)), 'base64');
}

function kept(value: string | number | null): string | number | null {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
