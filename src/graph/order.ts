import type { Part } from './graph.ts';

/** Those that edges lead to from some nodes, with themselves. */
export function reachedFrom({ edges }: Part, from: readonly string[]): ReadonlySet<string> {
  return followed(from, indexOf(edges).next);
}

/** Those that lead to a node: all of them are settled before it begins, run or skipped. */
export function settledBefore({ edges }: Part, id: string): ReadonlySet<string> {
  const before = new Set(followed([id], indexOf(edges).last));
  before.delete(id);
  return before;
}

/** Those from which edges lead to one of some nodes, with themselves. */
export function leadingTo({ edges }: Part, some: readonly string[]): ReadonlySet<string> {
  return followed(some, indexOf(edges).last);
}

/** Nodes that lead in a circle, without those before and behind it; none, if they can be put in order. */
export function circleIn({ nodes, edges }: Part): readonly string[] {
  const ids = nodes.map(({ id }) => id);
  const notBefore = new Set(unordered(ids, edges));
  const back = edges
    .filter(({ from }) => notBefore.has(from))
    .map(({ from, to }) => ({ from: to, to: from }));
  return unordered([...notBefore], back);
}

/** Those that come after a circle, or are in it. */
function unordered(ids: readonly string[], edges: Part['edges']): readonly string[] {
  const open = new Map(ids.map((id) => [id, 0]));
  for (const { to } of edges) open.set(to, (open.get(to) ?? 0) + 1);
  const { next } = indexOf(edges);
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

type Ways = ReadonlyMap<string, readonly string[]>;

const indexes = new WeakMap<Part['edges'], { readonly next: Ways; readonly last: Ways }>();

/** Made once for the edges of a graph: each of its nodes asks. */
function indexOf(edges: Part['edges']): { readonly next: Ways; readonly last: Ways } {
  const known = indexes.get(edges);
  if (known) return known;
  const index = {
    next: targets(edges.map(({ from, to }) => [from, to])),
    last: targets(edges.map(({ from, to }) => [to, from])),
  };
  indexes.set(edges, index);
  return index;
}

function targets(pairs: readonly (readonly [string, string])[]): Ways {
  const found = new Map<string, string[]>();
  for (const [from, to] of pairs) {
    const known = found.get(from);
    if (known) known.push(to);
    else found.set(from, [to]);
  }
  return found;
}

function followed(from: readonly string[], next: Ways): ReadonlySet<string> {
  const seen = new Set(from);
  for (const id of seen) for (const to of next.get(id) ?? []) seen.add(to);
  return seen;
}
