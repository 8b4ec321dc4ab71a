import { LRUCache } from 'lru-cache';
import type { Preferences } from '../../projections/projection.ts';
import type { RunTree } from '../../run/tree.ts';
import type { Journal, RunRow } from '../../stores/store.ts';
import { breather } from '../../loop/machine.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import { longRun } from './long-run.ts';
import { shownTree, type Showing, type ShownTree } from './shown-tree.ts';
import { decodeAll } from '../../run/entries.ts';

type Wanted = Pick<RunRow, 'run' | 'head' | 'bytes' | 'state'>;

/** Folded runs. What was folded is kept for a while, so that looking again costs what came since. */
export interface Trees {
  /** The tree of a run as it is recorded, now; of a damaged one, as far as it is good. It is shared: nobody changes it. */
  of(row: Wanted): Promise<RunTree>;
  /** The tree as somebody sees it. */
  shown(row: Wanted, look: Look): Promise<RunTree>;
  /** The same, for whoever looks at it for longer than a moment: it does not go on while they look. */
  still(row: Wanted, look: Look): Promise<RunTree>;
  /** One that is still empty, for whoever takes a run entry by entry. */
  growing(preferences: Preferences): ShownTree;
  forget(run: string): void;
}

/** How somebody looks at a run. */
export interface Look {
  readonly preferences: Preferences;
  /** As it was when this entry was the last; now, unless said. */
  readonly at?: number | undefined;
  /** Aborts when they look away. */
  readonly signal?: AbortSignal;
}

/** How many bytes of journals all kept trees may have folded together. */
const room = 64 << 20;

interface Kept {
  readonly run: string;
  readonly shown: Promise<ShownTree>;
  readonly size: number;
}

export function treesOf(journal: Pick<Journal, 'read'>, showing: Showing): Trees {
  const kept = new LRUCache<string, Kept>({
    maxSize: room,
    sizeCalculation: ({ size }) => Math.max(1, size),
  });

  const now = async (row: Wanted, { preferences, signal }: Look): Promise<RunTree> => {
    const { run, bytes } = row;
    const key = `${run} ${JSON.stringify(preferences)}`;
    const known = kept.get(key)?.shown ?? Promise.resolve(shownTree(showing(preferences)));
    // One fold after the other: two at once would fold the same entries into one tree in two orders.
    const shown = known.then(async (before) => {
      await foldUntil(journal, before, { ...row, signal });
      return before;
    });
    shown.catch(() => kept.delete(key));
    kept.set(key, { run, shown, size: bytes });
    const { tree } = await shown;
    signal?.throwIfAborted();
    return tree;
  };
  const then = async (
    { run, head, bytes }: Wanted,
    { preferences, signal }: Look,
    at: number,
  ): Promise<RunTree> => {
    const shown = shownTree(showing(preferences));
    await foldUntil(journal, shown, { run, head: Math.min(head, at), bytes, isExact: true, signal });
    signal?.throwIfAborted();
    return shown.tree;
  };
  return {
    of: (row) => now(row, { preferences: {} }),
    shown: (row, look) => (look.at === undefined ? now(row, look) : then(row, look, look.at)),
    still(row, look) {
      const { at = row.head } = look;
      return row.state === 'ended' && at === row.head ? now(row, look) : then(row, look, at);
    },
    growing: (preferences) => shownTree(showing(preferences)),
    forget(run) {
      for (const [key, each] of kept) if (each.run === run) kept.delete(key);
    },
  };
}

interface Goal {
  readonly run: string;
  readonly head: number;
  readonly bytes: number;
  /** Not one entry more. */
  readonly isExact?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Whoever wanted it may have left: then it ends as far as it has come, and the next one goes on from there. */
async function foldUntil(
  journal: Pick<Journal, 'read'>,
  { tree, take }: ShownTree,
  { run, head, bytes, isExact = false, signal }: Goal,
): Promise<void> {
  const breathe = breather({ isLong: bytes > longRun });
  while (tree.seq < head) {
    const before = tree.seq;
    for (const { frames } of await goodChunks(journal, run, before)) {
      for (const entry of decodeAll(frames)) {
        if (isExact && entry.seq > head) return;
        take(entry);
      }
      await breathe();
      if (signal?.aborted) return;
    }
    if (tree.seq === before) return;
  }
}
