import type { StepId } from '../../run/events.ts';
import type { RunTree } from '../../run/tree.ts';
import type { BlobRef, Json } from '../../run/values.ts';

/** What a person made of the work of a step, if anyone did and it still holds. */
export function lastEdit({ approvals }: RunTree, step: StepId): BlobRef | Json | undefined {
  let edited: BlobRef | Json | undefined;
  for (const { step: about, decided, lapsedAt } of approvals.values()) {
    if (about !== step || decided?.decision !== 'edit' || lapsedAt !== undefined) continue;
    if (decided.arguments !== undefined) edited = decided.arguments;
  }
  return edited;
}
