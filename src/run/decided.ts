import type { Approval } from './tree.ts';

/** Who decided, what and when, for whoever comes too late. */
export function decisionTold({ by, decision, at }: NonNullable<Approval['decided']>): string {
  return `${by} decided «${decision}» at ${new Date(at).toISOString()}`;
}
