import { z } from 'zod';

/**
 * Who decides in a run, where it is not whoever started it: somebody who decides for others, or, of these, anybody but
 * the one who started it.
 */
export const Deciders = z.enum(['approver', 'second-person']);
export type Deciders = z.infer<typeof Deciders>;

interface Started {
  readonly who: string;
  readonly approvals?: Deciders | undefined;
}

/** Whether a run waits for anybody but this person. It holds wherever the decision comes from, the terminal included. */
export function isForAnother(started: Started | undefined, who: string): boolean {
  return started?.approvals === 'second-person' && started.who === who;
}
