import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bodiesIn, type DraftGraph, type DraftNode, type DraftPart } from './draft-graph.ts';
import { flowOf } from './flow.ts';
import { around, inColumn, layoutOf, type Layout } from './layout.ts';
import { leftToRight } from './left-to-right.ts';
import { nodePath, nodesWithin, partPath, type PartPath } from './node-path.ts';

/** A graph whose edges lead on only, with graphs inside some of its nodes. */
function part(depth: number): fc.Arbitrary<DraftPart> {
  const inner = depth > 1 ? fc.constant({ nodes: [], edges: [] }) : part(depth + 1);
  const kinds = fc.oneof(
    { weight: 4, arbitrary: fc.constant({ type: 'template' as const }) },
    { weight: 1, arbitrary: inner.map((body) => ({ type: 'loop' as const, body })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(inner, inner)
        .map(([body, fallback]) => ({ type: 'failsafe' as const, body, fallback })),
    },
  );
  return fc.array(kinds, { minLength: 1, maxLength: 7 }).chain((made) => {
    const nodes = made.map((kind, i): DraftNode => ({ id: `n${depth}${i}`, ...kind }));
    const pairs = nodes.flatMap((from, i) => nodes.slice(i + 1).map((to) => ({ from: from.id, to: to.id })));
    return fc.subarray(pairs).map((edges) => ({ nodes, edges }));
  });
}

const graphs = part(0).map((made): DraftGraph => ({ name: 'g', ...made }));

/** What lies on something else, or outside of what it is in. */
function faultsIn(made: DraftPart, within: PartPath, { positions, sizes }: Layout): string[] {
  const boxes = made.nodes.map((node) => {
    const path = nodePath(within, node.id);
    const [left, top] = positions[path] ?? [Number.NaN, Number.NaN];
    const { width, height } = sizes[path] ?? { width: 0, height: 0 };
    return { path, node, left, top, right: left + width, bottom: top + height };
  });
  const faults: string[] = [];
  for (const [i, one] of boxes.entries()) {
    if (!(one.left >= 0 && one.top >= 0 && one.right > one.left)) faults.push(`${one.path} has no place`);
    for (const other of boxes.slice(i + 1))
      if (
        one.left < other.right &&
        other.left < one.right &&
        one.top < other.bottom &&
        other.top < one.bottom
      )
        faults.push(`${one.path} lies on ${other.path}`);
    for (const { field, part: body } of bodiesIn(one.node)) {
      const inner = sizes[partPath(one.path, field)];
      if (!inner || inner.width > one.right - one.left - 2 * around.side)
        faults.push(`${one.path} is too narrow`);
      faults.push(...faultsIn(body, partPath(one.path, field), { positions, sizes }));
    }
  }
  return faults;
}

test('[CV1] whatever the graph, nothing lies on anything else, and what is inside a node stands in it', () => {
  const met = { containers: 0, lanes: 0 };
  fc.assert(
    fc.property(graphs, (graph) => {
      const layout = layoutOf(graph, leftToRight);
      expect(faultsIn(graph, '', layout)).toEqual([]);
      expect(faultsIn(graph, '', layoutOf(graph, inColumn))).toEqual([]);
      const { nodes } = flowOf(graph, layout);
      met.containers += nodes.filter(({ type }) => type === 'container').length;
      met.lanes += nodes.filter(({ type }) => type === 'lane').length;
      const known = new Set<string>();
      for (const { id, parentId } of nodes) {
        expect(parentId === undefined || known.has(parentId)).toBe(true);
        known.add(id);
      }
    }),
    { numRuns: 25 },
  );
  expect(met.containers).toBeGreaterThan(10);
  expect(met.lanes).toBeGreaterThan(met.containers);
});

const plain = (id: string): DraftNode => ({ id, type: 'template', value: '' });

test('[CV1] what leads to something stands left of it; what has a place keeps it, what has none stands below', () => {
  const graph: DraftGraph = {
    name: 'g',
    nodes: [plain('a'), plain('b'), plain('c')],
    edges: [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
    ],
  };
  const { positions } = layoutOf(graph, leftToRight);
  const lefts = ['a', 'b', 'c'].map((id) => positions[id]?.[0] ?? -1);
  expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
  const kept = layoutOf({ ...graph, layout: { a: [500, 40], c: [20, 300] } }, leftToRight);
  expect(kept.positions).toMatchObject({ a: [500, 40], c: [20, 300] });
  expect(kept.positions['b']?.[1]).toBeGreaterThan(300);
});

test('[CV1] five hundred nodes are put in order, each with a place', () => {
  const nodes = Array.from({ length: 500 }, (_, i) => plain(`n${i}`));
  const edges = nodes.slice(1).map((_, i) => ({ from: `n${Math.floor(i / 2)}`, to: `n${i + 1}` }));
  const graph = { name: 'g', nodes, edges };
  const { positions } = layoutOf(graph, leftToRight);
  expect(nodesWithin(graph).every(({ path }) => positions[path] !== undefined)).toBe(true);
});
