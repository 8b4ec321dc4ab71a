import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOut, rowHeight, type GraphLayout } from './graph-layout.ts';
import type { GraphData } from './shapes.ts';

const node = (id: string): GraphData['nodes'][number] => ({ id, kind: 'Site', isBad: false, properties: {} });

/** Points along an edge, close enough to each other that no name fits between two. */
function pointsOf(path: string): readonly (readonly [number, number])[] {
  const points: [number, number][] = [];
  let at: [number, number] = [0, 0];
  for (const [, command, rest = ''] of path.matchAll(/([MCH])([^MCH]*)/g)) {
    const numbers = rest.trim().split(/\s+/).map(Number);
    const from = at;
    if (command === 'M') at = [numbers[0] ?? 0, numbers[1] ?? 0];
    else if (command === 'H') at = [numbers[0] ?? 0, from[1]];
    else at = [numbers[4] ?? 0, numbers[5] ?? 0];
    for (let i = 0; i <= 24; i += 1) {
      const t = i / 24;
      const [c1, c2] = command === 'C' ? [numbers[0] ?? 0, numbers[2] ?? 0] : [from[0], at[0]];
      const x =
        (1 - t) ** 3 * from[0] + 3 * (1 - t) ** 2 * t * c1 + 3 * (1 - t) * t ** 2 * c2 + t ** 3 * at[0];
      const [y1, y2] = command === 'C' ? [numbers[1] ?? 0, numbers[3] ?? 0] : [from[1], at[1]];
      const y =
        (1 - t) ** 3 * from[1] + 3 * (1 - t) ** 2 * t * y1 + 3 * (1 - t) * t ** 2 * y2 + t ** 3 * at[1];
      if (command !== 'M') points.push([x, y]);
    }
  }
  return points;
}

/** Names that an edge runs through. */
function crossings({ nodes, edges }: GraphLayout): readonly string[] {
  return edges.flatMap(({ path, source, target }) =>
    nodes
      .filter(({ x, y, width }) =>
        pointsOf(path).some(
          ([px, py]) => px > x + 0.5 && px < x + width - 0.5 && Math.abs(py - y) < rowHeight / 2 - 2.5,
        ),
      )
      .map((crossed) => `${source} → ${target} crosses ${crossed.node.id}`),
  );
}

const anyGraph = fc.integer({ min: 1, max: 40 }).chain((count) =>
  fc
    .array(fc.tuple(fc.nat({ max: count - 1 }), fc.nat({ max: count - 1 })), { maxLength: count * 2 })
    .map((pairs): GraphData => ({
      nodes: Array.from({ length: count }, (_, i) => node(`NODE-${i}`)),
      edges: pairs.map(([from, to]) => ({
        source: `NODE-${from}`,
        target: `NODE-${to}`,
        label: 'l',
        isBad: false,
      })),
    })),
);

test('[W14] no edge crosses a name, in any graph', () => {
  const seen = { circles: 0, long: 0, edges: 0 };
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const layout = layOut(graph);
      expect(layout.nodes).toHaveLength(graph.nodes.length);
      expect(crossings(layout)).toEqual([]);
      seen.edges += layout.edges.length;
      if (layout.edges.some(({ path }) => path.includes('H'))) seen.long += 1;
      const pairs = new Set(graph.edges.map(({ source, target }) => `${source} ${target}`));
      if (graph.edges.some(({ source, target }) => source !== target && pairs.has(`${target} ${source}`)))
        seen.circles += 1;
    }),
    { numRuns: 200 },
  );
  expect(seen.edges).toBeGreaterThan(500);
  expect(seen.long).toBeGreaterThan(5);
  expect(seen.circles).toBeGreaterThan(5);
});

test('[W14] a route reads in the order of its hops, whichever way its links were written down', () => {
  const sites = ['PER', 'KGI', 'ADL', 'MEL', 'HBA'].map(node);
  const links = [
    ['KGI', 'PER'],
    ['ADL', 'KGI'],
    ['ADL', 'MEL'],
    ['HBA', 'MEL'],
  ].map(([source = '', target = '']) => ({ source, target, label: '', isBad: false }));
  const { nodes } = layOut({ nodes: sites, edges: links });
  const inOrder = nodes.toSorted((one, other) => one.x - other.x).map((one) => one.node.id);
  expect(inOrder).toEqual(['PER', 'KGI', 'ADL', 'MEL', 'HBA']);
  expect(new Set(nodes.map(({ y }) => y)).size).toBe(1);
});

test('[W14] thousands of nodes are placed in one go', () => {
  const nodes = Array.from({ length: 5_000 }, (_, i) => node(`N${i}`));
  const edges = nodes
    .slice(1)
    .map(({ id }, i) => ({ source: `N${Math.floor(i / 3)}`, target: id, label: '', isBad: false }));
  expect(layOut({ nodes, edges }).edges).toHaveLength(4_999);
});

test('[W201] where edges would pass through too many columns, none does: each joins neighbours or bows within a column', () => {
  const nodes = Array.from({ length: 400 }, (_, i) => node(`N${i}`));
  const edges = Array.from({ length: 800 }, (_, i) => ({
    source: `N${(i * 7_919) % 400}`,
    target: `N${(i * 31 + Math.floor(i / 7)) % 400}`,
    label: '',
    isBad: false,
  }));
  const layout = layOut({ nodes, edges });
  expect(layout.edges).toHaveLength(800);
  expect(layout.edges.filter(({ path }) => path.includes('H'))).toEqual([]);
  expect(crossings({ ...layout, edges: layout.edges.slice(0, 20) })).toEqual([]);
});
