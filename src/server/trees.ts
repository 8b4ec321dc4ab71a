import { decodeAll } from '../run/codec.ts';
import { fold } from '../run/fold.ts';
import { emptyTree, type RunTree } from '../run/tree.ts';
import type { Journal, RunRow } from '../stores/store.ts';

/** Folded runs. What was folded is kept for a while, so that looking again costs what came since. */
export interface Trees {
  /** The tree of a run as it is now. It is shared: nobody changes it. */
  of(row: Pick<RunRow, 'run' | 'head'>): Promise<RunTree>;
  /** The tree as it was at a past moment. */
  at(row: Pick<RunRow, 'run' | 'head'>, seq: number): Promise<RunTree>;
  forget(run: string): void;
}

/** How many entries all kept trees may have folded together. */
const room = 500_000;

export function treesOf(journal: Pick<Journal, 'read'>): Trees {
  const kept = new Map<string, Promise<RunTree>>();
  const sizes = new Map<string, number>();

  const grown = async (before: Promise<RunTree>, run: string, head: number): Promise<RunTree> => {
    const tree = await before;
    await foldUntil(journal, tree, { run, head });
    sizes.set(run, tree.seq);
    return tree;
  };
  const makeRoom = (): void => {
    let total = 0;
    for (const size of sizes.values()) total += size;
    for (const [run, size] of sizes) {
      if (total <= room || kept.size === 1) return;
      kept.delete(run);
      sizes.delete(run);
      total -= size;
    }
  };
  return {
    async of({ run, head }) {
      const known = kept.get(run) ?? Promise.resolve(emptyTree());
      // One fold after the other: two at once would fold the same entries into one tree in two orders.
      const next = grown(known, run, head).catch((thrown: unknown) => {
        kept.delete(run);
        throw thrown;
      });
      kept.delete(run);
      kept.set(run, next);
      sizes.delete(run);
      sizes.set(run, head);
      makeRoom();
      return next;
    },
    async at({ run, head }, seq) {
      const tree = emptyTree();
      await foldUntil(journal, tree, { run, head: Math.min(head, seq), isExact: true });
      return tree;
    },
    forget(run) {
      kept.delete(run);
      sizes.delete(run);
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
  tree: RunTree,
  { run, head, isExact = false }: Goal,
): Promise<void> {
  while (tree.seq < head) {
    const before = tree.seq;
    for (const { frames } of await journal.read(run, before)) {
      for (const entry of decodeAll(frames)) {
        if (isExact && entry.seq > head) return;
        fold(tree, entry);
      }
    }
    if (tree.seq === before) return;
  }
}
