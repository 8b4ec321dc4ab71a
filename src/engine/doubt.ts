import type { Step } from '../run/tree.ts';
import type { Json } from '../run/values.ts';
import { closeLeaf } from './close-leaf.ts';
import type { Execution } from './execution.ts';
import type { Leaf } from './leaf.ts';
import { ask } from './permit.ts';

/**
 * A leaf that was begun and has no outcome: nobody knows whether it happened. What may be repeated is repeated; for the
 * rest a person decides, and agreeing never repeats anything.
 */
export async function settleDoubt(execution: Execution, step: Step, leaf: Leaf): Promise<void> {
  const again = (reason: string, bytes?: Json): void => {
    const call = bytes === undefined ? undefined : leaf.edited(bytes);
    const attempt = step.attempt + 1;
    execution.emit({ type: 'step.retried', step: step.id, attempt, reason, ...(call ? { call } : {}) });
  };
  if (leaf.effect !== 'once') return again('The worker ended during this attempt.');
  const { approval } = ask(execution, step, {
    purpose: 'doubt',
    bytes: leaf.bytes,
    title: `Did «${step.title}» happen?`,
    message:
      'It was begun, and the worker ended before its outcome was recorded. ' +
      'Approve to go on as if it was done (nothing is repeated), reject to go on as if it was not, ' +
      'edit to run it again with the arguments you give.',
    allowed: ['approve', 'reject', 'edit', 'defer'],
    priority: 'high',
  });
  const decided = await execution.decision(approval);
  for (let gate = execution.gate(); gate; gate = execution.gate()) await gate;
  if (decided.decision === 'edit')
    return again(`${decided.by} asked to run it again.`, decided.arguments as Json);
  if (decided.decision === 'approve') {
    const result = decided.answer ?? { outcome: 'unknown', note: `${decided.by} took it as done.` };
    return closeLeaf(execution, step, { outcome: 'completed', result });
  }
  const message = `«${step.title}» may or may not have happened; ${decided.by} did not count on it.`;
  return closeLeaf(execution, step, { outcome: 'failed', failure: { code: 'unavailable', message } });
}
