import type { Scope } from '../../engine/scope.ts';
import type { Command } from '../../run/commands.ts';
import { decisionTold } from '../../run/decided.ts';
import { RunError } from '../../run/failure.ts';
import { requestOf } from '../../run/request.ts';
import { pauseIn, pauseKey, type ResumeRequest } from '../../run/tool-pause.ts';
import type { Approval, RunTree } from '../../run/tree.ts';

/** Wait until somebody has looked at the results. The run costs nothing meanwhile, and survives a restart. */
export async function pauseAfterTool(
  scope: Scope,
  { requestId, toolBatchId }: ResumeRequest,
): Promise<string | undefined> {
  const { decision, by, rationale } = await scope.ask({
    key: pauseKey(toolBatchId),
    title: `Go on with the results of batch ${toolBatchId}?`,
    message: 'Approve to let the model go on, reject to end here with what the tools returned.',
    arguments: { requestId, toolBatchId },
    allowed: ['approve', 'reject'],
  });
  if (decision === 'approve') return undefined;
  return `${by} ended the run after batch ${toolBatchId}${rationale === undefined ? '.' : `: ${rationale}`}`;
}

interface Resuming extends ResumeRequest {
  readonly run: string;
  readonly by: string;
}

/**
 * The command that resumes a paused request. Its id is made of what is resumed, so that asking again gets the same
 * receipt. Refused for another batch, for one that was decided otherwise, and after the run has stopped or ended.
 */
export function resumeCommand(
  tree: RunTree,
  resuming: Resuming,
): { readonly id: string; readonly command: Command } {
  const { run, requestId, toolBatchId, by } = resuming;
  if (requestOf(tree.started?.labels, run) !== requestId)
    throw new RunError('unknown', `Run ${run} does not serve request ${requestId}.`);
  if (tree.stopping || tree.ended) {
    const how = tree.ended ? `has ended (${tree.ended.outcome})` : 'is being stopped';
    throw new RunError('rejected', `Request ${requestId} ${how}, so nothing can be resumed.`);
  }
  const batchOf = (asked: Approval): number | undefined => {
    const pause = pauseIn(tree, asked);
    return pause?.requestId === requestId ? pause.toolBatchId : undefined;
  };
  const asked = [...tree.approvals.values()];
  const pause = asked.find((each) => batchOf(each) === toolBatchId);
  if (!pause) {
    const open = asked.find(
      (each) => batchOf(each) !== undefined && !each.decided && each.lapsedAt === undefined,
    );
    throw new RunError('rejected', notWaiting(resuming, open && batchOf(open)));
  }
  const id = `resume:${run}:${pause.approval}`;
  const { decided } = pause;
  if (decided && decided.command !== id)
    throw new RunError('rejected', `Batch ${toolBatchId}: ${decisionTold(decided)}.`);
  const { approval, fingerprint } = pause;
  return { id, command: { type: 'decide', by, approval, fingerprint, decision: 'approve' } };
}

function notWaiting({ requestId, toolBatchId }: Resuming, batch: number | undefined): string {
  const waits = batch === undefined ? 'it does not wait now' : `it waits after batch ${batch}`;
  return `Request ${requestId} does not wait after batch ${toolBatchId}; ${waits}.`;
}
