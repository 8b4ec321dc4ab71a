import { z } from 'zod';
import { Along, Decision, Exchange, StepId } from './events.ts';
import { type Approval, filled, present } from './tree.ts';
import { BlobRef, isBlobRef, Json } from './values.ts';
const Reference = z.enum(['arguments', 'history', 'edited']);
type Reference = z.infer<typeof Reference>;

/** One approval as JSON: what is asked, and what became of it. */
export const FlatApproval = z.object({
  id: z.string(),
  step: StepId,
  title: z.string(),
  message: z.string().optional(),
  priority: z.enum(['low', 'medium', 'high', 'critical']),
  /** `lapsed` when its step ended, or was tried again, before anybody decided, or when it does not hold any more. */
  status: z.enum(['undecided', 'deferred', 'decided', 'lapsed']),
  fingerprint: z.string(),
  arguments: z.union([BlobRef, Json]).optional(),
  /** What the words of a message refer to: what its agent was asked last, and what it answered. */
  exchange: Exchange.optional(),
  ...Along.shape,
  /** Which of these are references to what is kept beside the journal; what else looks like one is somebody's own. */
  references: z.array(Reference).optional(),
  /** The question that lapsed, and is asked anew by this one. */
  insteadOf: z.string().optional(),
  schema: Json.optional(),
  /** What an edit must fit; of a call the schema of its tool, where that is small. */
  editSchema: Json.optional(),
  redo: z.array(z.string()).optional(),
  allowed: z.array(Decision),
  requestedAt: z.number(),
  expiresAt: z.number().optional(),
  decision: Decision.optional(),
  by: z.string().optional(),
  rationale: z.string().optional(),
  /** Of one that was put off: when it is to be decided again. */
  deferredUntil: z.number().optional(),
  /** After `edit`: what shall run instead. */
  edited: z.union([BlobRef, Json]).optional(),
  answer: Json.optional(),
  decidedAt: z.number().optional(),
  /** Why it does not hold any more. */
  lapsed: z.string().optional(),
});
export type FlatApproval = z.infer<typeof FlatApproval>;

export function flatApproval(approval: Approval): FlatApproval {
  const { approval: id, step, title, priority, fingerprint, allowed, requestedAt, decided } = approval;
  const { message, schema, editSchema, redo, expiresAt, exchange, insteadOf } = approval;
  const { attachments, history, forgotten } = approval;
  return {
    id,
    step,
    title,
    priority,
    status: statusOf(approval),
    fingerprint,
    allowed: [...allowed],
    requestedAt,
    ...present({
      message,
      arguments: approval.arguments,
      schema,
      editSchema,
      redo,
      expiresAt,
      exchange,
      insteadOf,
    }),
    ...present({ attachments, history, forgotten }),
    ...present({ references: filled(referencesIn(approval)), lapsed: approval.lapsedBecause }),
    ...present({
      decision: decided?.decision,
      by: decided?.by ?? approval.deferred?.by,
      deferredUntil: decided ? undefined : approval.deferred?.until,
      rationale: decided?.rationale,
      edited: decided?.arguments,
      answer: decided?.answer,
      decidedAt: decided?.at,
    }),
  };
}

/** The engine keeps whatever only looks like a reference beside the journal, too: what is left are its own. */
function referencesIn({ arguments: given, history, decided }: Approval): Reference[] {
  const references: Reference[] = [];
  if (isBlobRef(given)) references.push('arguments');
  if (isBlobRef(history)) references.push('history');
  if (isBlobRef(decided?.arguments)) references.push('edited');
  return references;
}

function statusOf({ decided, lapsedAt, deferred }: Approval): FlatApproval['status'] {
  if (lapsedAt !== undefined) return 'lapsed';
  if (decided) return 'decided';
  return deferred ? 'deferred' : 'undecided';
}
