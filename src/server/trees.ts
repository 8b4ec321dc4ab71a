import type { Preferences } from '../projections/projection.ts';
import { decodeAll } from '../run/codec.ts';
import type { RunTree } from '../run/tree.ts';
import type { Journal, RunRow } from '../stores/store.ts';
import { goodChunks } from './good-chunks.ts';
import { shownTree, type Showing, type ShownTree } from './shown-tree.ts';

/** Folded runs. What was folded is kept for a while, so that looking again costs what came since. */
export interface Trees {
  /** The tree of a run as it is recorded, now; of a damaged one, as far as it is good. It is shared: nobody changes it. */
  of(row: Pick<RunRow, 'run' | 'head'>): Promise<RunTree>;
  /** The tree as those who prefer this see it: now, or as it was when entry `at` was the last. */
  shown(row: Pick<RunRow, 'run' | 'head'>, preferences: Preferences, at?: number): Promise<RunTree>;
  forget(run: string): void;
}

/** How many entries all kept trees may have folded together. */
const room = 500_000;

interface Kept {
  readonly run: string;
  readonly shown: Promise<ShownTree>;
  size: number;
}

export function treesOf(journal: Pick<Journal, 'read'>, showing: Showing): Trees {
  const kept = new Map<string, Kept>();

  const makeRoom = (): void => {
    let total = 0;
    for (const { size } of kept.values()) total += size;
    for (const [key, { size }] of kept) {
      if (total <= room || kept.size === 1) return;
      kept.delete(key);
      total -= size;
    }
  };
  const now = async (
    { run, head }: Pick<RunRow, 'run' | 'head'>,
    preferences: Preferences,
  ): Promise<RunTree> => {
    const key = `${run} ${JSON.stringify(preferences)}`;
    const known = kept.get(key)?.shown ?? Promise.resolve(shownTree(showing(preferences)));
    // One fold after the other: two at once would fold the same entries into one tree in two orders.
    const shown = known.then(async (before) => {
      await foldUntil(journal, before, { run, head });
      next.size = before.tree.seq;
      return before;
    });
    const next: Kept = { run, shown, size: head };
    shown.catch(() => kept.delete(key));
    kept.delete(key);
    kept.set(key, next);
    makeRoom();
    return (await shown).tree;
  };
  return {
    of: (row) => now(row, {}),
    async shown(row, preferences, at) {
      if (at === undefined) return now(row, preferences);
      const shown = shownTree(showing(preferences));
      await foldUntil(journal, shown, { run: row.run, head: Math.min(row.head, at), isExact: true });
      return shown.tree;
    },
    forget(run) {
      for (const [key, each] of kept) if (each.run === run) kept.delete(key);
    },
  };
}

interface Goal {
  readonly run: string;
  readonly head: number;
  /** Not one entry more. */
  readonly isExact?: boolean;
}

async function foldUntil(
  journal: Pick<Journal, 'read'>,
  { tree, take }: ShownTree,
  { run, head, isExact = false }: Goal,
): Promise<void> {
  while (tree.seq < head) {
    const before = tree.seq;
    for (const { frames } of await goodChunks(journal, run, before)) {
      for (const entry of decodeAll(frames)) {
        if (isExact && entry.seq > head) return;
        take(entry);
      }
    }
    if (tree.seq === before) return;
  }
}
