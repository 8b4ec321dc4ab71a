/** A connection of a graph that can be used in both directions. */
export interface Edge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly cost: number;
}

/** The edges of the cheapest way between two nodes, in order; nothing if there is no way. Dijkstra's algorithm. */
export function shortestPath(edges: readonly Edge[], from: string, to: string): Edge[] | undefined {
  const cost = new Map([[from, 0]]);
  const arrivedBy = new Map<string, Edge>();
  const left = new Set([from]);
  const done = new Set<string>();
  while (left.size > 0) {
    const node = cheapest(left, cost);
    if (node === to) return trail(arrivedBy, from, to);
    left.delete(node);
    done.add(node);
    for (const edge of edges) {
      const next = edge.from === node ? edge.to : edge.to === node ? edge.from : undefined;
      if (next === undefined || done.has(next)) continue;
      const total = (cost.get(node) ?? 0) + edge.cost;
      if (total >= (cost.get(next) ?? Infinity)) continue;
      cost.set(next, total);
      arrivedBy.set(next, edge);
      left.add(next);
    }
  }
  return undefined;
}

function cheapest(nodes: ReadonlySet<string>, cost: ReadonlyMap<string, number>): string {
  let best = '';
  for (const node of nodes)
    if (best === '' || (cost.get(node) ?? Infinity) < (cost.get(best) ?? Infinity)) best = node;
  return best;
}

function trail(arrivedBy: ReadonlyMap<string, Edge>, from: string, to: string): Edge[] {
  const way: Edge[] = [];
  for (let node = to; node !== from;) {
    const edge = arrivedBy.get(node);
    if (!edge) return [];
    way.unshift(edge);
    node = edge.from === node ? edge.to : edge.from;
  }
  return way;
}
