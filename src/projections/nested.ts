import type { StepId } from '../run/events.ts';

/** An open step among others: plain data without references, so that any number of them is quickly copied. */
export interface Nested {
  readonly id: StepId;
  /** The step that opened it, or the run where that one is not open. */
  readonly parent: StepId;
  /** What it has opened or planned that is not over, in the order of opening. */
  readonly below: Set<StepId>;
}

/** The step itself, or the run where there is no such step: nothing may be lost for want of a place. */
export function stepOrRun<Step extends Nested>(
  { steps, run }: { readonly steps: ReadonlyMap<StepId, Step>; readonly run: Step },
  id: StepId,
): Step {
  return steps.get(id) ?? run;
}

/** All that is not over below a step, the deepest first. A list, not recursion: trees may be deeper than the stack. */
export function below(steps: ReadonlyMap<StepId, Nested>, step: Nested): readonly StepId[] {
  const ids = [...step.below];
  for (const id of ids) for (const child of steps.get(id)?.below ?? []) ids.push(child);
  return ids.reverse();
}
