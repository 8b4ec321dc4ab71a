import { RunError } from './failure.ts';
import { undecidedApprovals, type Approval, type RunTree } from './tree.ts';

/**
 * The question that somebody means who names only its run: the one that is open, if there is one and it was never asked
 * anew. Else they may have seen another than the one they would decide.
 */
export function onlyQuestion(tree: RunTree, run: string): Approval {
  const open = undecidedApprovals(tree);
  const [only, ...others] = open;
  if (!only) throw new RunError('rejected', `Run ${run} asks nothing.`);
  const names = open.map(({ approval }) => approval).join(', ');
  if (others.length > 0)
    throw new RunError('rejected', `Run ${run} asks ${open.length} things: name one of ${names}.`);
  if (only.insteadOf !== undefined)
    throw new RunError(
      'rejected',
      `What run ${run} asks has changed since it was first asked: look at ${names}.`,
    );
  return only;
}
