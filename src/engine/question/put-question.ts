import type { Along, EventOf } from '../../run/events.ts';
import { type Approval, type Step, present } from '../../run/tree.ts';
import { checked } from '../../schema/misfit.ts';
import type { Execution } from '../execution.ts';
import { alongOf } from './along.ts';
import { fingerprintOf, type Bound } from './fingerprint.ts';
type Requested = EventOf<'approval.requested'>;
type Asking = Pick<Bound, 'purpose' | 'bytes' | 'place'> &
  Pick<Requested, 'title' | 'message' | 'allowed'> &
  Partial<
    Pick<
      Requested,
      | 'schema'
      | 'editSchema'
      | 'redo'
      | 'priority'
      | 'expiresAt'
      | 'exchange'
      | 'position'
      | 'insteadOf'
      | 'recalled'
    >
  > &
  Along & {
    /** The bytes as an entry carries them, where they are large. */
    readonly shown?: Requested['arguments'];
    /** The attempt it is about, unless it is the current one. */
    readonly attempt?: number;
  };

/** Put a question about a step to a person; the same question is put once, also after a recovery. */
export function ask(execution: Execution, step: Step, asking: Asking): Approval {
  const { purpose, bytes, place, shown, attempt = step.attempt, priority = 'medium', ...question } = asking;
  const known = approvalOf(execution, step, { purpose, bytes, place, attempt });
  if (known) return known;
  const approval = `${execution.run}.a${execution.tree.approvals.size + 1}`;
  execution.questions.put({
    type: 'approval.requested',
    approval,
    step: step.id,
    fingerprint: fingerprintOf(execution, {
      step: step.id,
      attempt,
      purpose,
      bytes,
      place,
      position: question.position,
      along: alongOf(question),
    }),
    arguments: shown ?? bytes,
    priority,
    ...question,
    ...present({ approvals: execution.questions.decidersAt(step) }),
  });
  // Of a call that is told when it is opened.
  const schemas = purpose === 'begin' ? [] : [question.schema, question.editSchema];
  tellUnchecked(
    execution,
    step,
    schemas.flatMap((schema) => (schema === undefined ? [] : checked(schema).unchecked)),
  );
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

/** The approval that was asked for exactly this and holds, if there is one. */
export function approvalOf(
  execution: Execution,
  step: Step,
  bound: Omit<Bound, 'step' | 'position' | 'along'>,
): Approval | undefined {
  for (const approval of execution.tree.approvals.values()) {
    const { step: about, lapsedAt } = approval;
    if (about !== step.id || lapsedAt !== undefined) continue;
    if (isAbout(execution, approval, { ...bound, step: about })) return approval;
  }
  return undefined;
}

/** Whether exactly these words were asked about, wherever the agent stood then and whatever went with them. */
export function isAbout(
  execution: Execution,
  approval: Approval,
  bound: Omit<Bound, 'position' | 'along'>,
): boolean {
  const { fingerprint, position } = approval;
  return fingerprint === fingerprintOf(execution, { ...bound, position, along: alongOf(approval) });
}
