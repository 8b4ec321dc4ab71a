import { failureOf, type Failure } from '../../run/failure.ts';
import { isBusy } from './busy.ts';
import type { Committer } from './commit.ts';
import type { WriterFolder } from '../folder/folder.ts';
import type { Read, Argument } from '../rules/rules.ts';
import type { RunRow, FeedPage } from '../store.ts';

/** Whether what is asked of a folder now would be kept. */
export interface Health {
  /** Why not; undefined while it would. */
  now(): string | undefined;
  /** The same commits, with an eye on how they go. */
  watching(commit: Committer): Committer;
  /** A page of the database makes no sense. */
  broken(cause: unknown): void;
}

/** After a commit that failed the next one tells, or an empty one made for the purpose: nobody else may come. */
export function healthOf({ place, problems }: Pick<WriterFolder, 'place' | 'problems'>): Health {
  let damage = problems.length === 0 ? undefined : `The database is damaged: ${problems.join('; ')}.`;
  let trouble: string | undefined;
  let probe = (): void => {};
  const broken = (cause: unknown): void => {
    damage ??= `The database is damaged: ${cause instanceof Error ? cause.message : String(cause)}.`;
  };
  return {
    broken,
    watching(commit) {
      const watched: Committer = (time, operations) => {
        try {
          const reply = commit(time, operations);
          trouble = undefined;
          return reply;
        } catch (thrown) {
          if (!isBusy(thrown)) trouble = failureOf(thrown).message;
          throw thrown;
        }
      };
      probe = () => {
        try {
          watched({ now: Date.now(), jump: 0 }, []);
        } catch {
          // How it went is in `trouble`.
        }
      };
      return watched;
    },
    now() {
      const lost = place.lost();
      if (lost !== undefined) return lost;
      if (trouble !== undefined) probe();
      return damage ?? place.full() ?? trouble;
    },
  };
}

export type Reading = (name: Read, argument: unknown) => unknown;

/**
 * What was found damaged since a folder was opened. A copy, or a full disk, cannot be told to remember it; and whoever
 * asks for a run or lists it is to see it all the same.
 */
export interface FoundDamage {
  /** What was thrown when a run was looked at. */
  note(run: string, thrown: unknown): void;
  /** The same reading, which notes what it meets and shows what is known. */
  watching(reading: Reading): Reading;
}

/** The runs that an answer shows. */
export function rowsIn(name: Read, result: unknown): readonly RunRow[] {
  if (name === 'list') return result as readonly RunRow[];
  return (name === 'get' || name === 'find') && result !== undefined ? [result as RunRow] : [];
}

/** `tell` hears once of each run, and again where less of it is good than was thought. */
export function foundDamage(tell: (run: string, failure: Failure) => void): FoundDamage {
  const found = new Map<string, number>();
  const note = (run: string, thrown: unknown): void => {
    const failure = failureOf(thrown);
    const { code, after = 0 } = failure;
    if (code !== 'damaged' || (found.get(run) ?? Infinity) <= after) return;
    found.set(run, after);
    tell(run, failure);
  };
  const shown = (row: RunRow): RunRow => {
    const after = found.get(row.run);
    return after === undefined ? row : { ...row, damaged: Math.min(row.damaged ?? after, after) };
  };
  return {
    note,
    watching: (reading) => (name, argument) => {
      try {
        const result = reading(name, argument);
        if (name === 'list') return (result as readonly RunRow[]).map(shown);
        if (name === 'feed') return fedRows(result as FeedPage, shown);
        return name === 'get' || name === 'find' ? result && shown(result as RunRow) : result;
      } catch (thrown) {
        if (name === 'read') note((argument as Argument<'read'>).run, thrown);
        if (name === 'get') note(argument as Argument<'get'>, thrown);
        throw thrown;
      }
    },
  };
}

function fedRows({ items, last }: FeedPage, shown: (row: RunRow) => RunRow): FeedPage {
  return { items: items.map((item) => ({ ...item, row: item.row && shown(item.row) })), last };
}
