import { useEffect, useMemo, useRef, useState } from 'react';
import type { FlatTree } from '../../../src/client/client.ts';
import { useRuns, useVitrine } from '../../../src/react/react.ts';
import { newestFirst } from '../runs/run-filter.ts';
import { workOf, type Work } from './work.ts';

/** So many of the newest runs are looked at. */
const most = 30;

/** How the newest runs worked, once they were looked at. Each is looked at once, when it has ended. */
export function useWork(): Work | undefined {
  const client = useVitrine();
  const { is, runs } = useRuns();
  const known = useRef(new Map<string, FlatTree>());
  const [trees, setTrees] = useState<readonly FlatTree[]>();
  const names = useMemo(
    () =>
      newestFirst(runs.values())
        .filter(({ duration }) => duration !== undefined)
        .slice(0, most)
        .map(({ run }) => run)
        .join(),
    [runs],
  );
  useEffect(() => {
    let isCurrent = true;
    const look = async (): Promise<void> => {
      const wanted = names.split(',').filter(Boolean);
      for (const run of wanted) {
        if (!isCurrent) return;
        const tree = known.current.get(run) ?? (await client.tree(run).catch(() => undefined));
        if (tree) known.current.set(run, tree);
      }
      if (isCurrent) setTrees(wanted.flatMap((run) => known.current.get(run) ?? []));
    };
    if (is === 'ready') void look();
    return () => {
      isCurrent = false;
    };
  }, [client, is, names]);
  return useMemo(() => trees && workOf(trees), [trees]);
}
