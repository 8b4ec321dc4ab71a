import type { GraphData, GraphNode } from './shapes.ts';

/** Where a graph is drawn: nodes in columns, edges only between columns and through rows of their own. */
export interface GraphLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly columns: readonly { readonly x: number; readonly title: string }[];
}

export interface PlacedNode {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface PlacedEdge {
  readonly source: string;
  readonly target: string;
  readonly label: string;
  readonly path: string;
  readonly top: number;
  readonly bottom: number;
}

export const rowHeight = 26;
const gutter = 74;
/** Between the hops of a chain, which has only one edge there. */
const shortGutter = 44;
const head = 26;
/** Rows that are seen without scrolling. */
const inSight = 14;
const margin = 10;
const longestLabel = 30;

/** A name as it fits into its box. */
export function shortName(name: string): string {
  return name.length <= longestLabel ? name : `${name.slice(0, longestLabel - 1)}…`;
}

/**
 * Every edge leads from a column to a later one. Between columns it curves; through a column that it passes it goes straight
 * along a row that no node has. So none of them ever crosses a name.
 */
export function layOut(graph: GraphData): GraphLayout {
  const layers = layersOf(graph);
  const { columns, links } = withPassages(graph, layers);
  const sorted = untangled(columns, links);
  return placed(graph, sorted, links);
}

/** A name in a column, or a row that an edge passes through. */
type Slot = string;

interface Link {
  readonly edge: number;
  readonly slots: readonly Slot[];
}

/** The column of each node: after all that lead to it. A chain is walked from its end, whichever way its edges point. */
function layersOf({ nodes, edges }: GraphData): ReadonlyMap<string, number> {
  const chain = chainOf({ nodes, edges });
  if (chain) return new Map(chain.map((id, i) => [id, i]));
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

/** Each column with its nodes, and a row for every edge that passes through it. */
function withPassages(
  { nodes, edges }: GraphData,
  layers: ReadonlyMap<string, number>,
): { readonly columns: readonly (readonly Slot[])[]; readonly links: readonly Link[] } {
  const count = Math.max(...layers.values()) + 1;
  const columns: Slot[][] = Array.from({ length: count }, () => []);
  for (const { id } of nodes) columns[layers.get(id) ?? 0]?.push(nodeSlot(id));
  const links = edges.flatMap(({ source, target }, edge): Link[] => {
    const [from, to] = [layers.get(source) ?? 0, layers.get(target) ?? 0];
    if (from === to) return [];
    const [left, right] = from < to ? [source, target] : [target, source];
    const slots = [nodeSlot(left)];
    for (let at = Math.min(from, to) + 1; at < Math.max(from, to); at += 1) {
      const slot = `passage ${edge} ${at}`;
      columns[at]?.push(slot);
      slots.push(slot);
    }
    return [{ edge, slots: [...slots, nodeSlot(right)] }];
  });
  return { columns, links };
}

function nodeSlot(id: string): Slot {
  return `node ${id}`;
}

const sweeps = 6;

/** Rows in such an order that edges cross each other seldom: each stands at the middle of those it is joined to. */
function untangled(
  columns: readonly (readonly Slot[])[],
  links: readonly Link[],
): readonly (readonly Slot[])[] {
  const before = new Map<Slot, Slot[]>();
  const after = new Map<Slot, Slot[]>();
  for (const { slots } of links)
    for (let i = 1; i < slots.length; i += 1) {
      const [one, other] = [slots[i - 1] ?? '', slots[i] ?? ''];
      after.set(one, [...(after.get(one) ?? []), other]);
      before.set(other, [...(before.get(other) ?? []), one]);
    }
  const sorted = columns.map((column) => [...column]);
  const place = new Map<Slot, number>();
  const remember = (column: readonly Slot[]): void =>
    column.forEach((slot, i) => place.set(slot, (i + 0.5) / column.length));
  sorted.forEach(remember);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const beside = sweep % 2 === 0 ? before : after;
    const order = sweep % 2 === 0 ? sorted : sorted.toReversed();
    for (const column of order) {
      const wanted = new Map(
        column.map((slot) => [slot, middle(beside.get(slot) ?? [], place, place.get(slot) ?? 0)]),
      );
      column.sort((one, other) => (wanted.get(one) ?? 0) - (wanted.get(other) ?? 0));
      remember(column);
    }
  }
  return sorted;
}

function middle(slots: readonly Slot[], place: ReadonlyMap<Slot, number>, own: number): number {
  if (slots.length === 0) return own;
  return slots.reduce((sum, slot) => sum + (place.get(slot) ?? 0), 0) / slots.length;
}

function placed(
  { nodes, edges }: GraphData,
  columns: readonly (readonly Slot[])[],
  links: readonly Link[],
): GraphLayout {
  const byId = new Map(nodes.map((node) => [nodeSlot(node.id), node]));
  const tallest = Math.max(...columns.map((column) => column.length));
  const height = head + tallest * rowHeight + margin;
  const spots = new Map<Slot, { readonly from: number; readonly to: number; readonly y: number }>();
  const heads: { x: number; title: string }[] = [];
  const set: PlacedNode[] = [];
  let x = margin;
  const between = tallest === 1 ? shortGutter : gutter;
  for (const column of columns) {
    const members = column.flatMap((slot) => byId.get(slot) ?? []);
    const width = Math.max(60, ...members.map(({ id }) => 24 + shortName(id).length * 7.2));
    // In a graph that has to be scrolled, what is few would be out of sight in the middle.
    const top = tallest > inSight ? head : head + ((tallest - column.length) * rowHeight) / 2;
    column.forEach((slot, i) => {
      const y = top + (i + 0.5) * rowHeight;
      spots.set(slot, { from: x, to: x + width, y });
      const node = byId.get(slot);
      if (node) set.push({ node, x, y, width });
    });
    heads.push({ x, title: titleOf(members) });
    x += width + between;
  }
  const drawn = links.map(({ edge, slots }): PlacedEdge => {
    const { source = '', target = '', label = '' } = edges[edge] ?? {};
    const at = slots.flatMap((slot) => spots.get(slot) ?? []);
    const ys = at.map(({ y }) => y);
    return { source, target, label, path: pathThrough(at), top: Math.min(...ys), bottom: Math.max(...ys) };
  });
  return { width: x - between + margin, height, nodes: set, edges: drawn, columns: heads };
}

/** The kinds of what stands in a column, where they are few. */
function titleOf(members: readonly GraphNode[]): string {
  const kinds = [...new Set(members.map(({ kind }) => kind).filter(Boolean))];
  return kinds.length > 2 ? '' : kinds.join(', ') + (members.length > 1 ? ` (${members.length})` : '');
}

interface Spot {
  readonly from: number;
  readonly to: number;
  readonly y: number;
}

function pathThrough([first, ...rest]: readonly Spot[]): string {
  if (!first) return '';
  let path = `M${round(first.to)} ${round(first.y)}`;
  let last = first;
  rest.forEach((spot, i) => {
    const bend = round((last.to + spot.from) / 2);
    path += `C${bend} ${round(last.y)} ${bend} ${round(spot.y)} ${round(spot.from)} ${round(spot.y)}`;
    if (i < rest.length - 1) path += `H${round(spot.to)}`;
    last = spot;
  });
  return path;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
