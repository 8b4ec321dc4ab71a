import { bodiesIn, type DraftGraph, type DraftNode, type DraftPart, type Position } from './draft-graph.ts';
import { nameOf } from './node-name.ts';
import { nodePath, partPath, type NodePath, type PartPath } from './node-path.ts';

/** Where everything stands: nodes from the corner of the graph they are in, and how large each is. */
export interface Layout {
  readonly positions: Readonly<Record<NodePath, Position>>;
  /** Of nodes, and of graphs inside nodes by their own path. */
  readonly sizes: Readonly<Record<string, Size>>;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** All nodes are of sizes that are known before they are drawn, so that nothing moves when they are. */
const plain: Size = { width: 168, height: 64 };
const smallHeight = 48;
/** Around what is inside a node: its head above, and room for where edges come and go. */
export const around = { head: 44, side: 20, below: 18 } as const;
/** Two graphs in a node stand below each other, each with its name. */
const lane = { head: 28, gap: 12 } as const;
export const gaps = { ranksep: 60, nodesep: 28 } as const;

/** Nodes that have no place yet, and what leads from one to the next. */
export interface Unplaced {
  readonly nodes: ReadonlyMap<NodePath, Size>;
  /** With how much room the name of the port takes beside the edge. */
  readonly edges: readonly { readonly from: NodePath; readonly to: NodePath; readonly room: number }[];
  /** Inside a node, what comes next stands below: it is narrow where everything else is wide. */
  readonly isInside: boolean;
}

/** Puts nodes in order, from a corner of their own. */
export type Order = (unplaced: Unplaced) => Readonly<Record<NodePath, Position>>;

/** One below the other: what needs nothing to be reckoned. */
export const inColumn: Order = ({ nodes }) => {
  const positions: Record<NodePath, Position> = {};
  let top = 0;
  for (const [path, { height }] of nodes) {
    positions[path] = [0, top];
    top += height + gaps.nodesep;
  }
  return positions;
};

/** What has a place keeps it. What has none is put in order, below what has places. */
export function layoutOf(graph: DraftGraph, order: Order): Layout {
  const positions: Record<NodePath, Position> = {};
  const sizes: Record<string, Size> = {};
  layPart(graph, '', { kept: graph.layout ?? {}, positions, sizes, order });
  return { positions, sizes };
}

interface Laying {
  readonly order: Order;
  readonly kept: Readonly<Record<NodePath, Position>>;
  readonly positions: Record<NodePath, Position>;
  readonly sizes: Record<string, Size>;
}

function layPart(part: DraftPart, within: PartPath, laying: Laying): Size {
  const { kept, positions, sizes } = laying;
  const paths = part.nodes.map((node) => {
    const path = nodePath(within, node.id);
    sizes[path] = sizeOf(node, path, laying);
    return path;
  });
  const known = paths.filter((path) => kept[path] !== undefined);
  for (const path of known) positions[path] = kept[path] ?? [0, 0];
  if (known.length < paths.length) {
    const below = known.length === 0 ? 0 : extent(known, laying).height + gaps.nodesep;
    for (const [path, [x, y]] of Object.entries(laying.order(unplacedIn(part, within, laying))))
      positions[path] = [Math.round(x), Math.round(y + below)];
  }
  return extent(paths, laying);
}

function unplacedIn(part: DraftPart, within: PartPath, { kept, sizes }: Laying): Unplaced {
  const paths = part.nodes.map(({ id }) => nodePath(within, id)).filter((path) => kept[path] === undefined);
  const nodes = new Map(paths.map((path) => [path, sizes[path] ?? plain]));
  const edges = part.edges
    .map(({ from, to, port = 'done' }) => ({
      from: nodePath(within, from),
      to: nodePath(within, to),
      room: port === 'done' ? 0 : 6 * port.length + 8,
    }))
    .filter(({ from, to }) => from !== to && nodes.has(from) && nodes.has(to));
  return { nodes, edges, isInside: within !== '' };
}

/** How far nodes reach to the right and down. */
function extent(paths: readonly NodePath[], { positions, sizes }: Laying): Size {
  let [width, height] = [0, 0];
  for (const path of paths) {
    const [x, y] = positions[path] ?? [0, 0];
    width = Math.max(width, x + (sizes[path]?.width ?? 0));
    height = Math.max(height, y + (sizes[path]?.height ?? 0));
  }
  return { width, height };
}

function sizeOf(node: DraftNode, path: NodePath, laying: Laying): Size {
  const bodies = bodiesIn(node);
  if (bodies.length === 0) return node.type === 'start' || node.type === 'end' ? smallSize(node) : plain;
  const lanes = bodies.map(({ field, part }) => {
    const inner = layPart(part, partPath(path, field), laying);
    const size = { width: Math.max(inner.width, plain.width), height: Math.max(inner.height, 48) };
    laying.sizes[partPath(path, field)] = size;
    return size;
  });
  const heads = lanes.length > 1 ? lanes.length * lane.head + (lanes.length - 1) * lane.gap : 0;
  return {
    width: Math.max(...lanes.map(({ width }) => width)) + 2 * around.side,
    height: lanes.reduce((sum, { height }) => sum + height, around.head + around.below + heads),
  };
}

/** As wide as its name, within reason. */
function smallSize(node: DraftNode): Size {
  return { width: Math.min(plain.width, Math.max(96, 62 + 7 * nameOf(node).length)), height: smallHeight };
}

/** Where each graph inside a node begins, from the corner of that node. */
export function laneTop(index: number, heights: readonly number[]): number {
  if (heights.length === 1) return around.head;
  const before = heights.slice(0, index).reduce((sum, height) => sum + lane.head + height + lane.gap, 0);
  return around.head + before + lane.head;
}
