import { useEffect, useState } from 'react';
import type { FlatTree, RunStore } from '../../../src/client/client.ts';

/** What looks at the whole run is drawn at most this often. Milliseconds. */
const pace = 80;

/** The whole run, for what sums it up. Words that come one by one are no reason to sum up anew for each. */
export function useTree(run: RunStore): FlatTree {
  const [tree, setTree] = useState(() => run.getSnapshot().tree);
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      waiting = undefined;
      setTree(run.getSnapshot().tree);
    };
    look();
    const leave = run.subscribe(() => {
      waiting ??= setTimeout(look, pace);
    });
    return () => {
      clearTimeout(waiting);
      leave();
    };
  }, [run]);
  return tree;
}
