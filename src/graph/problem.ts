import type { Problem as AnyProblem } from '../run/failure-schema.ts';

/** The kinds of what can be wrong with a graph. */
export type ProblemCode =
  | 'circle'
  | 'edge-to-nowhere'
  | 'empty'
  | 'expression'
  | 'id-twice'
  | 'in-a-body'
  | 'loop-end'
  | 'means-nothing'
  | 'misfit'
  | 'never'
  | 'no-cap'
  | 'no-cron'
  | 'no-end'
  | 'no-merger'
  | 'no-port'
  | 'no-start'
  | 'no-zone'
  | 'redo-elsewhere'
  | 'redo-not-before'
  | 'second-start'
  | 'too-early'
  | 'too-large'
  | 'unknown-name'
  | 'unreachable'
  | 'wait-end'
  | 'worst-case';

/** What is wrong with a graph, where, and what to do about it. */
export interface Problem extends AnyProblem {
  readonly code?: ProblemCode;
}
