import { emptyNode } from './draft.ts';
import type { DraftEdge, DraftGraph, DraftNode, DraftPart, NodeType, Position } from './draft-graph.ts';
import { idOf, nodePath, nodesWithin, partOf, type NodePath, type PartPath } from './node-path.ts';

/** What becomes of a graph when somebody changes it. None changes what it is given. */
export type Edit = (graph: DraftGraph) => DraftGraph;

export type Positions = Readonly<Record<NodePath, Position>>;

/** The id a new node of a type gets: its type, with a number where that is taken. */
export function freeId(graph: DraftGraph, type: NodeType): string {
  const taken = new Set(nodesWithin(graph).map(({ node }) => node.id));
  const base = type === 'loop' ? 'again' : type;
  if (!taken.has(base)) return base;
  for (let i = 2; ; i += 1) if (!taken.has(`${base}${i}`)) return `${base}${i}`;
}

export function added(within: PartPath, type: NodeType, id: string): Edit {
  const node = { id, ...emptyNode(type) } as DraftNode;
  return inPart(within, (part) => ({ ...part, nodes: [...part.nodes, node] }));
}

export function removed(path: NodePath): Edit {
  const id = idOf(path);
  const out = inPart(partOf(path), (part) => ({
    ...part,
    nodes: part.nodes.filter((node) => node.id !== id),
    edges: part.edges.filter(({ from, to }) => from !== id && to !== id),
  }));
  return (graph) => moved(out(graph), (at) => (at === path || at.startsWith(`${path}.`) ? undefined : at));
}

/** One field of a node; without a value it is left out. */
export function changed(path: NodePath, field: string, value: unknown): Edit {
  return inNode(path, (node) => {
    const others = Object.entries(node).filter(([name]) => name !== field);
    return Object.fromEntries(
      value === undefined ? others : [...others, [field, value]],
    ) as unknown as DraftNode;
  });
}

/** Another id: edges and places go with it. What expressions say of it is told as a problem. */
export function renamed(path: NodePath, id: string): Edit {
  const [within, before] = [partOf(path), idOf(path)];
  const after = nodePath(within, id);
  const named = (one: string): string => (one === before ? id : one);
  const edit = inPart(within, (part) => ({
    ...part,
    nodes: part.nodes.map((node) => (node.id === before ? { ...node, id } : node)),
    edges: part.edges.map((edge) => ({ ...edge, from: named(edge.from), to: named(edge.to) })),
  }));
  return (graph) =>
    moved(edit(graph), (at) =>
      at === path ? after : at.startsWith(`${path}.`) ? `${after}${at.slice(path.length)}` : at,
    );
}

export interface Connection {
  readonly from: NodePath;
  readonly port: string;
  readonly to: NodePath;
}

/** An edge within one graph; between two there is none. The usual port is not written down. */
export function connected({ from, port, to }: Connection): Edit {
  const within = partOf(from);
  if (within !== partOf(to) || from === to) return (graph) => graph;
  return inPart(within, (part) => {
    const edge: DraftEdge = { from: idOf(from), to: idOf(to), ...(port === 'done' ? {} : { port }) };
    const isThere = part.edges.some(
      (one) => one.from === edge.from && one.to === edge.to && (one.port ?? 'done') === port,
    );
    return isThere ? part : { ...part, edges: [...part.edges, edge] };
  });
}

export function disconnected({ from, port, to }: Connection): Edit {
  return inPart(partOf(from), (part) => ({
    ...part,
    edges: part.edges.filter(
      (edge) => edge.from !== idOf(from) || edge.to !== idOf(to) || (edge.port ?? 'done') !== port,
    ),
  }));
}

/** Where nodes stand, from now on. */
export function placed(positions: Positions): Edit {
  return (graph) => ({ ...graph, layout: { ...graph.layout, ...positions } });
}

export function inOrder(...edits: readonly Edit[]): Edit {
  return (graph) => edits.reduce((now, edit) => edit(now), graph);
}

function inPart(within: PartPath, change: (part: DraftPart) => DraftPart): Edit {
  if (within === '') return (graph) => ({ ...graph, ...change(graph) });
  const field = idOf(within);
  return inNode(partOf(within), (node) => ({ ...node, [field]: change(node[field] as DraftPart) }));
}

function inNode(path: NodePath, change: (node: DraftNode) => DraftNode): Edit {
  const id = idOf(path);
  return inPart(partOf(path), (part) => ({
    ...part,
    nodes: part.nodes.map((node) => (node.id === id ? change(node) : node)),
  }));
}

function moved(graph: DraftGraph, to: (path: NodePath) => NodePath | undefined): DraftGraph {
  if (!graph.layout) return graph;
  const layout = Object.entries(graph.layout).flatMap(([path, at]) => {
    const now = to(path);
    return now === undefined ? [] : [[now, at] as const];
  });
  return { ...graph, layout: Object.fromEntries(layout) };
}
