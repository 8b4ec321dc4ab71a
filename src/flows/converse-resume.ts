import { z } from 'zod';
import type { Scope } from '../engine/scope.ts';
import type { Command } from '../run/commands.ts';
import { decisionTold } from '../run/decided.ts';
import { RunError } from '../run/failure.ts';
import { requestOf } from '../run/request.ts';
import type { Approval, RunTree } from '../run/tree.ts';

/** What a client sends to go on after a tool phase. */
export const ResumeRequest = z.strictObject({
  requestId: z.string().min(1),
  toolBatchId: z.int().nonnegative(),
});
export type ResumeRequest = z.infer<typeof ResumeRequest>;

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
  const pauses = [...tree.approvals.values()].filter((asked) => isPause(tree, asked, requestId));
  const pause = pauses.find(
    ({ arguments: asked }) => ResumeRequest.safeParse(asked).data?.toolBatchId === toolBatchId,
  );
  if (!pause) throw new RunError('rejected', notWaiting(resuming, pauses));
  const id = `resume:${run}:${pause.approval}`;
  const { decided } = pause;
  if (decided && decided.command !== id)
    throw new RunError('rejected', `Batch ${toolBatchId}: ${decisionTold(decided)}.`);
  const { approval, fingerprint } = pause;
  return { id, command: { type: 'decide', by, approval, fingerprint, decision: 'approve' } };
}

/** A question of the flow itself. What the arguments of a call look like does not make it one. */
function isPause({ steps }: RunTree, { step, arguments: asked }: Approval, requestId: string): boolean {
  const { kind, key } = steps.get(step) ?? {};
  const { data } = ResumeRequest.safeParse(asked);
  return kind === 'ask' && data?.requestId === requestId && key === pauseKey(data.toolBatchId);
}

function pauseKey(toolBatchId: number): string {
  return `resume ${toolBatchId}`;
}

function notWaiting({ requestId, toolBatchId }: Resuming, pauses: readonly Approval[]): string {
  const open = pauses.find(({ decided, lapsedAt }) => !decided && lapsedAt === undefined);
  const batch = ResumeRequest.safeParse(open?.arguments).data?.toolBatchId;
  const waits = batch === undefined ? 'it does not wait now' : `it waits after batch ${batch}`;
  return `Request ${requestId} does not wait after batch ${toolBatchId}; ${waits}.`;
}
