import type { NodeType, Position } from './model/draft-graph.ts';
import type { Connection } from './model/edits.ts';
import type { NodePath, PartPath } from './model/node-path.ts';

/** What can be done to a graph by pointer and key. */
export interface CanvasEdits {
  readonly move: (positions: Readonly<Record<NodePath, Position>>) => void;
  readonly connect: (connection: Connection) => void;
  readonly remove: (nodes: readonly NodePath[], edges: readonly Connection[]) => void;
  readonly drop: (type: NodeType, within: PartPath, at: Position) => void;
  readonly tidy: () => void;
}
