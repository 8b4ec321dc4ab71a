import { RunError, type Failure } from '../../run/failure.ts';
import { onlyDeclared } from '../rules/declared.ts';
import { needsOf, perform } from '../rules/rules.ts';
import type { Operation } from '../batch.ts';
import type { Append, Hint } from '../store.ts';
import type { Rows, Wanted } from './port.ts';
import { workingSet, type WorkingSet } from './working-set.ts';

/** One operation of a batch. */
export interface Item {
  readonly operation: Operation;
  /** It was asked for before, and nobody knows what became of it. */
  readonly isDoubtful?: boolean;
}

export type Outcome = { readonly result: unknown } | { readonly failure: Failure };

export interface Decision {
  /** Of each item, in order. */
  readonly outcomes: readonly Outcome[];
  readonly hints: readonly Hint[];
  readonly set: WorkingSet;
}

/** What the rules say to each operation, one after the other, over the rows that were loaded for all of them. */
export function decide(items: readonly Item[], rows: Rows, wanted: Wanted): Decision {
  const set = workingSet(rows, wanted);
  const hints: Hint[] = [];
  const outcomes = items.map(({ operation: { name, argument }, isDoubtful }): Outcome => {
    if (isDoubtful && name === 'append' && isRecorded(rows, argument)) return { result: undefined };
    const tables = onlyDeclared(set.tables, needsOf(name, argument));
    try {
      return { result: perform({ tables, now: rows.now, hints }, name, argument) };
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      return { failure: thrown.failure };
    }
  });
  return { outcomes, hints, set };
}

/** The head tells what became of an append: a chunk that begins where it would begin is this one, or another's. */
function isRecorded({ chunks }: Rows, { fence, head, last, frames }: Append): boolean {
  return chunks.some(
    (chunk) =>
      chunk.run === fence.run && chunk.first === head + 1 && chunk.last === last && chunk.frames === frames,
  );
}
