import { useEffect, useMemo, useRef, useState } from 'react';
import type { DraftGraph } from './model/draft-graph.ts';
import type { Positions } from './model/edits.ts';
import { inColumn, layoutOf, type Layout } from './model/layout.ts';
import { nodesWithin } from './model/node-path.ts';

/** Where all nodes of a graph shall stand: where they are said to, and the rest in order. It is found beside the page. */
export function orderedBeside(graph: DraftGraph): Promise<Positions> {
  const worker = new Worker(new URL('./model/layout.worker.ts', import.meta.url), { type: 'module' });
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<Positions>) => {
      resolve(data);
      worker.terminate();
    };
    // Where no worker is to be had, to be seen is more than to stand in order.
    worker.onerror = () => {
      resolve(layoutOf(graph, inColumn).positions);
      worker.terminate();
    };
    worker.postMessage(graph);
  });
}

/** Where everything stands. What was put somewhere stays there; until what is new has a place, all is as it was. */
export function useLayout(
  graph: DraftGraph,
): { readonly graph: DraftGraph; readonly layout: Layout } | undefined {
  const [found, setFound] = useState<Positions>({});
  const known = useMemo(() => ({ ...graph, layout: { ...found, ...graph.layout } }), [graph, found]);
  const placed = useMemo(() => {
    const layout = layoutOf(known, () => ({}));
    const isWhole = nodesWithin(graph).every(({ path }) => layout.positions[path] !== undefined);
    return isWhole ? { graph, layout } : undefined;
  }, [graph, known]);
  useEffect(() => {
    if (placed) return undefined;
    let isCurrent = true;
    void orderedBeside(known).then((positions) => isCurrent && setFound(positions));
    return () => {
      isCurrent = false;
    };
  }, [placed, known]);
  const last = useRef(placed);
  if (placed) last.current = placed;
  return last.current;
}
