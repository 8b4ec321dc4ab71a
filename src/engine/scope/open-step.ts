import type { EventOf } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import type { Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';

/** Open a step in its place: the one that was planned there, or a new one. */
export function openStep(execution: Execution, opening: Omit<EventOf<'step.opened'>, 'type' | 'step'>): Step {
  const { recorded, tree, deadlines } = execution;
  if (deadlines.hasCut(opening.parent))
    throw new RunError('timed-out', `«${opening.title}» comes when the time of its step is over.`);
  const id = recorded.child(opening.parent, opening.key)?.id ?? tree.nextStep;
  execution.emit({ type: 'step.opened', step: id, ...opening });
  const step = tree.steps.get(id);
  if (!step) throw new Error(`step ${id} was opened and is not in the tree`);
  return step;
}
