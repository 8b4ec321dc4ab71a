import type { Json } from '../run/values.ts';
import { differences, type Difference } from './definition-diff.ts';
import { isList } from './definition-body.ts';

/** What is different in two graphs. Where a node stands on a canvas, and the order nodes are written in, is no difference. */
export interface GraphDiff {
  /** By their places: `survey/ask` is the node «ask» inside «survey». */
  readonly nodes: readonly ChangedNode[];
  readonly edges: readonly {
    readonly within: string;
    readonly change: 'added' | 'removed';
    readonly edge: Edge;
  }[];
  readonly other: readonly Difference[];
}

interface ChangedNode {
  readonly node: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly fields: readonly Difference[];
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly port?: string;
}

/** Drafts may be no graphs yet: what is none is compared as it is. */
export function graphDiff(before: Json, after: Json): GraphDiff {
  const [one, other] = [placesIn(before), placesIn(after)];
  const nodes = [...new Set([...one.nodes.keys(), ...other.nodes.keys()])].flatMap((node): ChangedNode[] => {
    const [was, is] = [one.nodes.get(node), other.nodes.get(node)];
    if (was === undefined || is === undefined)
      return [{ node, change: was === undefined ? 'added' : 'removed', fields: [] }];
    const fields = differences(was, is);
    return fields.length > 0 ? [{ node, change: 'changed', fields }] : [];
  });
  const only = (here: Places, there: Places, change: 'added' | 'removed') =>
    [...here.edges].flatMap(([key, edge]) => (there.edges.has(key) ? [] : [{ ...edge, change }]));
  return {
    nodes,
    edges: [...only(one, other, 'removed'), ...only(other, one, 'added')],
    other: differences(without(before, ofGraph), without(after, ofGraph)),
  };
}

interface Places {
  readonly nodes: ReadonlyMap<string, Json>;
  readonly edges: ReadonlyMap<string, { readonly within: string; readonly edge: Edge }>;
}

const bodies = ['body', 'fallback'] as const;
const ofGraph = ['nodes', 'edges', 'layout'];

function placesIn(graph: Json): Places {
  const nodes = new Map<string, Json>();
  const edges = new Map<string, { within: string; edge: Edge }>();
  const parts: { readonly part: Json; readonly within: string }[] = [{ part: graph, within: '' }];
  for (const { part, within } of parts) {
    for (const given of listIn(part, 'edges')) {
      const edge = edgeIn(given);
      edges.set(JSON.stringify([within, edge.from, edge.port, edge.to]), { within, edge });
    }
    for (const [i, node] of listIn(part, 'nodes').entries()) {
      const id = textIn(node, 'id') ?? `[${i}]`;
      const place = within === '' ? id : `${within}/${id}`;
      nodes.set(place, without(node, bodies));
      for (const field of bodies) {
        const body = fieldOf(node, field);
        if (body !== undefined)
          parts.push({ part: body, within: field === 'body' ? place : `${place}/fallback` });
      }
    }
  }
  return { nodes, edges };
}

function edgeIn(edge: Json): Edge {
  const port = textIn(edge, 'port');
  const [from, to] = [textIn(edge, 'from') ?? '', textIn(edge, 'to') ?? ''];
  return port === undefined || port === 'done' ? { from, to } : { from, to, port };
}

function listIn(value: Json, field: string): readonly Json[] {
  const found = fieldOf(value, field);
  return found !== undefined && isList(found) ? found : [];
}

function textIn(value: Json, field: string): string | undefined {
  const found = fieldOf(value, field);
  return typeof found === 'string' ? found : undefined;
}

function fieldOf(value: Json, field: string): Json | undefined {
  if (typeof value !== 'object' || value === null || isList(value) || !Object.hasOwn(value, field))
    return undefined;
  return value[field];
}

function without(value: Json, fields: readonly string[]): Json {
  if (typeof value !== 'object' || value === null || isList(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.includes(name)));
}
