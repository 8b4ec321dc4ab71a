import { failureOf } from '../../run/failure.ts';
import { isBusy } from './busy.ts';
import type { Committer } from './commit.ts';
import type { WriterFolder } from '../folder/folder.ts';

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
