import { z } from 'zod';
import { Json } from '../../src/wire/json.ts';
import type { Queried, Row } from './queried.ts';

/** What one query of an agent brought to light. */
export const Found = z.object({
  query: z.string(),
  /** Each in the form of a visualization. */
  results: z.array(Json),
  /** Sources, one line each. */
  citations: z.array(z.string()).optional(),
  /** The result in sentences, computed from it. */
  finding: z.string(),
  /** What the model reads beside the finding: passages, or a whole document. */
  hits: Json.optional(),
  document: z.object({ runbook: z.string(), text: z.string() }).optional(),
});
export type Found = z.infer<typeof Found>;

export interface Node {
  readonly id: string;
  readonly label: string;
  readonly properties: Row;
}

export interface GraphEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly label: string;
}

/** Rows as a graph, and as the table they came in. */
export function graphOf(queried: Queried, nodes: readonly Node[], edges: readonly GraphEdge[]): Json[] {
  const known = new Map(nodes.map((node) => [node.id, node]));
  const drawn = new Map(
    edges
      .filter(({ source, target }) => known.has(source) && known.has(target))
      .map((edge) => [edge.id, edge]),
  );
  const labels = [...new Set([...known.values()].map(({ label }) => label))];
  const topology = {
    nodes: [...known.values()].map(({ id, label, properties }) => ({
      id,
      label,
      properties: { ...properties },
    })),
    edges: [...drawn.values()].map((edge) => ({ ...edge, properties: {} })),
    meta: { node_count: known.size, edge_count: drawn.size, labels },
  };
  return [topology, ...tableOf(queried)];
}

export function tableOf({ columns, rows }: Queried): Json[] {
  return [{ columns: columns.map((column) => ({ ...column })), rows: rows.map((row) => ({ ...row })) }];
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en-AU')} ${count === 1 ? word : `${word}s`}`;
}

export function listed(words: readonly string[], most = 8): string {
  const shown = words.slice(0, most);
  const rest = words.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
