import type { Failure } from '../../run/failure.ts';
import type { Operation, Reply } from '../batch.ts';
import type { Read } from '../rules/rules.ts';
import type { CheckPlace } from './check.ts';
import type { Hint } from '../store.ts';

/** What a thread opens a folder for. `patient`: to write, and to read until its disk has space for that. */
export type Mode = 'read' | 'write' | 'patient';

export type ToThread =
  | readonly ['batch', now: number, jump: number, cells: readonly unknown[]]
  | readonly ['read', id: number, name: Read, argument: unknown]
  | readonly ['health', id: number]
  | readonly ['check', id: number, from: CheckPlace]
  | readonly ['close'];

export type FromThread =
  | readonly ['opened', notices: readonly string[]]
  | readonly ['refused', failure: Failure]
  | readonly ['committed', reply: Reply]
  /** What nobody waits for. */
  | readonly ['hints', hints: readonly Hint[]]
  /** Another process has the database for the moment: nothing was applied. */
  | readonly ['busy']
  /** Nothing of the batch was applied, as far as can be known. */
  | readonly ['failed', failure: Failure]
  | readonly ['result', id: number, result: unknown]
  | readonly ['unread', id: number, failure: Failure];

/** Handing over objects costs twice as much as handing over their fields, and appends are nearly all there is. */
export function flatten(operations: readonly Operation[]): unknown[] {
  const cells: unknown[] = [];
  for (const { name, argument } of operations) {
    if (name !== 'append') cells.push(name, argument);
    else {
      const { fence, head, last, frames, summary, uses, blobs, ends } = argument;
      cells.push(
        name,
        fence.run,
        fence.epoch,
        head,
        last,
        frames,
        summary.status,
        summary.approvals,
        uses,
        blobs,
        ends,
      );
    }
  }
  return cells;
}

export function unflatten(cells: readonly unknown[]): Operation[] {
  const operations: Operation[] = [];
  for (let i = 0; i < cells.length;) {
    if (cells[i] !== 'append') {
      operations.push({ name: cells[i], argument: cells[i + 1] } as Operation);
      i += 2;
    } else {
      const [run, epoch, head, last, frames, status, approvals, uses, blobs, ends] = cells.slice(
        i + 1,
        i + 11,
      );
      const argument = {
        fence: { run, epoch },
        head,
        last,
        frames,
        summary: { status, approvals },
        uses,
        blobs,
        ends,
      };
      operations.push({ name: 'append', argument } as Operation);
      i += 11;
    }
  }
  return operations;
}
