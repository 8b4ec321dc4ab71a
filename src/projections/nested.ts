import type { StepId } from '../run/events.ts';

/** An open step among others: plain data without references, so that any number of them is quickly copied. */
export interface Nested {
  readonly id: StepId;
  /** The step that opened it, or the run where that one is not open. */
  readonly parent: StepId;
  /** What it has opened or planned that is not over, in the order of opening. */
  readonly below: Set<StepId>;
}

/** All that is open, and the run it is in. */
export interface NestedSteps<Step extends Nested> {
  readonly steps: ReadonlyMap<StepId, Step>;
  readonly run: Step;
}

/** The step itself, or the run where there is no such step: nothing may be lost for want of a place. */
export function stepOrRun<Step extends Nested>({ steps, run }: NestedSteps<Step>, id: StepId): Step {
  return steps.get(id) ?? run;
}

export function parentOf<Step extends Nested>(story: NestedSteps<Step>, { parent }: Step): Step {
  return stepOrRun(story, parent);
}

/** A step and all that it is in, without the run. */
export function around<Step extends Nested>(story: NestedSteps<Step>, step: Step): Step[] {
  const found: Step[] = [];
  for (let each = step; each !== story.run; each = parentOf(story, each)) found.push(each);
  return found;
}

/** A step on foreign wires; the run itself has no name there. */
export function stepName(id: StepId): string | undefined {
  return id === 0 ? undefined : `s${id}`;
}

/** All that is not over below a step, the deepest first. A list, not recursion: trees may be deeper than the stack. */
export function below(steps: ReadonlyMap<StepId, Nested>, step: Nested): readonly StepId[] {
  const ids = [...step.below];
  for (const id of ids) for (const child of steps.get(id)?.below ?? []) ids.push(child);
  return ids.reverse();
}
