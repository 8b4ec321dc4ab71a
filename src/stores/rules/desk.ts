import { RunError } from '../../run/failure.ts';
import type { Fence, Hint, RunRow } from '../store.ts';
import type { Tables } from './tables.ts';

/** What a rule works on: the rows, the store's time, and the hints to give once the transaction is durable. */
export interface Desk {
  readonly tables: Tables;
  readonly now: number;
  readonly hints: Hint[];
}

export function runOf({ tables }: Desk, run: string): RunRow {
  const row = tables.run(run);
  if (!row)
    throw new RunError('unknown', `There is no run ${run}: it was never created here, or it was erased.`);
  return row;
}

/** The run, if this fence holds it. A run that is parked, given back or ended is held by nobody. */
export function heldBy(desk: Desk, { run, epoch }: Fence): RunRow {
  const row = runOf(desk, run);
  if (row.state === 'ended')
    throw new RunError('rejected', `Run ${run} has ended at ${row.head}: nothing can follow.`);
  if (row.epoch !== epoch) {
    throw new RunError(
      'rejected',
      `Run ${run} is at epoch ${row.epoch}, not ${epoch}: another worker took it over, so stop working on it.`,
    );
  }
  if (row.state !== 'running') {
    throw new RunError(
      'rejected',
      `Run ${run} is ${row.state}: epoch ${epoch} gave it away, so claim it again before writing.`,
    );
  }
  return row;
}

export function expectHead({ run, head }: RunRow, expected: number): void {
  if (head === expected) return;
  throw new RunError(
    'rejected',
    `Run ${run} is at entry ${head}, not ${expected}: read what is recorded after ${Math.min(head, expected)} before writing again.`,
  );
}

/** A row whose change lists show: the run moves to the end of the feed. */
export function showRun(desk: Desk, row: RunRow): void {
  desk.tables.changeRun(row, true);
  tellChange(desk, row);
}

export function tellChange({ hints }: Desk, { run, tenant }: RunRow): void {
  hints.push({ type: 'changed', run, tenant });
}

/** Lets anyone claim the run from now on. */
export function makeReady(desk: Desk, row: RunRow): void {
  if (row.damaged !== null) return;
  desk.tables.changeRun({
    ...row,
    state: 'ready',
    worker: null,
    leaseUntil: 0,
    wakeAt: null,
    updatedAt: desk.now,
  });
  desk.hints.push({ type: 'ready', run: row.run });
}
