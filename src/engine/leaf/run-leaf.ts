import { RunError } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import { isOpen, type Step } from '../../run/tree.ts';
import { leaveLine } from '../conversation/leave-line.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import { loadLarge } from '../record/large.ts';
import { meet } from '../recovery/meet.ts';
import { failureIn } from '../scope/broken.ts';
import { settleDoubt } from './doubt.ts';
import { closeLeaf, lastEdit, type Leaf, type LeafOutcome } from './leaf.ts';
import { judge, openLeaf } from './open-leaf.ts';
import { permit } from './permit.ts';
import { expectWithin } from '../time/deadlines.ts';

const maxAttempts = 3;
const firstPause = 200;

/**
 * Run a leaf, or recall how it ended. The intent is durable before the effect begins, and the outcome is recorded before
 * anything can be built on it. What may be repeated is tried again when the failure says that it could help.
 */
export async function runLeaf(execution: Execution, parent: number, leaf: Leaf): Promise<Step> {
  const { kind, agent, call } = leaf.opening;
  const known = meet(execution, { parent, key: leaf.key, kind, agent, call });
  if (known instanceof Promise) return known;
  expectWithin(leaf.opening.title, leaf.opening.within);
  const step = known ?? (await openLeaf(execution, parent, leaf));
  const { deadlines } = execution;
  const working = deadlines.keep(step, () => work(execution, step, { leaf, isDoubtful: known?.started }));
  // What it is called for learns of the end of its time from the step.
  await working.catch((thrown: unknown) => (deadlines.hasCut(step.id) ? undefined : Promise.reject(thrown)));
  if (!deadlines.hasCut(step.id)) return step;
  await execution.busy(leaveLine(execution, step, leaf));
  return deadlines.hasCut(parent) ? forever() : step;
}

async function work(
  execution: Execution,
  step: Step,
  { leaf, isDoubtful = false }: { readonly leaf: Leaf; readonly isDoubtful?: boolean | undefined },
): Promise<void> {
  if (isOpen(step)) {
    if (isDoubtful) await settleDoubt(execution, step, { leaf });
    else if (!step.started) await permit(execution, step, leaf);
  }
  const first = step.attempt;
  while (isOpen(step)) {
    const attempt = perform(execution, step, { leaf, first });
    const failed = await execution.busy(execution.deadlines.unlessCut(step.id, attempt));
    if (!failed) break;
    if (isInDoubt(leaf, failed)) await settleDoubt(execution, step, { leaf, why: failed.failure?.message });
    else await tryAgain(execution, step, { leaf, first, failed });
  }
}

interface Trying {
  readonly leaf: Leaf;
  /** The attempt this worker began with: those a gateway makes by itself count as well. */
  readonly first: number;
}

/** What may happen once and was lost on the way is not known to have failed. */
function isInDoubt({ effect }: Leaf, { isLost = false }: LeafOutcome): boolean {
  return isLost && effect === 'once';
}

/** One attempt. How it failed, if that is not the end of it; whatever else came of it is recorded. */
async function perform(execution: Execution, step: Step, trying: Trying): Promise<LeafOutcome | undefined> {
  const { leaf } = trying;
  const signal = execution.deadlines.signalAt(step.id);
  const begin = async (): Promise<boolean> => {
    await execution.barrier();
    return execution.mayAct();
  };
  // What will run: what the flow asked for, or what a person made of it.
  const edit = lastEdit(execution.tree, step.id);
  const bytes = edit === undefined ? leaf.bytes : await loadLarge(execution, edit);
  const outcome = await leaf.perform(step, bytes, begin).catch((thrown: unknown) => {
    const isBug = !(thrown instanceof RunError) && !signal.aborted;
    if (isBug) execution.world.log.error({ run: execution.run, cause: thrown }, 'An effect broke.');
    return { outcome: 'failed', failure: failureIn(step.title, thrown) } satisfies LeafOutcome;
  });
  if (!outcome) return undefined;
  // Cut off: by a stop, and the end of the run closes it with its doubt, or by the end of its time, which has closed it.
  if (outcome.outcome === 'failed' && signal.aborted) return undefined;
  if (isOpen(step) && isInDoubt(leaf, outcome)) return outcome;
  if (isOpen(step) && isWorthAnother(execution, step, { ...trying, failed: outcome })) return outcome;
  await settle(execution, step, { leaf, outcome });
  return undefined;
}

/** An approval is for one attempt: what a person agreed to is not repeated without asking again. */
function isWorthAnother(
  execution: Execution,
  { id, attempt }: Step,
  { leaf, first, failed }: Trying & { readonly failed: LeafOutcome },
): boolean {
  const { failure } = failed;
  if (leaf.effect === 'once' || failure?.retryable !== true || attempt - first + 1 >= maxAttempts)
    return false;
  // Whoever has waited a whole timeout for a model is not made to wait another one.
  if (leaf.opening.kind === 'turn' && failure.code === 'timed-out') return false;
  for (const { step } of execution.tree.approvals.values()) if (step === id) return false;
  return !isUsedUp(execution, leaf);
}

function isUsedUp(execution: Execution, leaf: Leaf): boolean {
  const verdict = judge(execution, leaf);
  return verdict.verdict === 'refuse' && verdict.code === 'BUDGET_EXHAUSTED';
}

/** After a pause that grows. A stop ends it, and nothing begins anew while the run is paused. */
async function tryAgain(
  execution: Execution,
  step: Step,
  { leaf, first, failed }: Trying & { readonly failed: LeafOutcome },
): Promise<void> {
  const { world, deadlines } = execution;
  const pause = firstPause * 2 ** (step.attempt - first);
  await execution.busy(world.clock.sleep(pause, deadlines.signalAt(step.id)));
  while (execution.isGated) await execution.gate();
  if (isUsedUp(execution, leaf)) return execution.busy(settle(execution, step, { leaf, outcome: failed }));
  const reason = failed.failure?.message ?? 'It failed.';
  const { usage } = failed;
  const paid = usage && { tokens: usage.input + usage.output, ...present({ cost: usage.cost }) };
  const attempt = step.attempt + 1;
  execution.emit({ type: 'step.retried', step: step.id, attempt, reason, ...paid });
}

async function settle(
  execution: Execution,
  step: Step,
  { leaf, outcome }: { readonly leaf: Leaf; readonly outcome: LeafOutcome },
): Promise<void> {
  await closeLeaf(execution, step, outcome);
  if (!execution.deadlines.hasCut(step.id)) await leaveLine(execution, step, leaf);
}
