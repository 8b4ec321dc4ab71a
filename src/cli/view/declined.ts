import type { RunTree, Step } from '../../run/tree.ts';

/** Why a step came to nothing because a person said no to it, or to something in it, which says so itself; undefined otherwise. */
export function declinedIn(tree: RunTree, { id, status, failure, children }: Step): string | undefined {
  if (failure?.code !== 'refused') return undefined;
  const isNo = (step: Step | undefined): boolean =>
    step?.failure?.message === failure.message &&
    (step.status === 'skipped' || declinedIn(tree, step) !== undefined);
  const isDeclined =
    status === 'skipped'
      ? isRejected(tree, id)
      : status === 'failed' &&
        children.some((child) => isNo(tree.steps.get(child)) || isRejectedAsk(tree, child));
  return isDeclined ? failure.message : undefined;
}

/** A question of its own that somebody answered with no. */
function isRejectedAsk(tree: RunTree, id: number): boolean {
  return tree.steps.get(id)?.kind === 'ask' && isRejected(tree, id);
}

function isRejected({ approvals }: RunTree, id: number): boolean {
  return [...approvals.values()].some(({ step, decided }) => step === id && decided?.decision === 'reject');
}
