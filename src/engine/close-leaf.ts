import type { Step } from '../run/tree.ts';
import type { Execution } from './execution.ts';
import { keepLarge } from './large.ts';
import type { LeafOutcome } from './leaf.ts';

/** Record how an effect came out. */
export async function closeLeaf(execution: Execution, step: Step, outcome: LeafOutcome): Promise<void> {
  const result = outcome.result === undefined ? {} : { result: await keepLarge(execution, outcome.result) };
  execution.emit({ type: 'step.closed', step: step.id, ...outcome, ...result });
}
