import type { GraphNode } from '../../../../src/graph/graph.ts';
import type { Json } from '../../../../src/run/values.ts';

export type NodeType = GraphNode['type'];

export interface DraftEdge {
  readonly from: string;
  readonly to: string;
  readonly port?: string | undefined;
}

/** A node as far as it must be read to be drawn: what is wrong with the rest of it is told beside. */
export interface DraftNode {
  readonly id: string;
  readonly type: NodeType;
  readonly title?: string | undefined;
  readonly [field: string]: unknown;
}

export interface DraftPart {
  readonly nodes: readonly DraftNode[];
  readonly edges: readonly DraftEdge[];
}

export type Position = readonly [x: number, y: number];

/** A graph that somebody works on. It may have problems, and can be drawn all the same. */
export interface DraftGraph extends DraftPart {
  readonly name: string;
  readonly title?: string | undefined;
  readonly input?: Json | undefined;
  readonly layout?: Readonly<Record<string, Position>> | undefined;
}

/** A draft as JSON: what the server keeps and what is looked over for problems. */
export function jsonOfDraft(graph: DraftGraph): Json {
  return graph as unknown as Json;
}

export interface DraftBody {
  readonly field: 'body' | 'fallback';
  readonly part: DraftPart;
}

/** The graphs inside a node, as far as they can be drawn. */
export function bodiesIn(node: DraftNode): readonly DraftBody[] {
  if (node.type === 'http') return [];
  return (['body', 'fallback'] as const).flatMap((field) => {
    const part = node[field];
    return isPart(part) ? [{ field, part }] : [];
  });
}

function isPart(value: unknown): value is DraftPart {
  return typeof value === 'object' && value !== null && 'nodes' in value && Array.isArray(value.nodes);
}
