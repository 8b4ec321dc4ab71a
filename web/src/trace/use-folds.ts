import { useCallback, useEffect, useState } from 'react';
import type { FlatTree } from '../../../src/client/client.ts';

/** What is folded away. A step that somebody comes for is never inside of it. */
export function useFolds(
  tree: FlatTree,
  selected: number,
): {
  readonly folded: ReadonlySet<number>;
  readonly fold: (id: number, isFolded?: boolean) => void;
} {
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const fold = useCallback(
    (id: number, isFolded?: boolean) =>
      setFolded((before) => {
        const after = new Set(before);
        if (isFolded ?? !before.has(id)) after.add(id);
        else after.delete(id);
        return after;
      }),
    [],
  );
  const isThere = selected !== 0 && tree.steps.some(({ id }) => id === selected);
  useEffect(() => {
    const parents = new Map(tree.steps.map(({ id, parent }) => [id, parent]));
    for (let at = parents.get(selected); at !== undefined; at = parents.get(at)) fold(at, false);
  }, [selected, isThere]);
  return { folded, fold };
}
