import { Graph, layout } from '@dagrejs/dagre';
import { gaps, type Order } from './layout.ts';

/** What leads to something stands left of it. */
export const leftToRight: Order = ({ nodes, edges }) => {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ...gaps });
  for (const [path, size] of nodes) graph.setNode(path, { ...size });
  edges.forEach(([from, to], i) => graph.setEdge(from, to, {}, String(i)));
  layout(graph);
  return Object.fromEntries(
    [...nodes].map(([path, { width, height }]) => {
      const { x = 0, y = 0 } = graph.node(path);
      return [path, [x - width / 2, y - height / 2]];
    }),
  );
};
