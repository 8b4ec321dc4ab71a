import { z } from 'zod';
import { questionId } from '../../run/question-id.ts';
import { runStatus, undecidedApprovals, type Approval, type RunTree } from '../../run/tree.ts';
import { BlobRef, Json } from '../../run/values.ts';
import type { RunRow } from '../../stores/store.ts';

/** A question as the workflow platform lists it. */
export const ToldQuestion = z.object({
  run_id: z.string(),
  workflow_id: z.string(),
  approval_id: z.string(),
  title: z.string(),
  message: z.string().optional(),
  priority: z.enum(['low', 'medium', 'high', 'critical']),
  allowed_decisions: z.array(z.string()),
  /** What was shown, and would be edited. */
  arguments: z.union([BlobRef, Json]).optional(),
  requested_at: z.string(),
});

export function toldQuestion(
  { run, app }: Pick<RunRow, 'run' | 'app'>,
  approval: Approval,
): z.infer<typeof ToldQuestion> {
  const { title, message, priority, allowed, arguments: given, requestedAt } = approval;
  return {
    run_id: run,
    workflow_id: app,
    approval_id: questionId(approval),
    title,
    message,
    priority,
    allowed_decisions: [...allowed],
    arguments: given,
    requested_at: new Date(requestedAt).toISOString(),
  };
}

/** A decision as the workflow platform records it. */
export const ToldDecision = z.object({
  decision_id: z.string(),
  run_id: z.string(),
  action: z.string(),
  actor: z.string(),
  timestamp: z.string(),
  context_snapshot: z.record(z.string(), z.unknown()),
  changes: z.union([BlobRef, Json]).nullable(),
  rationale: z.string().nullable(),
});

export function toldDecisions(run: string, tree: RunTree): z.infer<typeof ToldDecision>[] {
  return [...tree.approvals.values()].flatMap(({ approval, title, arguments: shown, decided }) => {
    if (!decided) return [];
    const { decision, by, at, rationale = null, arguments: changes = null } = decided;
    const snapshot = { title, arguments: shown };
    const timestamp = new Date(at).toISOString();
    const told = { decision_id: approval, run_id: run, action: decision, actor: by, timestamp };
    return [{ ...told, context_snapshot: snapshot, changes, rationale }];
  });
}

const afterwards: Readonly<Record<string, string>> = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'modified',
};

/** One word for how a run stands with people. */
export function stateOf(tree: RunTree): string {
  const open = undecidedApprovals(tree);
  if (open.length > 0) return open.every(({ deferred }) => deferred) ? 'deferred' : 'waiting_for_human';
  const status = runStatus(tree);
  if (status === 'failed' || status === 'stopped') return 'terminated';
  const last = [...tree.approvals.values()].findLast(({ decided }) => decided)?.decided;
  if (!last) return status === 'completed' ? 'completed' : 'running';
  return status === 'completed' ? (afterwards[last.decision] ?? 'completed') : 'resumed';
}
