import { z } from 'zod';
import { Decision, StepId } from './events.ts';
import { present } from './present.ts';
import type { Approval } from './tree.ts';
import { BlobRef, Json } from './values.ts';

/** One approval as JSON: what is asked, and what became of it. */
export const FlatApproval = z.object({
  id: z.string(),
  step: StepId,
  title: z.string(),
  message: z.string().optional(),
  priority: z.enum(['low', 'medium', 'high', 'critical']),
  /** `lapsed` when its step ended, or was tried again, before anybody decided. */
  status: z.enum(['undecided', 'deferred', 'decided', 'lapsed']),
  fingerprint: z.string(),
  arguments: z.union([BlobRef, Json]).optional(),
  schema: Json.optional(),
  allowed: z.array(Decision),
  requestedAt: z.number(),
  expiresAt: z.number().optional(),
  decision: Decision.optional(),
  by: z.string().optional(),
  rationale: z.string().optional(),
  /** After `edit`: what shall run instead. */
  edited: z.union([BlobRef, Json]).optional(),
  answer: Json.optional(),
  decidedAt: z.number().optional(),
});
export type FlatApproval = z.infer<typeof FlatApproval>;

export function flatApproval(approval: Approval): FlatApproval {
  const { approval: id, step, title, priority, fingerprint, allowed, requestedAt, decided } = approval;
  const { message, schema, expiresAt } = approval;
  return {
    id,
    step,
    title,
    priority,
    status: statusOf(approval),
    fingerprint,
    allowed: [...allowed],
    requestedAt,
    ...present({ message, arguments: approval.arguments, schema, expiresAt }),
    ...present({
      decision: decided?.decision,
      by: decided?.by ?? approval.deferred?.by,
      rationale: decided?.rationale,
      edited: decided?.arguments,
      answer: decided?.answer,
      decidedAt: decided?.at,
    }),
  };
}

function statusOf({ decided, lapsedAt, deferred }: Approval): FlatApproval['status'] {
  if (decided) return 'decided';
  if (lapsedAt !== undefined) return 'lapsed';
  return deferred ? 'deferred' : 'undecided';
}
