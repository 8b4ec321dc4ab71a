import { layersOf } from './graph-layers.ts';
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
  readonly isBad: boolean;
  readonly path: string;
  readonly ends: readonly Point[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
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
  const characters = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
  return characters.length <= longestLabel ? name : `${characters.slice(0, longestLabel - 1).join('')}…`;
}

/** How wide a name is in letters of one width. Those of East Asia and pictures take two. Pixels. */
function widthOf(name: string): number {
  let letters = 0;
  for (const character of shortName(name)) letters += (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 1.8;
  return letters * 7.3;
}

/**
 * Every edge leads from a column to a later one. Between columns it curves; through a column that it passes it goes straight
 * along a row that no node has. One that joins two of a column, or one with itself, bows into the space behind it. So none of
 * them ever crosses a name.
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
  /** It begins and ends in one column. */
  readonly isBow: boolean;
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
    if (from === to) return [{ edge, slots: [source, target].map(nodeSlot), isBow: true }];
    const [left, right] = from < to ? [source, target] : [target, source];
    const slots = [nodeSlot(left)];
    for (let at = Math.min(from, to) + 1; at < Math.max(from, to); at += 1) {
      const slot = `passage ${edge} ${at}`;
      columns[at]?.push(slot);
      slots.push(slot);
    }
    return [{ edge, slots: [...slots, nodeSlot(right)], isBow: false }];
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
  const join = (joined: Map<Slot, Slot[]>, one: Slot, other: Slot): void => {
    const known = joined.get(one);
    if (known) known.push(other);
    else joined.set(one, [other]);
  };
  for (const { slots, isBow } of links)
    for (let i = 1; i < slots.length && !isBow; i += 1) {
      const [one, other] = [slots[i - 1] ?? '', slots[i] ?? ''];
      join(after, one, other);
      join(before, other, one);
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
    const width = members.reduce((widest, { id }) => Math.max(widest, 26 + widthOf(id)), 60);
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
  const drawn = links.flatMap(({ edge, slots, isBow }): PlacedEdge[] => {
    const joined = edges[edge];
    if (!joined) return [];
    const at = slots.flatMap((slot) => spots.get(slot) ?? []);
    const path = isBow ? bowOf(at) : pathThrough(at);
    const ends = [at[0], at.at(-1)].flatMap((spot) => (spot ? [{ x: spot.to, y: spot.y }] : []));
    return [{ ...joined, path, ends }];
  });
  const hasBow = links.some(({ isBow }) => isBow);
  return { width: x - (hasBow ? 0 : between) + margin, height, nodes: set, edges: drawn, columns: heads };
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

/** Out of a box, and back into another of its column or into itself. */
function bowOf([from, to]: readonly Spot[]): string {
  if (!from || !to) return '';
  const [up, down] = from.y === to.y ? [from.y - 6, from.y + 6] : [from.y, to.y];
  const out = round(from.to + shortGutter / 2);
  return `M${round(from.to)} ${round(up)}C${out} ${round(up)} ${out} ${round(down)} ${round(to.to)} ${round(down)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
