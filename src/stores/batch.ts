import type { Failure } from '../run/failure.ts';
import type { Argument, Result, Write } from './rules/rules.ts';
import type { Appender, Haste, Hint } from './store.ts';

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

/** Who hears what became of a commit. A promise for each would be made for nobody: nearly all are of text that streams. */
export interface Committed {
  readonly done: (reply: Reply) => void;
  readonly failed: (thrown: unknown) => void;
}

export type CommitAll = (operations: readonly Operation[], committed: Committed) => void;

/** Commits for all who ask. */
export interface GroupCommit {
  add<Name extends Write>(name: Name, argument: Argument<Name>): Promise<Result<Name>>;
  /** Somebody has something to append, and is asked for it when a round begins. */
  offer(appender: Appender, haste: Haste): void;
  /** Resolves when nothing is under way, and nothing is left to be written. */
  drained(): Promise<void>;
}
