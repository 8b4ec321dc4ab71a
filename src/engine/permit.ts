import type { EventOf } from '../run/events.ts';
import type { Failure } from '../run/failure.ts';
import type { Approval, Step } from '../run/tree.ts';
import type { Json } from '../run/values.ts';
import type { Decided, Execution } from './execution.ts';
import { fingerprintOf, type Bound } from './fingerprint.ts';
import type { Leaf } from './leaf.ts';

/** Bring a leaf that is open and has not begun to its beginning, or close it if a person says no. */
export async function permit(execution: Execution, step: Step, leaf: Leaf): Promise<void> {
  const approval = approvalOf(execution, step, { purpose: 'begin', bytes: leaf.bytes });
  const decided = approval && (await execution.decision(approval.approval));
  for (let gate = execution.gate(); gate; gate = execution.gate()) await gate;
  if (decided && decided.decision !== 'approve' && decided.decision !== 'edit')
    return decline(execution, step, decided);
  if (leaf.exclusive !== undefined)
    await execution.busy(execution.line.take(execution, step, leaf.exclusive));
  const call = decided?.decision === 'edit' ? leaf.edited(decided.arguments as Json) : undefined;
  execution.emit({ type: 'step.started', step: step.id, ...(call ? { call } : {}) });
}

/** Ask a person whether exactly this may begin. */
export function askToBegin(
  execution: Execution,
  step: Step,
  { leaf, reason }: { leaf: Leaf; reason: string },
): void {
  ask(execution, step, {
    purpose: 'begin',
    bytes: leaf.bytes,
    title: step.title,
    message: reason,
    allowed: ['approve', 'reject', 'edit', 'defer'],
  });
}

type Asking = Pick<Bound, 'purpose' | 'bytes'> &
  Pick<EventOf<'approval.requested'>, 'title' | 'message' | 'allowed'> &
  Partial<Pick<EventOf<'approval.requested'>, 'schema' | 'priority' | 'expiresAt'>>;

/** Put a question about a step to a person; the same question is put once, also after a recovery. */
export function ask(execution: Execution, step: Step, { purpose, bytes, ...question }: Asking): Approval {
  const known = approvalOf(execution, step, { purpose, bytes });
  if (known) return known;
  const approval = `${execution.run}.a${execution.tree.approvals.size + 1}`;
  execution.request({
    type: 'approval.requested',
    approval,
    step: step.id,
    fingerprint: fingerprintOf(execution, { step: step.id, attempt: step.attempt, purpose, bytes }),
    arguments: bytes,
    priority: 'medium',
    ...question,
  });
  const asked = execution.tree.approvals.get(approval);
  if (!asked) throw new Error(`approval ${approval} was requested and is not in the tree`);
  return asked;
}

function approvalOf(
  execution: Execution,
  step: Step,
  bound: Pick<Bound, 'purpose' | 'bytes'>,
): Approval | undefined {
  const fingerprint = fingerprintOf(execution, { step: step.id, attempt: step.attempt, ...bound });
  for (const approval of execution.tree.approvals.values()) {
    if (approval.step === step.id && approval.fingerprint === fingerprint) return approval;
  }
  return undefined;
}

function decline(execution: Execution, step: Step, { decision, by, rationale }: Decided): void {
  const why = rationale === undefined ? '.' : `: ${rationale}`;
  const failure: Failure =
    decision === 'expire'
      ? { code: 'timed-out', message: `Nobody decided on «${step.title}» in time.` }
      : { code: 'refused', message: `${by} rejected «${step.title}»${why}` };
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'skipped', failure });
}
