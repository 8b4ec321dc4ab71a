import type { Failure } from '../../run/failure.ts';
import { runOfOperation } from '../carrier.ts';
import type { Operation, Reply } from '../batch.ts';
import type { Hint } from '../store.ts';
import type { Item, Outcome } from './decide.ts';
import { decideLocked } from './locked.ts';
import { DatabaseError, type Database, type GuardedChunk } from './port.ts';
import { rememberedRows, type Remembered } from './remembered.ts';

/** How often a batch is decided anew before it is said that the database is not there. */
const tries = 4;

interface Work extends Item {
  readonly index: number;
}

interface Settled {
  readonly outcomes: Map<number, Outcome>;
  readonly hints: Hint[];
}

/**
 * Commits batches, one at a time. Appends to runs that this process works on are decided on the remembered row and hold
 * only if it is still so; everything else, and what did not hold, is decided under lock.
 */
export function committer(database: Database): (operations: readonly Operation[]) => Promise<Reply> {
  const remembered = rememberedRows();
  return async (operations) => {
    const settled: Settled = { outcomes: new Map(), hints: [] };
    const all = operations.map((operation, index): Work => ({ operation, index }));
    const left = await appendRemembered(database, remembered, { all, settled });
    if (left.length > 0) await settleLocked(database, remembered, { all: left, settled });
    return replyOf(operations, settled);
  };
}

interface Batch {
  readonly all: readonly Work[];
  readonly settled: Settled;
}

/** Gives back what has to be decided under lock, in its order. */
async function appendRemembered(
  database: Database,
  remembered: Remembered,
  { all, settled }: Batch,
): Promise<readonly Work[]> {
  const guarded = new Map<Work, GuardedChunk>();
  const met = new Set<string>();
  for (const work of all) {
    // Only the first operation of a run in this batch: what comes after it builds on what it does.
    const run = runOfOperation(work.operation.name, work.operation.argument);
    const chunk = run === undefined || met.has(run) ? undefined : remembered.chunkOf(work);
    if (chunk) guarded.set(work, chunk);
    if (run !== undefined) met.add(run);
  }
  if (guarded.size === 0) return all;
  try {
    const added = await database.compareAndSet([...guarded.values()]);
    const times = new Map(added.map(({ run, at }) => [run, at]));
    for (const [{ index }, chunk] of guarded) {
      const at = times.get(chunk.chunk.run);
      if (at === undefined) remembered.forget(chunk.chunk.run);
      else {
        remembered.grown(chunk, at);
        settled.outcomes.set(index, { result: undefined });
      }
    }
    return all.filter(({ index }) => !settled.outcomes.has(index));
  } catch (thrown) {
    if (!(thrown instanceof DatabaseError)) throw thrown;
    remembered.forgetAll();
    const isDoubtful = thrown.outcome === 'unknown';
    return all.map((work) => (guarded.has(work) ? { ...work, isDoubtful } : work));
  }
}

async function settleLocked(
  database: Database,
  remembered: Remembered,
  { all, settled }: Batch,
): Promise<void> {
  let left = all;
  for (let tried = 1; left.length > 0; tried += 1) {
    try {
      const decision = await decideLocked(database, left);
      remembered.learn(left, decision);
      left.forEach(({ index }, i) =>
        settled.outcomes.set(index, decision.outcomes[i] ?? { result: undefined }),
      );
      settled.hints.push(...decision.hints);
      return;
    } catch (thrown) {
      remembered.forgetAll();
      const outcome = thrown instanceof DatabaseError ? thrown.outcome : 'fault';
      const parts = outcome === 'busy' || outcome === 'fault' ? partsOf(left) : [];
      // One run that somebody has, or one fault of ours, must not keep all others.
      if (parts.length > 1) {
        await Promise.all(parts.map((part) => settleLocked(database, remembered, { all: part, settled })));
        return;
      }
      if (outcome === 'unknown') left = inDoubt(left, settled, thrown);
      if (outcome === 'busy' || outcome === 'fault' || tried >= tries) return fail(left, settled, thrown);
    }
  }
}

/** What is asked of one run stays together and in order. */
function partsOf(all: readonly Work[]): readonly (readonly Work[])[] {
  const parts = Map.groupBy(
    all,
    (work) => runOfOperation(work.operation.name, work.operation.argument) ?? work,
  );
  return [...parts.values()];
}

/** What became of an append its journal tells. Whoever asked for anything else has to look for themselves. */
function inDoubt(all: readonly Work[], settled: Settled, thrown: unknown): readonly Work[] {
  const [appends, others] = [all.filter(isOfEntries), all.filter((work) => !isOfEntries(work))];
  fail(others, settled, thrown);
  return appends.map((work) => ({ ...work, isDoubtful: true }));
}

function isOfEntries({ operation: { name, argument } }: Work): boolean {
  return name === 'append' && argument.last > argument.head;
}

function fail(all: readonly Work[], settled: Settled, thrown: unknown): void {
  for (const { index, operation } of all)
    settled.outcomes.set(index, { failure: failureOf(operation, thrown) });
}

function failureOf({ name }: Operation, thrown: unknown): Failure {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return thrown instanceof DatabaseError
    ? { code: 'unavailable', message: `The database did not answer (${why}): try again.`, retryable: true }
    : { code: 'internal', message: `The store could not perform ${name}: ${why}` };
}

function replyOf(operations: readonly Operation[], { outcomes, hints }: Settled): Reply {
  const each = operations.map((_, index) => outcomes.get(index) ?? { result: undefined });
  return {
    results: each.map((outcome) => ('result' in outcome ? outcome.result : undefined)),
    refusals: each.flatMap((outcome, index) =>
      'failure' in outcome ? [{ index, failure: outcome.failure }] : [],
    ),
    hints,
  };
}
