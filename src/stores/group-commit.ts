import { errorOf, RunError } from '../run/failure.ts';
import { runOfOperation } from './facets.ts';
import type { Argument, Result, Write } from './rules/rules.ts';
import type { Operation, Reply } from './batch.ts';
import type { Append } from './store.ts';

/** A chunk that grows by joining stays small enough to be a step of a cursor. */
const joinedSize = 64 * 1024;

interface Item {
  operation: Operation;
  readonly callers: { resolve(value: unknown): void; reject(reason: unknown): void }[];
}

export interface GroupCommit {
  add<Name extends Write>(name: Name, argument: Argument<Name>): Promise<Result<Name>>;
  /** Resolves when nothing is under way. */
  drained(): Promise<void>;
}

/**
 * What all runs ask for while one batch is being committed is the next batch. Everyone here waits for the outcome, so
 * nothing is held back for the sake of a larger batch: under load batches grow by themselves.
 */
export function groupCommit(commit: (operations: readonly Operation[]) => Promise<Reply>): GroupCommit {
  let queue: Item[] = [];
  let openAppends = new Map<string, Item>();
  let flushing: Promise<void> | undefined;

  const flush = async (): Promise<void> => {
    while (queue.length > 0) {
      // Those who were just answered have their next request ready within this turn of the loop.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = queue;
      queue = [];
      openAppends = new Map();
      await settle(batch, commit);
    }
    flushing = undefined;
  };

  return {
    add: (name, argument) =>
      new Promise((resolve, reject) => {
        const caller = { resolve: resolve as (value: unknown) => void, reject };
        const run = runOfOperation(name, argument);
        const open = run === undefined ? undefined : openAppends.get(run);
        if (open && name === 'append' && join(open, argument as Append)) open.callers.push(caller);
        else {
          const item: Item = { operation: { name, argument } as Operation, callers: [caller] };
          queue.push(item);
          if (run !== undefined) {
            if (name === 'append') openAppends.set(run, item);
            else openAppends.delete(run);
          }
        }
        flushing ??= flush();
      }),
    drained: () => flushing ?? Promise.resolve(),
  };
}

/** Appends of one run that follow each other become one chunk: if the first is refused, the second must be too. */
function join(item: Item, next: Append): boolean {
  const { name, argument } = item.operation;
  if (name !== 'append' || argument.ends || argument.fence.epoch !== next.fence.epoch) return false;
  if (argument.last !== next.head || argument.frames.length + next.frames.length > joinedSize) return false;
  const uses = [...(argument.uses ?? []), ...(next.uses ?? [])];
  const frames = argument.frames + next.frames;
  item.operation = { name, argument: { ...next, head: argument.head, frames, uses } };
  return true;
}

async function settle(
  batch: readonly Item[],
  commit: (operations: readonly Operation[]) => Promise<Reply>,
): Promise<void> {
  try {
    const { results, refusals } = await commit(batch.map(({ operation }) => operation));
    const refused = new Map(refusals.map(({ index, failure }) => [index, errorOf(failure)]));
    batch.forEach(({ callers }, index) => {
      const refusal = refused.get(index);
      for (const caller of callers) {
        if (refusal) caller.reject(refusal);
        else caller.resolve(results[index]);
      }
    });
  } catch (thrown) {
    const failure =
      thrown instanceof RunError
        ? thrown
        : new RunError('unavailable', 'The commit failed.', { cause: thrown });
    for (const { callers } of batch) for (const caller of callers) caller.reject(failure);
  }
}
