import type { Edge, Node } from '@xyflow/react';
import { portsIn } from './draft.ts';
import { bodiesIn, type DraftGraph, type DraftNode, type DraftPart } from './draft-graph.ts';
import { laneTop, around, type Layout } from './layout.ts';
import { nodePath, partPath, type NodePath, type PartPath } from './node-path.ts';

export interface DrawnNode {
  readonly [field: string]: unknown;
  readonly path: NodePath;
  readonly node: DraftNode;
  readonly ports: readonly string[];
}
export interface DrawnLane {
  readonly [field: string]: unknown;
  readonly path: PartPath;
  /** Said above it where a node has several. */
  readonly field: 'body' | 'fallback' | undefined;
}
export interface DrawnEdge {
  readonly [field: string]: unknown;
  readonly from: NodePath;
  readonly to: NodePath;
  readonly port: string;
  /** Of those with a name that come to the same node, which this is: names stand above each other. */
  readonly index: number;
}

export type FlowNode = Node<DrawnNode, 'node' | 'container'> | Node<DrawnLane, 'lane'>;
export type FlowEdge = Edge<DrawnEdge, 'port'>;

export interface Flow {
  readonly nodes: FlowNode[];
  readonly edges: FlowEdge[];
}

/** A graph as it is drawn: what holds something stands before what it holds. */
export function flowOf(graph: DraftGraph, layout: Layout): Flow {
  const flow: Flow = { nodes: [], edges: [] };
  drawPart(graph, '', { layout, flow, parent: undefined });
  return flow;
}

interface Drawing {
  readonly layout: Layout;
  readonly flow: Flow;
  readonly parent: string | undefined;
}

function drawPart(part: DraftPart, within: PartPath, drawing: Drawing): void {
  const { layout, flow, parent } = drawing;
  for (const node of part.nodes) {
    const path = nodePath(within, node.id);
    const [x, y] = layout.positions[path] ?? [0, 0];
    const size = layout.sizes[path] ?? { width: 0, height: 0 };
    const bodies = bodiesIn(node);
    flow.nodes.push({
      id: path,
      type: bodies.length > 0 ? 'container' : 'node',
      position: { x, y },
      ...size,
      data: dataOf(node, path),
      ...(parent === undefined ? {} : { parentId: parent, extent: 'parent' as const }),
    });
    drawBodies(node, path, drawing);
  }
  flow.edges.push(...edgesOf(part, within));
}

function drawBodies(node: DraftNode, path: NodePath, { layout, flow }: Drawing): void {
  const bodies = bodiesIn(node);
  const sizes = bodies.map(({ field }) => layout.sizes[partPath(path, field)] ?? { width: 0, height: 0 });
  bodies.forEach(({ field, part }, i) => {
    const within = partPath(path, field);
    flow.nodes.push({
      id: within,
      type: 'lane',
      position: {
        x: around.side,
        y: laneTop(
          i,
          sizes.map(({ height }) => height),
        ),
      },
      ...(sizes[i] ?? { width: 0, height: 0 }),
      data: laneData(within, bodies.length > 1 ? field : undefined),
      parentId: path,
      draggable: false,
      selectable: false,
      focusable: false,
    });
    drawPart(part, within, { layout, flow, parent: within });
  });
}

function edgesOf(part: DraftPart, within: PartPath): readonly FlowEdge[] {
  const ids = new Set(part.nodes.map(({ id }) => id));
  const named = new Map<string, number>();
  return part.edges
    .filter(({ from, to }) => ids.has(from) && ids.has(to))
    .map(({ from, to, port = 'done' }) => {
      const [source, target] = [nodePath(within, from), nodePath(within, to)];
      const index = named.get(target) ?? 0;
      if (port !== 'done') named.set(target, index + 1);
      return {
        id: `${source}:${port}:${target}`,
        type: 'port',
        source,
        target,
        sourceHandle: port,
        targetHandle: 'in',
        data: { from: source, to: target, port, index },
      };
    });
}

const drawn = new WeakMap<DraftNode, DrawnNode>();

/** The same as before for a node that is the same as before, so that it is not drawn again. */
function dataOf(node: DraftNode, path: NodePath): DrawnNode {
  const known = drawn.get(node);
  if (known?.path === path) return known;
  const data = { path, node, ports: portsIn(node) };
  drawn.set(node, data);
  return data;
}

const lanes = new Map<string, DrawnLane>();

function laneData(path: PartPath, field: DrawnLane['field']): DrawnLane {
  const key = `${path} ${field}`;
  const data = lanes.get(key) ?? { path, field };
  lanes.set(key, data);
  return data;
}
