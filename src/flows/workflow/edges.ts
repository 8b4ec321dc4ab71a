import type { Before, Settled } from '../../engine/scope.ts';
import type { Expression } from '../../graph/expression.ts';
import { fieldsOf } from '../../graph/fields.ts';
import { bodiesOf, type Edge, type GraphNode, type Part } from '../../graph/graph.ts';
import { reachedFrom, settledBefore } from '../../graph/order.ts';
import type { Json } from '../../run/values.ts';
import { withdrawn, type Done } from './sight.ts';

/** Whether an edge is taken, once the node it leaves is settled. */
export function isTaken({ from, port = 'done' }: Edge, settled: Before): boolean {
  const end = settled[from];
  if (end === undefined || end.outcome === 'skipped') return false;
  return port === (end.outcome === 'failed' ? 'failed' : doneOf(end).port);
}

/** Whether somebody goes on where a node leaves by a port. */
export function isConnected({ edges }: Part, id: string, port: string): boolean {
  return edges.some((edge) => edge.from === id && (edge.port ?? 'done') === port);
}

/** The ids of those that a node goes on from, in the order of edges. */
export function takenInto({ edges }: Part, id: string, settled: Before): readonly string[] {
  const taken = edges.filter((edge) => edge.to === id && isTaken(edge, settled));
  return [...new Set(taken.map(({ from }) => from))];
}

/** What a part gives: what those gave after which nothing came; of several, an object by id. */
export function outputOf(part: Part, settled: Before): Json {
  const last = part.nodes.filter(({ id }) => {
    const end = settled[id];
    const isReached = end?.outcome === 'completed' && doneOf(end).port !== withdrawn;
    return isReached && !part.edges.some((edge) => edge.from === id && isTaken(edge, settled));
  });
  return gathered(
    last.map(({ id }) => id),
    settled,
  );
}

/** What nodes gave: of one its output, of several an object by id. */
export function gathered(ids: readonly string[], settled: Before): Json {
  const outputs = ids.flatMap((id): [string, Json][] => {
    const end = settled[id];
    return end?.outcome === 'completed' ? [[id, doneOf(end).output]] : [];
  });
  const [only] = outputs;
  return outputs.length === 1 && only ? only[1] : outputs.length === 0 ? null : Object.fromEntries(outputs);
}

/** How nodes ended, as expressions see them. What was not done has no output, what failed has an error. */
export function seen(settled: Before): Record<string, Json> {
  return Object.fromEntries(Object.entries(settled).map(([id, end]) => [id, seenOne(end)]));
}

function seenOne(end: Settled): Json {
  switch (end.outcome) {
    case 'completed': {
      const { port, output } = doneOf(end);
      return { port, output };
    }
    case 'failed': {
      const { code, message } = end.failure;
      return { port: 'failed', output: null, error: { code, message } };
    }
    case 'skipped':
      return { port: null, output: null };
  }
}

/** What a question had done again stands for what was done before. A question comes after all of that. */
export function withRedone(settled: Before): Before {
  const all: Record<string, Settled> = {};
  for (const [id, end] of Object.entries(settled)) {
    all[id] = end;
    if (end.outcome === 'completed') Object.assign(all, withRedone(doneOf(end).redone ?? {}));
  }
  return all;
}

export function doneOf(end: Extract<Settled, { outcome: 'completed' }>): Done {
  return end.result as Done;
}

const orders = new WeakMap<Part, ReadonlyMap<string, readonly string[]>>();

/**
 * Those each node comes after, in their order: where its edges come from, what its expressions speak of, and the questions
 * that may have had that done again. All of them are before it, so nobody waits longer for it.
 */
export function orderOf(part: Part): ReadonlyMap<string, readonly string[]> {
  const known = orders.get(part);
  if (known) return known;
  const before = new Map(part.nodes.map(({ id }) => [id, settledBefore(part, id)]));
  // Whatever comes after another has more before it.
  const inOrder = part.nodes.toSorted((a, b) => sizeIn(before, a) - sizeIn(before, b));
  const order = new Map(
    part.nodes.map((node) => [node.id, comesAfter({ ...part, nodes: inOrder }, node, before)]),
  );
  orders.set(part, order);
  return order;
}

type Ancestors = ReadonlyMap<string, ReadonlySet<string>>;

function sizeIn(before: Ancestors, { id }: GraphNode): number {
  return before.get(id)?.size ?? 0;
}

function comesAfter(part: Part, node: GraphNode, ancestors: Ancestors): readonly string[] {
  const before = ancestors.get(node.id);
  const wanted = wantedBy(node);
  const direct = new Set(part.edges.filter(({ to }) => to === node.id).map(({ from }) => from));
  const needsAll = wanted.any || (node.type === 'human' && node.redo !== undefined);
  return part.nodes
    .filter(({ id }) => before?.has(id))
    .filter(
      (other) => needsAll || direct.has(other.id) || wanted.ids.has(other.id) || mayRedo(part, other, wanted),
    )
    .map(({ id }) => id);
}

interface Wanted {
  readonly ids: ReadonlySet<string>;
  readonly any: boolean;
}

function mayRedo(part: Part, other: GraphNode, { ids }: Wanted): boolean {
  if (other.type !== 'human') return false;
  return (other.redo ?? []).some((id) => [...reachedFrom(part, [id])].some((again) => ids.has(again)));
}

/** The nodes that expressions of a node, and of what is inside it, speak of. */
function wantedBy(node: GraphNode): Wanted {
  const ids = new Set<string>(node.type === 'merge' ? node.of : []);
  const inner = [node];
  let any = false;
  for (const one of inner) {
    const all: readonly Expression[] = fieldsOf(one).flatMap(({ read }) => read());
    for (const { uses } of all) {
      for (const id of uses.nodes) ids.add(id);
      any ||= uses.anyNode;
    }
    for (const { part } of bodiesOf(one)) inner.push(...part.nodes);
  }
  return { ids, any };
}
