import { Document, isMap, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Json } from '../../../../src/run/values.ts';
import { drawable } from './draft.ts';
import type { DraftGraph } from './draft-graph.ts';

/** A graph as text: what somebody reads, and what they write back. */
export function yamlOf(graph: DraftGraph): string {
  const { name, title, input, nodes, edges, layout, ...rest } = graph as DraftGraph &
    Readonly<Record<string, unknown>>;
  const said = Object.entries({ name, title, input, ...rest, nodes, edges, layout });
  const document = new Document(Object.fromEntries(said.filter(([, value]) => value !== undefined)), {
    aliasDuplicateObjects: false,
  });
  const places = document.get('layout');
  if (isMap(places)) for (const { value } of places.items) if (isSeq(value)) value.flow = true;
  return document.toString({ lineWidth: 0 });
}

export type ReadYaml =
  | { readonly graph: DraftGraph }
  | { readonly problem: string; readonly line: number | undefined };

/** The graph that a text says, or why it is none. Aliases are not followed: a few lines could say millions. */
export function readYaml(text: string): ReadYaml {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error) return { problem: error.message, line: lineCounter.linePos(error.pos[0]).line };
  let value: Json;
  try {
    value = document.toJS({ maxAliasCount: 0 }) as Json;
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown), line: undefined };
  }
  const graph = drawable(value);
  return graph ? { graph } : { problem: 'nodes', line: undefined };
}
