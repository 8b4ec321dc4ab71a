import type { StepId } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import type { Execution } from '../execution.ts';
import { isSkipped } from '../recovery/recorded.ts';
import type { PlannedStep } from '../scope.ts';

/** Show what will come in a scope, once. */
export function planSteps(execution: Execution, parent: StepId, steps: readonly PlannedStep[]): void {
  const { recorded, tree } = execution;
  for (const { key, title, kind = 'step' } of steps) {
    if (execution.isAside || recorded.child(parent, key)) continue;
    const step = tree.nextStep;
    execution.emit({ type: 'step.planned', step, parent, key, kind, title });
    const planned = tree.steps.get(step);
    if (planned) recorded.plan(planned);
  }
  // It is what people see first of a run: they wait for it, though the flow does not.
  if (parent === 0) execution.writer.hurry();
}

/** Close what was planned and will not be done. A recovery finds it closed. */
export function skipPlanned(
  execution: Execution,
  parent: StepId,
  { key, reason }: { readonly key: string; readonly reason: string },
): void {
  const { recorded } = execution;
  const planned = recorded.child(parent, key);
  if (!planned) throw new RunError('malformed', `«${key}» was not planned here, so it cannot be skipped.`);
  if (planned.status !== 'pending') {
    recorded.visit(planned);
    if (!isSkipped(planned)) void execution.diverge(`The flow skips «${key}», which was recorded as begun.`);
    return;
  }
  if (execution.isAside) return;
  const failure = { code: 'refused' as const, message: reason };
  execution.emit({ type: 'step.closed', step: planned.id, outcome: 'skipped', failure });
}
