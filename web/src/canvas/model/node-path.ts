import { bodiesIn, type DraftBody, type DraftGraph, type DraftNode, type DraftPart } from './draft-graph.ts';

/** Where a node stands, from the outside in: `again.body.look`. At the outermost it is its id. */
export type NodePath = string;

/** Where a graph stands: `again.body`; the outermost is empty. */
export type PartPath = string;

export function nodePath(within: PartPath, id: string): NodePath {
  return within === '' ? id : `${within}.${id}`;
}

export function partPath(node: NodePath, field: DraftBody['field']): PartPath {
  return `${node}.${field}`;
}

export function partOf(path: NodePath): PartPath {
  return path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '';
}

export function idOf(path: NodePath): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

export interface PlacedNode {
  readonly path: NodePath;
  readonly within: PartPath;
  readonly node: DraftNode;
}

/** All nodes of a graph in reading order, those inside another after it. */
export function nodesWithin(part: DraftPart, within: PartPath = ''): readonly PlacedNode[] {
  return part.nodes.flatMap((node) => {
    const path = nodePath(within, node.id);
    const inside = bodiesIn(node).flatMap(({ field, part: body }) =>
      nodesWithin(body, partPath(path, field)),
    );
    return [{ path, within, node }, ...inside];
  });
}

export function partAt(graph: DraftGraph, within: PartPath): DraftPart | undefined {
  if (within === '') return graph;
  const field = idOf(within);
  const node = nodeAt(graph, partOf(within));
  return node && bodiesIn(node).find((body) => body.field === field)?.part;
}

export function nodeAt(graph: DraftGraph, path: NodePath): DraftNode | undefined {
  const id = idOf(path);
  return partAt(graph, partOf(path))?.nodes.find((node) => node.id === id);
}

/** The node that a problem names: it says the id alone, which no two around each other share. */
export function pathNamed(graph: DraftGraph, id: string): NodePath | undefined {
  return nodesWithin(graph).find(({ node }) => node.id === id)?.path;
}
