import type { Preferences } from '../../projections/projection.ts';
import type { Entry } from '../../run/events.ts';
import { fold } from '../../run/entries.ts';
import { emptyTree, type RunTree } from '../../run/tree.ts';

/** How entries look to those who prefer this: each as it is shown, if it is. */
export type Showing = (preferences: Preferences) => (entry: Entry) => Entry | undefined;

/** A run as it is shown, and as it grows. */
export interface ShownTree {
  readonly tree: RunTree;
  /** Take the next entry. Gives it back as it is shown, if it is. */
  readonly take: (entry: Entry) => Entry | undefined;
}

export function shownTree(show: (entry: Entry) => Entry | undefined): ShownTree {
  const tree = emptyTree();
  return {
    tree,
    take(entry) {
      if (entry.seq <= tree.seq) return undefined;
      const visible = show(entry);
      if (visible) fold(tree, visible);
      // Whoever asks how far it has come must not wait for an entry that shows nothing.
      else tree.seq = entry.seq;
      return visible;
    },
  };
}
