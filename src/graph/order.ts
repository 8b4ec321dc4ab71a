import type { Part } from './graph.ts';

/** Those that edges lead to from some nodes, with themselves. */
export function reachedFrom({ edges }: Part, from: readonly string[]): ReadonlySet<string> {
  return followed(from, targets(edges.map((edge) => [edge.from, edge.to])));
}

/** Those that lead to a node: all of them are settled before it begins, run or skipped. */
export function settledBefore({ edges }: Part, id: string): ReadonlySet<string> {
  const before = new Set(followed([id], targets(edges.map((edge) => [edge.to, edge.from]))));
  before.delete(id);
  return before;
}

/** Nodes that lead in a circle; none, if they can be put in order. */
export function circleIn({ nodes, edges }: Part): readonly string[] {
  const open = new Map(nodes.map(({ id }) => [id, 0]));
  for (const { to } of edges) open.set(to, (open.get(to) ?? 0) + 1);
  const next = targets(edges.map((edge) => [edge.from, edge.to]));
  const free = [...open].filter(([, count]) => count === 0).map(([id]) => id);
  for (const id of free) {
    open.delete(id);
    for (const to of next.get(id) ?? []) {
      const left = (open.get(to) ?? 0) - 1;
      open.set(to, left);
      if (left === 0) free.push(to);
    }
  }
  return [...open.keys()];
}

function targets(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [from, to] of pairs) {
    const known = found.get(from);
    if (known) known.push(to);
    else found.set(from, [to]);
  }
  return found;
}

function followed(
  from: readonly string[],
  next: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const seen = new Set(from);
  for (const id of seen) for (const to of next.get(id) ?? []) seen.add(to);
  return seen;
}
