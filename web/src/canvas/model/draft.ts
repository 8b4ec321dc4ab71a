import { z } from 'zod';
import { GraphNode, portsOf } from '../../../../src/graph/graph.ts';
import { Json } from '../../../../src/run/values.ts';
import type { DraftGraph, DraftNode, DraftPart, NodeType } from './draft-graph.ts';

export const nodeTypes = GraphNode.options.map((option) => option.shape.type.value);

const Part: z.ZodType<DraftPart> = z.lazy(() =>
  z.looseObject({
    nodes: z.array(
      z.looseObject({
        id: z.string().min(1),
        type: z.enum(nodeTypes),
        title: z.string().optional(),
        body: z.union([Part, Json]).optional(),
        fallback: z.union([Part, Json]).optional(),
      }),
    ),
    edges: z.array(z.looseObject({ from: z.string(), to: z.string(), port: z.string().optional() })),
  }),
);

const Draft = z.intersection(
  Part,
  z.looseObject({
    name: z.string(),
    title: z.string().optional(),
    layout: z.record(z.string(), z.tuple([z.number(), z.number()])).optional(),
  }),
);

/** What can be drawn of a definition; nothing where it has no nodes and edges to draw. */
export function drawable(definition: unknown): DraftGraph | undefined {
  // As it was given, in the order it was written in.
  return Draft.safeParse(definition).success ? (definition as DraftGraph) : undefined;
}

/** Where edges may leave a node, with what its cases call theirs. */
export function portsIn(node: DraftNode): readonly string[] {
  const read = GraphNode.safeParse(node);
  if (read.success) return portsOf(read.data);
  const cases = Array.isArray(node['cases']) ? (node['cases'] as readonly { readonly port?: unknown }[]) : [];
  return portsOf({
    ...emptyNode(node.type),
    cases: cases.flatMap(({ port }) => (typeof port === 'string' ? [{ port, when: '' }] : [])),
  } as GraphNode);
}

/** A new node of a type, with what it cannot be without left empty. */
export function emptyNode(type: NodeType): Readonly<Record<string, unknown>> {
  const part = { nodes: [], edges: [] };
  const needed: Readonly<Partial<Record<NodeType, object>>> = {
    agent: { agent: '', message: '{{input.text}}' },
    team: { message: '{{input.text}}', settings: {} },
    prompt: { agent: '', message: '' },
    branch: { cases: [{ port: 'yes', when: 'true' }] },
    loop: { body: part, until: 'index >= 2', max: 3 },
    map: { body: part, items: '[]', max: 10 },
    review: { body: part, judge: '' },
    human: { shows: '' },
    tool: { tool: '', arguments: {} },
    http: { connection: '', method: 'GET', path: '/' },
    code: { code: '' },
    template: { value: '' },
    failsafe: { body: part, fallback: part },
    wait: { for: 60 },
    workflow: { workflow: '' },
    retrieve: { query: '{{input.text}}' },
    guard: { text: '{{input.text}}' },
  };
  return { type, ...needed[type] };
}
