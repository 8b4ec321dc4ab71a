import type { EventOf } from '../run/events.ts';
import type { Failure } from '../run/failure.ts';
import { present } from '../run/present.ts';
import type { Approval, Step } from '../run/tree.ts';
import type { Json } from '../run/values.ts';
import { checked } from '../schema/misfit.ts';
import type { Execution } from './execution.ts';
import { fingerprintOf, type Bound } from './fingerprint.ts';
import type { Leaf } from './leaf.ts';
import type { Decided } from './questions.ts';

/** Bring a leaf that is open and has not begun to its beginning, or close it if a person says no. */
export async function permit(execution: Execution, step: Step, leaf: Leaf): Promise<void> {
  const approval = approvalToBegin(execution, step, leaf);
  const decided = approval && (await execution.questions.decision(approval.approval));
  if (decided && !isYes(decided)) return decline(execution, step, decided);
  const call = decided && (await editedCall(leaf, decided));
  await clearWay(execution, step, leaf);
  execution.emit({ type: 'step.started', step: step.id, ...(call ? { call } : {}) });
}

/** Nothing stands in the way: no pause, and nobody before us in line. */
export async function clearWay(execution: Execution, step: Step, { exclusive }: Leaf): Promise<void> {
  for (;;) {
    while (execution.isGated) await execution.gate();
    if (exclusive === undefined) return;
    await execution.line.take(execution, step, exclusive);
    if (!execution.tree.paused) return;
    // Whoever is paused in front of the line must not keep the others.
    await execution.line.stepAside(execution, exclusive);
  }
}

/** Ask a person whether exactly this may begin. */
export function askToBegin(
  execution: Execution,
  step: Step,
  { leaf, reason }: { leaf: Leaf; reason: string },
): void {
  const { priority, expiresIn } = leaf.asking ?? {};
  ask(execution, step, {
    purpose: 'begin',
    bytes: leaf.bytes,
    shown: leaf.shown,
    title: step.title,
    message: reason,
    allowed: ['approve', 'reject', 'edit', 'defer'],
    ...present({ priority }),
    ...(expiresIn === undefined ? {} : { expiresAt: execution.world.time.now() + expiresIn }),
  });
}

/** The approval a leaf needs to begin, if it needs one. */
export function approvalToBegin(execution: Execution, step: Step, leaf: Leaf): Approval | undefined {
  return approvalOf(execution, step, { purpose: 'begin', bytes: leaf.bytes, attempt: 1 });
}

type Asking = Pick<Bound, 'purpose' | 'bytes' | 'place'> &
  Pick<EventOf<'approval.requested'>, 'title' | 'message' | 'allowed'> &
  Partial<Pick<EventOf<'approval.requested'>, 'schema' | 'priority' | 'expiresAt'>> & {
    /** The bytes as an entry carries them, where they are large. */
    readonly shown?: EventOf<'approval.requested'>['arguments'];
    /** The attempt it is about, unless it is the current one. */
    readonly attempt?: number;
  };

/** Put a question about a step to a person; the same question is put once, also after a recovery. */
export function ask(execution: Execution, step: Step, asking: Asking): Approval {
  const { purpose, bytes, place, shown, attempt = step.attempt, ...question } = asking;
  const known = approvalOf(execution, step, { purpose, bytes, place, attempt });
  if (known) return known;
  const approval = `${execution.run}.a${execution.tree.approvals.size + 1}`;
  execution.questions.put({
    type: 'approval.requested',
    approval,
    step: step.id,
    fingerprint: fingerprintOf(execution, { step: step.id, attempt, purpose, bytes, place }),
    arguments: shown ?? bytes,
    priority: 'medium',
    ...question,
  });
  if (question.schema !== undefined) tellUnchecked(execution, step, checked(question.schema).unchecked);
  const asked = execution.tree.approvals.get(approval);
  if (!asked) throw new Error(`approval ${approval} was requested and is not in the tree`);
  return asked;
}

/** What is not checked is said, once for all of it. */
export function tellUnchecked(execution: Execution, { id }: Step, unchecked: readonly string[]): void {
  if (unchecked.length === 0) return;
  const message = `What fits here is not checked in full: ${unchecked.slice(0, namedParts).join('; ')}.`;
  execution.emit({ type: 'notice.posted', step: id, code: 'SCHEMA_UNCHECKED', message });
}

const namedParts = 5;

/** The approval that was asked for exactly this, if it was. */
export function approvalOf(
  execution: Execution,
  step: Step,
  bound: Omit<Bound, 'step'>,
): Approval | undefined {
  const fingerprint = fingerprintOf(execution, { ...bound, step: step.id });
  for (const approval of execution.tree.approvals.values()) {
    if (approval.step === step.id && approval.fingerprint === fingerprint) return approval;
  }
  return undefined;
}

export function isYes({ decision }: Decided): boolean {
  return decision === 'approve' || decision === 'edit';
}

/** The call a person made of it. */
export async function editedCall(
  leaf: Leaf,
  { decision, arguments: edited }: Decided,
): Promise<Awaited<ReturnType<Leaf['edited']>>> {
  return decision === 'edit' ? leaf.edited(edited as Json) : undefined;
}

export async function decline(execution: Execution, step: Step, decided: Decided): Promise<void> {
  while (execution.isGated) await execution.gate();
  const { decision, by, rationale } = decided;
  const why = rationale === undefined ? '.' : `: ${rationale}`;
  const failure: Failure =
    decision === 'expire'
      ? { code: 'timed-out', message: `Nobody decided on «${step.title}» in time.` }
      : { code: 'refused', message: `${by} rejected «${step.title}»${why}` };
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'skipped', failure });
}
