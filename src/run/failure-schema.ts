import { z } from 'zod';

/** What can go wrong. */
export const FailureCode = z.enum([
  'malformed',
  'unauthenticated',
  'refused',
  'unknown',
  'rejected',
  'too-large',
  'over-budget',
  'disabled',
  'unavailable',
  'timed-out',
  'internal',
  'damaged',
  'unready',
]);
export type FailureCode = z.infer<typeof FailureCode>;

/** One thing that is wrong with what was given, where, and what to do about it. Of a graph, an empty node is the graph itself. */
export const Problem = z.object({
  node: z.string(),
  field: z.string(),
  /** What kind of problem it is, and what stands in its sentences: for whoever says them in another language. */
  code: z.string().optional(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  problem: z.string(),
  fix: z.string(),
});
export type Problem = z.infer<typeof Problem>;

/** A failure we expect, as plain data: it goes into the journal and to clients. */
export const Failure = z.object({
  code: FailureCode,
  message: z.string(),
  retryable: z.boolean().optional(),
  /** Of what is damaged: the last entry that is good. */
  after: z.int().optional(),
  /** Of an exception in code of whoever uses this: its file and line. For people, not for models. */
  where: z.string().optional(),
  /** Each thing that is wrong with what was given, where there may be several. */
  problems: z.array(Problem).optional(),
});
export type Failure = z.infer<typeof Failure>;
