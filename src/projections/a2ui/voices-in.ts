import type { StepId } from '../../run/events.ts';
import { stepOf, type RunTree, type Step } from '../../run/tree.ts';
import { saysAnswer } from '../../run/answer-text.ts';

/** Steps that speak for the run, in the order in which they began: the run itself first. */
export function voicesIn(tree: RunTree): readonly StepId[] {
  const voices = new Set<StepId>([0]);
  const aboveOf = ({ parent }: Step): { says: boolean; kind: string } => ({
    says: voices.has(parent),
    kind: stepOf(tree, parent).kind,
  });
  for (const step of tree.steps.values())
    if (step.id !== 0 && step.openedAt !== undefined && saysAnswer(step, aboveOf(step))) voices.add(step.id);
  const began = (id: StepId): number => stepOf(tree, id).openedSeq ?? 0;
  return [...voices].toSorted((one, other) => began(one) - began(other));
}

/** Steps whose words do not count any more: they were abandoned, or a step above them was tried again. */
export function goneIn(tree: RunTree): ReadonlySet<StepId> {
  const gone = new Set<StepId>();
  for (const { id, status, superseded } of tree.steps.values()) {
    if (status === 'abandoned') gone.add(id);
    for (const below of superseded) gone.add(below);
  }
  for (const { id, parent } of tree.steps.values()) if (gone.has(parent)) gone.add(id);
  return gone;
}
