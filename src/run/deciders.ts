import { z } from 'zod';

/**
 * Who decides in a run, where it is not whoever started it: somebody who decides for others, or, of these, anybody but
 * the one who started it.
 */
export const Deciders = z.enum(['approver', 'second-person']);
export type Deciders = z.infer<typeof Deciders>;

/** Who decided more strictly has decided for those who are content with less. */
const strictness = { starter: 0, approver: 1, 'second-person': 2 } as const;

/** Whether what was decided under one rule would have been, by the same people, under another. */
export function isEnough(given: Deciders | undefined, wanted: Deciders | undefined): boolean {
  return strictness[given ?? 'starter'] >= strictness[wanted ?? 'starter'];
}

/** The strictest of several rules. */
export function strictest(rules: readonly (Deciders | undefined)[]): Deciders | undefined {
  return rules.reduce((one, other) => (isEnough(one, other) ? one : other), undefined);
}

interface Ruled {
  readonly approvals?: Deciders | undefined;
}

interface Started extends Ruled {
  readonly who: string;
}

/** Who decides a question: what stands on it is stricter than what its run was started with. */
export function decidersOf(started: Ruled | undefined, asked: Ruled | undefined): Deciders | undefined {
  return asked?.approvals ?? started?.approvals;
}

/** Whether a question waits for anybody but this person. It holds wherever the decision comes from, the terminal included. */
export function isForAnother(started: Started | undefined, asked: Ruled | undefined, who: string): boolean {
  return decidersOf(started, asked) === 'second-person' && started?.who === who;
}
