import type { StepId } from '../../run/events.ts';
import { emptyMap, valueAt, withoutValue, withValue, type StepMap } from './step-map.ts';

/** A step as far as a projection must remember it, until it closes. */
export interface OpenStep<T> {
  readonly id: StepId;
  readonly parent: StepId;
  readonly depth: number;
  readonly value: T;
  /** All it has opened, the last one first; those that have closed since are no longer in the map. */
  readonly opened: Chain | undefined;
}

/** The steps of a run that are open, as a value. The run itself is one of them. */
export type OpenSteps<T> = StepMap<OpenStep<T>>;

interface Chain {
  readonly id: StepId;
  readonly before: Chain | undefined;
}

export function onlyRun<T>(value: T): OpenSteps<T> {
  return withValue(emptyMap(), 0, { id: 0, parent: 0, depth: 0, value, opened: undefined });
}

export function openStep<T>(steps: OpenSteps<T>, id: StepId): OpenStep<T> | undefined {
  return valueAt(steps, id);
}

/** The step itself, or the run where there is no such step: nothing may be lost for want of a place. */
export function openStepOrRun<T>(steps: OpenSteps<T>, id: StepId): OpenStep<T> {
  const step = valueAt(steps, id) ?? valueAt(steps, 0);
  if (!step) throw new RangeError('the run itself is always among its open steps');
  return step;
}

/** With one more step, below its parent. */
export function withOpened<T>(
  steps: OpenSteps<T>,
  { step: id, parent }: { readonly step: StepId; readonly parent: StepId },
  value: T,
): OpenSteps<T> {
  const above = openStepOrRun(steps, parent);
  const step = { id, parent: above.id, depth: above.depth + 1, value, opened: undefined };
  const known = { ...above, opened: { id, before: above.opened } };
  return withValue(withValue(steps, above.id, known), id, step);
}

export function withChanged<T>(steps: OpenSteps<T>, id: StepId, value: T): OpenSteps<T> {
  const step = valueAt(steps, id);
  return step ? withValue(steps, id, { ...step, value }) : steps;
}

export function withClosed<T>(steps: OpenSteps<T>, id: StepId): OpenSteps<T> {
  return withoutValue(steps, id);
}

/** All that is open below a step, the deepest first: the order in which they end when the step does. */
export function openBelow<T>(steps: OpenSteps<T>, id: StepId): readonly OpenStep<T>[] {
  const step = valueAt(steps, id);
  if (!step) return [];
  const found = [step];
  // An id that was opened again after its end is in the chain twice.
  const seen = new Set<StepId>();
  for (const above of found) {
    const children: OpenStep<T>[] = [];
    for (let link = above.opened; link; link = link.before) {
      const child = seen.has(link.id) ? undefined : valueAt(steps, link.id);
      if (child?.parent !== above.id) continue;
      seen.add(link.id);
      children.push(child);
    }
    for (const child of children.reverse()) found.push(child);
  }
  return found.slice(1).reverse();
}

/** As if it had opened nothing yet: what a former attempt opened does not count any more. */
export function withNothingOpened<T>(steps: OpenSteps<T>, id: StepId): OpenSteps<T> {
  const step = valueAt(steps, id);
  return step ? withValue(steps, id, { ...step, opened: undefined }) : steps;
}
