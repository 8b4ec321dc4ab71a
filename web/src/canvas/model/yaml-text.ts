import { Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';
import type { Json } from '../../../../src/run/values.ts';
import { drawable } from './draft.ts';
import { jsonOfDraft, type DraftGraph } from './draft-graph.ts';

/**
 * A graph as text: what somebody reads, and what they write back. What they have `written` before stays as it is wherever it says
 * the same, with its comments, its order and its style.
 */
export function yamlOf(graph: DraftGraph, written?: string): string {
  if (written === undefined) return freshYaml(graph);
  const document = parseDocument(written);
  if (document.errors.length > 0 || !isMap(document.contents)) return freshYaml(graph);
  const value = JSON.parse(JSON.stringify(jsonOfDraft(graph))) as Json;
  if (saysSame(document, document.contents, value)) return written;
  follow(document, document.contents, value);
  return document.toString({ lineWidth: 0 });
}

function freshYaml(graph: DraftGraph): string {
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

/** The node with what it is to say now: itself, changed where it says something else, or another. */
function follow(document: Document, node: unknown, value: Json): Node {
  if (isNode(node)) {
    if (saysSame(document, node, value)) return node;
    if (isMap(node) && isFields(value)) {
      node.items = node.items.filter(({ key }) => Object.hasOwn(value, nameOf(key)));
      for (const pair of node.items)
        pair.value = follow(document, pair.value, value[nameOf(pair.key)] ?? null);
      const known = new Set(node.items.map(({ key }) => nameOf(key)));
      for (const [name, inner] of Object.entries(value))
        if (!known.has(name)) node.items.push(document.createPair(name, fresh(document, inner)));
      return node;
    }
    if (isSeq(node) && Array.isArray(value)) {
      const before = Map.groupBy(node.items, (item) =>
        nameIn(isNode(item) ? (item.toJS(document) as Json) : null),
      );
      node.items = value.map((inner: Json) => follow(document, before.get(nameIn(inner))?.shift(), inner));
      return node;
    }
  }
  const made = fresh(document, value);
  if (isNode(node)) {
    made.comment = node.comment;
    made.commentBefore = node.commentBefore;
  }
  return made;
}

function fresh(document: Document, value: Json): Node {
  return document.createNode(value, { aliasDuplicateObjects: false }) as Node;
}

/** What an item of a list is found again by: its id, or where it has none all that it says. */
function nameIn(value: Json): string {
  const id = isFields(value) ? value['id'] : undefined;
  return id === undefined ? canonical(value) : `id ${canonical(id)}`;
}

function saysSame(document: Document, node: Node, value: Json): boolean {
  return canonical(node.toJS(document) as Json) === canonical(value);
}

/** The same text for the same value, in whatever order its fields are. */
function canonical(value: Json): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isFields(inner as Json)
      ? Object.fromEntries(
          Object.entries(inner as object).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : inner,
  );
}

function nameOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function isFields(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
