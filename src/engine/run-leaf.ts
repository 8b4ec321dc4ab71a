import { failureOf, RunError } from '../run/failure.ts';
import { isOpen, type Step } from '../run/tree.ts';
import type { Json } from '../run/values.ts';
import { closeLeaf } from './close-leaf.ts';
import { settleDoubt } from './doubt.ts';
import { lastEdit } from './edited.ts';
import type { Execution } from './execution.ts';
import type { Leaf, LeafOutcome } from './leaf.ts';
import { meet } from './meet.ts';
import { openLeaf } from './open-leaf.ts';
import { permit } from './permit.ts';

/**
 * Run a leaf, or recall how it ended. The intent is durable before the effect begins, and the outcome is recorded before
 * anything can be built on it.
 */
export async function runLeaf(execution: Execution, parent: number, leaf: Leaf): Promise<Step> {
  const { kind, agent, call } = leaf.opening;
  const known = meet(execution, { parent, key: leaf.key, kind, agent, call });
  if (known instanceof Promise) return known;
  const step = known ?? (await openLeaf(execution, parent, leaf));
  if (isOpen(step)) {
    if (known?.started) await settleDoubt(execution, step, leaf);
    else if (!step.started) await permit(execution, step, leaf);
  }
  if (isOpen(step)) await execution.busy(perform(execution, step, leaf));
  return step;
}

async function perform(execution: Execution, step: Step, leaf: Leaf): Promise<void> {
  await execution.barrier();
  if (!(await execution.mayAct())) return;
  // What will run: what the flow asked for, or what a person made of it.
  const bytes = (lastEdit(execution.tree, step.id) ?? leaf.bytes) as Json;
  const outcome = await leaf.perform(step, bytes).catch((thrown: unknown) => {
    const isBug = !(thrown instanceof RunError) && !execution.signal.aborted;
    if (isBug) execution.world.log.error({ run: execution.run, cause: thrown }, 'An effect broke.');
    return { outcome: 'failed', failure: failureOf(thrown) } satisfies LeafOutcome;
  });
  // Cut off by a stop: the end of the run closes it, with its doubt.
  if (outcome.outcome === 'failed' && execution.signal.aborted) return;
  await closeLeaf(execution, step, outcome);
  if (leaf.exclusive !== undefined) await execution.line.stepAside(execution, leaf.exclusive);
}
