import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortestPath, type Edge } from './shortest-path.ts';

const nodes = ['A', 'B', 'C', 'D', 'E', 'F'];
const anyEdges = fc.array(
  fc.record({
    from: fc.constantFrom(...nodes),
    to: fc.constantFrom(...nodes),
    cost: fc.integer({ min: 1, max: 20 }),
  }),
  { maxLength: 14 },
);

/** The cheapest way by trying all of them. */
function cheapest(
  edges: readonly Edge[],
  from: string,
  visited: readonly string[] = [],
): Map<string, number> {
  const costs = new Map([[from, 0]]);
  for (const edge of edges) {
    const next = edge.from === from ? edge.to : edge.to === from ? edge.from : undefined;
    if (next === undefined || visited.includes(next)) continue;
    for (const [node, cost] of cheapest(edges, next, [...visited, from]))
      costs.set(node, Math.min(costs.get(node) ?? Infinity, cost + edge.cost));
  }
  return costs;
}

test('is as short as the shortest of all ways, and hangs together', () => {
  fc.assert(
    fc.property(anyEdges, fc.constantFrom(...nodes), fc.constantFrom(...nodes), (given, from, to) => {
      const edges = given.map((edge, i) => ({ ...edge, id: String(i) }));
      const way = shortestPath(edges, from, to);
      const expected = cheapest(edges, from).get(to);
      expect(way?.reduce((sum, { cost }) => sum + cost, 0)).toBe(expected);
      const end = way?.reduce(
        (at, edge) => (edge.from === at ? edge.to : edge.to === at ? edge.from : '?'),
        from,
      );
      if (way) expect(end).toBe(to);
    }),
    { numRuns: 300 },
  );
});
