import { isOpen, undecidedApprovals, type Approval, type RunTree, type Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import { otherRuns, sendToOther, treeOfOther } from './other-runs.ts';

/**
 * A turn that nobody knows the outcome of keeps its place in line until a person has decided. Those behind it look for
 * such a question when they come, and whoever puts one tells those who are there already: each records what the other
 * reads before reading, so one of the two finds it.
 */
export async function doubtAhead(execution: Execution, step: Step): Promise<string | undefined> {
  const own = doubtsIn(execution.tree, step.agent).filter((asked) => asked.step !== step.id);
  const asking = own.length > 0 ? [] : await otherRuns(execution, { withApprovals: true });
  for (const row of asking) own.push(...doubtsIn(await treeOfOther(execution, row), step.agent));
  const [first] = own;
  return first && wordsOf(first, step);
}

/** Tell those who wait for the agent of this step that a person must decide first. */
export async function tellWhoWaits(execution: Execution, step: Step, asked: Approval): Promise<void> {
  if (asked.decided) return;
  execution.line.hear();
  await execution.barrier();
  for (const row of await otherRuns(execution, { unfinished: true })) {
    const { steps, open } = await treeOfOther(execution, row);
    for (const id of open) {
      const behind = steps.get(id);
      if (behind?.kind !== 'turn' || behind.started || behind.agent !== step.agent) continue;
      const { run } = row;
      const message = wordsOf(asked, behind);
      const command = { type: 'tell', by: execution.run, step: id, message } as const;
      await sendToOther(execution, { id: `tell_${asked.approval}_${run}_${id}`, run, command });
    }
  }
}

function doubtsIn(tree: RunTree, agent: string | undefined): Approval[] {
  return undecidedApprovals(tree).filter(({ step }) => {
    const about = tree.steps.get(step);
    return about?.kind === 'turn' && about.started && isOpen(about) && about.agent === agent;
  });
}

function wordsOf({ approval, title }: Pick<Approval, 'approval' | 'title'>, step: Step): string {
  return `A person must decide first (${title} ${approval}): until then the next turn of «${step.agent ?? step.title}» in this conversation waits.`;
}
