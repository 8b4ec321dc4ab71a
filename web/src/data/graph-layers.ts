import type { GraphData } from './shapes.ts';

/** The column that each node of a graph stands in, by its name. */
export type Layers = ReadonlyMap<string, number>;

/** A graph whose edges would pass through more columns than this is drawn in rings, where none does. */
const mostPassages = 1_000;

/** The column of each node. A chain is walked from its end, whichever way its edges point. */
export function layersOf(graph: GraphData): Layers {
  const chain = chainOf(graph);
  if (chain) return new Map(chain.map((id, i) => [id, i]));
  const inOrder = orderOf(graph);
  return passagesOf(graph, inOrder) > mostPassages ? ringsOf(graph) : inOrder;
}

/** Each after all that lead to it. */
function orderOf({ nodes, edges }: GraphData): Layers {
  const forward = acyclic({ nodes, edges });
  const incoming = new Map(nodes.map(({ id }) => [id, 0]));
  for (const targets of forward.values())
    for (const target of targets) incoming.set(target, (incoming.get(target) ?? 0) + 1);
  const layer = new Map(nodes.map(({ id }) => [id, 0]));
  const ready = nodes.filter(({ id }) => incoming.get(id) === 0).map(({ id }) => id);
  for (const id of ready)
    for (const target of forward.get(id) ?? []) {
      layer.set(target, Math.max(layer.get(target) ?? 0, (layer.get(id) ?? 0) + 1));
      const left = (incoming.get(target) ?? 1) - 1;
      incoming.set(target, left);
      if (left === 0) ready.push(target);
    }
  // What nothing leads to stands right before what it leads to, beside others of its kind.
  const led = new Set([...forward.values()].flatMap((targets) => [...targets]));
  for (const [id, targets] of forward)
    if (!led.has(id) && targets.size > 0)
      layer.set(id, Math.min(...[...targets].map((target) => layer.get(target) ?? 1)) - 1);
  return layer;
}

function passagesOf({ edges }: GraphData, layers: Layers): number {
  const span = (source: string, target: string): number =>
    Math.abs((layers.get(source) ?? 0) - (layers.get(target) ?? 0));
  return edges.reduce((sum, { source, target }) => sum + Math.max(0, span(source, target) - 1), 0);
}

/** The column of each node: how many hops it is away from where its part of the graph begins, whichever way edges point. */
function ringsOf({ nodes, edges }: GraphData): Layers {
  const beside = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  const led = new Set<string>();
  for (const { source, target } of edges) {
    beside.get(source)?.push(target);
    beside.get(target)?.push(source);
    if (source !== target) led.add(target);
  }
  const layer = new Map<string, number>();
  const begins = [...nodes.filter(({ id }) => !led.has(id)), ...nodes];
  for (const { id } of begins) {
    if (layer.has(id)) continue;
    layer.set(id, 0);
    const reached = [id];
    for (const at of reached)
      for (const next of beside.get(at) ?? []) {
        if (layer.has(next)) continue;
        layer.set(next, (layer.get(at) ?? 0) + 1);
        reached.push(next);
      }
  }
  return layer;
}

/** Nodes of a graph that is one line, in the order of its hops, from the end that was named first. */
function chainOf({ nodes, edges }: GraphData): readonly string[] | undefined {
  if (nodes.length < 3 || edges.length !== nodes.length - 1) return undefined;
  const beside = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { source, target } of edges) {
    beside.get(source)?.push(target);
    beside.get(target)?.push(source);
  }
  const first = nodes.find(({ id }) => beside.get(id)?.length === 1);
  if (!first || nodes.some(({ id }) => (beside.get(id)?.length ?? 0) > 2)) return undefined;
  const walked = [first.id];
  const seen = new Set(walked);
  for (const id of walked) {
    const next = beside.get(id)?.find((one) => !seen.has(one));
    if (next === undefined) continue;
    seen.add(next);
    walked.push(next);
  }
  return walked.length === nodes.length ? walked : undefined;
}

/** Edges as they lead from left to right: one that closes a circle is turned around. */
function acyclic({ nodes, edges }: GraphData): ReadonlyMap<string, ReadonlySet<string>> {
  const out = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { source, target } of edges) if (source !== target) out.get(source)?.push(target);
  const order = new Map<string, number>();
  const state = new Map<string, 'open' | 'done'>();
  const forward = new Map<string, Set<string>>(nodes.map(({ id }) => [id, new Set<string>()]));
  for (const { id } of nodes) {
    const stack: { readonly id: string; next: number }[] = state.has(id) ? [] : [{ id, next: 0 }];
    if (stack.length > 0) state.set(id, 'open');
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const target = out.get(top.id)?.[top.next];
      top.next += 1;
      if (target === undefined) {
        state.set(top.id, 'done');
        order.set(top.id, order.size);
        stack.pop();
      } else if (state.get(target) === 'open') forward.get(target)?.add(top.id);
      else {
        forward.get(top.id)?.add(target);
        if (state.has(target)) continue;
        state.set(target, 'open');
        stack.push({ id: target, next: 0 });
      }
    }
  }
  return forward;
}
