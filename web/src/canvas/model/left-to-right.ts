import { Graph, layout } from '@dagrejs/dagre';
import { gaps, type Order } from './layout.ts';

/** What leads to something stands left of it; inside a node, above it. */
export const leftToRight: Order = ({ nodes, edges, isInside }) => {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: isInside ? 'TB' : 'LR', ...gaps, ...(isInside ? { ranksep: 36 } : {}) });
  for (const [path, size] of nodes) graph.setNode(path, { ...size });
  edges.forEach(({ from, to, room }, i) =>
    graph.setEdge(
      from,
      to,
      isInside || room === 0 ? {} : { width: room, height: 12, labelpos: 'c' },
      String(i),
    ),
  );
  layout(graph);
  return Object.fromEntries(
    [...nodes].map(([path, { width, height }]) => {
      const { x = 0, y = 0 } = graph.node(path);
      return [path, [x - width / 2, y - height / 2]];
    }),
  );
};
