import { z } from 'zod';
import type { Command } from './commands.ts';
import { RunError } from './failure.ts';
import { undecidedApprovals, type Approval, type RunTree } from './tree.ts';

/** What a client sends to go on after a tool phase. */
export const ResumeRequest = z.strictObject({
  requestId: z.string().min(1),
  toolBatchId: z.int().nonnegative(),
});
export type ResumeRequest = z.infer<typeof ResumeRequest>;

/** The key of the question that is asked after a tool phase. */
export function pauseKey(toolBatchId: number): string {
  return `resume ${toolBatchId}`;
}

/** What a question after a tool phase waits for. What the arguments of a call look like does not make it one. */
export function pauseIn({ steps }: RunTree, { step, arguments: asked }: Approval): ResumeRequest | undefined {
  const { kind, key } = steps.get(step) ?? {};
  const { data } = ResumeRequest.safeParse(asked);
  return kind === 'ask' && data && key === pauseKey(data.toolBatchId) ? data : undefined;
}

/** The question after a tool phase that waits now. */
function openPause(tree: RunTree): Approval | undefined {
  return undecidedApprovals(tree).find((approval) => pauseIn(tree, approval) !== undefined);
}

/** What lets a run go on: one that was paused, or one that waits after a tool phase. */
export function goOn(tree: RunTree, by: string): Command {
  const pause = tree.paused ? undefined : openPause(tree);
  if (!pause) return { type: 'resume', by };
  const { approval, fingerprint } = pause;
  return { type: 'decide', by, approval, fingerprint, decision: 'approve' };
}

/**
 * Fails where a run waits after a tool phase and has done so before: a plain resume that was sent twice would agree to
 * what nobody has looked at.
 */
export function expectFirstPause(tree: RunTree, run: string): void {
  const pauses = [...tree.approvals.values()].flatMap((approval) => pauseIn(tree, approval) ?? []);
  const last = pauses.at(-1);
  if (!last || pauses.every(({ toolBatchId }) => toolBatchId === last.toolBatchId)) return;
  const fields = `«requestId» (${last.requestId}) and «toolBatchId» (${last.toolBatchId})`;
  const message = `Run ${run} waits after another batch than at first: name it with ${fields}, or give an Idempotency-Key.`;
  throw new RunError('rejected', message);
}
