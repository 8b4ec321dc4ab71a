import type { RunTree, Step } from '../../run/tree.ts';

/** Why a step came to nothing because a person said no to something in it, which says so itself; undefined otherwise. */
export function declinedIn(tree: RunTree, { status, failure, children }: Step): string | undefined {
  if (status !== 'failed' || failure?.code !== 'refused') return undefined;
  const isNo = (step: Step | undefined): boolean =>
    step?.failure?.message === failure.message &&
    (step.status === 'skipped' || declinedIn(tree, step) !== undefined);
  return children.some((id) => isNo(tree.steps.get(id)) || isRejected(tree, id))
    ? failure.message
    : undefined;
}

/** A question of its own that somebody answered with no. */
function isRejected({ steps, approvals }: RunTree, id: number): boolean {
  if (steps.get(id)?.kind !== 'ask') return false;
  return [...approvals.values()].some(({ step, decided }) => step === id && decided?.decision === 'reject');
}
