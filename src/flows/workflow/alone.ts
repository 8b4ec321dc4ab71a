import type { Before } from '../../engine/scope.ts';
import { portsOf, type Edge, type Graph, type GraphNode } from '../../graph/graph.ts';
import { settledBefore } from '../../graph/order.ts';
import type { RunEvent } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import type { BlobRef, Json } from '../../run/values.ts';
import { isTaken } from './edges.ts';
import { titleOf } from './sight.ts';

/** How a node before it ended, as a journal has it. */
export type Recorded =
  | { readonly outcome: 'completed'; readonly result: BlobRef | Json }
  | { readonly outcome: 'failed'; readonly failure: Failure };

/**
 * The graph as far as one node: what comes before it, which is known, the node, and an end. Where no path led to it, one from
 * the start does.
 */
export function graphUntil(graph: Graph, node: GraphNode, ends: Before): Graph {
  const before = settledBefore(graph, node.id);
  const isPart = (id: string): boolean => id === node.id || before.has(id);
  const nodes = graph.nodes.filter(({ id }) => isPart(id));
  const edges = graph.edges.filter(({ from, to }) => isPart(from) && isPart(to));
  const start = graph.nodes.find(({ type }) => type === 'start')?.id ?? '';
  const isReached = edges.some((edge) => edge.to === node.id && isTaken(edge, ends));
  const led: Edge[] = isReached ? [] : [{ from: start, to: node.id }];
  const end = freeId(nodes);
  const ways = portsOf(node).filter((port) => port !== 'failed');
  const { layout: _, schedules: __, ...rest } = graph;
  return {
    ...rest,
    nodes: node.type === 'end' ? nodes : [...nodes, { id: end, type: 'end' }],
    edges: [...edges, ...led, ...ways.map((port): Edge => ({ from: node.id, port, to: end }))],
  };
}

function freeId(nodes: readonly GraphNode[]): string {
  let id = 'end';
  while (nodes.some((node) => node.id === id)) id = `${id}_`;
  return id;
}

/** What came before a node, as if this run had done it: what is not known was not done. The start only gives its input. */
export function doneBefore(
  { nodes }: Pick<Graph, 'nodes'>,
  node: GraphNode,
  recorded: ReadonlyMap<string, Recorded>,
): readonly RunEvent[] {
  return nodes
    .filter(({ id, type }) => id !== node.id && type !== 'start' && type !== 'end')
    .flatMap((one, i): RunEvent[] => {
      const step = i + 1;
      const place = { step, parent: 0, key: one.id, kind: one.type, title: titleOf(one) };
      const end = recorded.get(one.id);
      if (!end) {
        const failure = { code: 'refused', message: 'It was not done.' } as const;
        return [
          { type: 'step.planned', ...place },
          { type: 'step.closed', step, outcome: 'skipped', failure },
        ];
      }
      const agent = one.type === 'agent' ? { agent: one.agent } : {};
      return [
        { type: 'step.opened', ...place, ...agent },
        { type: 'step.closed', step, ...end },
      ];
    });
}
