import type { Failure } from '../run/failure.ts';
import type { Argument, Write } from './rules/rules.ts';
import type { Hint } from './store.ts';

/** A write that was asked for. */
export type Operation = {
  readonly [Name in Write]: { readonly name: Name; readonly argument: Argument<Name> };
}[Write];

/** What became of writes that were committed together. */
export interface Reply {
  /** What each operation of the batch gave, in order. */
  readonly results: readonly unknown[];
  /** Those that were refused; the others are durable. */
  readonly refusals: readonly { readonly index: number; readonly failure: Failure }[];
  readonly hints: readonly Hint[];
}
