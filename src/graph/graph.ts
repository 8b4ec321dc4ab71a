import { z } from 'zod';
import { Decision } from '../run/events.ts';
import { Json } from '../run/values.ts';
import { Schedule } from './schedule.ts';

/** What a graph may have, all of its bodies counted. Characters are those of its JSON. */
export const sizes = {
  nodes: 500,
  edges: 2_000,
  levels: 10,
  expressions: 5_000,
  characters: 1_000_000,
} as const;

/** Names of CEL that cannot be those of nodes. */
const reserved =
  'as break const continue else false for function if import in let loop package namespace null return true var void while';

const NodeId = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,39}$/, 'must begin with a letter and have up to 40 letters, digits and _')
  .refine((id) => !reserved.split(' ').includes(id), 'is a word of the expressions: choose another');

const seconds = z.number().positive().max(315_360_000);
const template = z.string();
const expression = z.string().min(1);
const name = z.string().min(1).max(200);

const shared = {
  id: NodeId,
  title: z.string().max(200).optional(),
  icon: z.string().max(100).optional(),
  within: seconds.optional(),
  retry: z.strictObject({ times: z.int().min(1).max(5), pause: seconds.optional() }).optional(),
};

export const Edge = z.strictObject({ from: NodeId, to: NodeId, port: z.string().min(1).max(40).optional() });
export type Edge = z.infer<typeof Edge>;

/** Nodes and what leads from one to the next; a body has neither start nor end. */
export interface Part {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly Edge[];
}

const Body: z.ZodType<Part> = z.lazy(() =>
  z.strictObject({ nodes: z.array(GraphNode), edges: z.array(Edge) }),
);

const asked = { message: template, answer: Json.optional() };

export const GraphNode = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('start'), ...shared }),
  z.strictObject({ type: z.literal('end'), ...shared, output: Json.optional() }),
  z.strictObject({
    type: z.literal('agent'),
    ...shared,
    ...asked,
    agent: name,
    tools: z.array(name).max(100).optional(),
  }),
  z.strictObject({ type: z.literal('team'), ...shared, message: template, settings: Json }),
  z.strictObject({
    type: z.literal('prompt'),
    ...shared,
    ...asked,
    agent: name,
    system: template.optional(),
  }),
  z.strictObject({
    type: z.literal('branch'),
    ...shared,
    cases: z
      .array(z.strictObject({ port: NodeId, when: expression }))
      .min(1)
      .max(50),
  }),
  z.strictObject({
    type: z.literal('loop'),
    ...shared,
    body: Body,
    over: expression.optional(),
    until: expression.optional(),
    times: z.int().min(1).max(1_000).optional(),
    max: z.int().min(1).max(1_000).optional(),
  }),
  z.strictObject({
    type: z.literal('map'),
    ...shared,
    body: Body,
    items: expression,
    atOnce: z.int().min(1).max(100).optional(),
    max: z.int().min(1).max(1_000).optional(),
    keepGoing: z.boolean().optional(),
  }),
  z.strictObject({
    type: z.literal('review'),
    ...shared,
    body: Body,
    judge: name,
    threshold: z.number().min(0).max(1).optional(),
    max: z.int().min(1).max(20).optional(),
  }),
  z.strictObject({
    type: z.literal('human'),
    ...shared,
    shows: Json.optional(),
    form: Json.optional(),
    allowed: z.array(Decision.exclude(['expire'])).optional(),
    priority: z.enum(['low', 'medium', 'high', 'critical']).optional(),
    expiresIn: z.union([seconds, expression]).optional(),
    redo: z.array(NodeId).max(50).optional(),
  }),
  z.strictObject({ type: z.literal('tool'), ...shared, tool: name, arguments: Json.optional() }),
  z.strictObject({
    type: z.literal('http'),
    ...shared,
    connection: name,
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    path: template,
    body: Json.optional(),
  }),
  z.strictObject({ type: z.literal('code'), ...shared, code: z.string(), input: Json.optional() }),
  z.strictObject({ type: z.literal('template'), ...shared, value: Json }),
  z.strictObject({
    type: z.literal('merge'),
    ...shared,
    of: z.array(NodeId).optional(),
    how: z.enum(['object', 'list', 'text', 'agent']).optional(),
    agent: name.optional(),
    first: z.boolean().optional(),
  }),
  z.strictObject({ type: z.literal('failsafe'), ...shared, body: Body, fallback: Body }),
  z.strictObject({
    type: z.literal('wait'),
    ...shared,
    for: z.union([seconds, expression]).optional(),
    until: expression.optional(),
  }),
  z.strictObject({
    type: z.literal('workflow'),
    ...shared,
    workflow: name,
    version: z.int().positive().optional(),
    input: Json.optional(),
  }),
  z.strictObject({ type: z.literal('retrieve'), ...shared, query: template, settings: Json.optional() }),
  z.strictObject({ type: z.literal('guard'), ...shared, text: template, settings: Json.optional() }),
]);
export type GraphNode = z.infer<typeof GraphNode>;

export const Graph = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be small letters, digits and -, at most 63'),
  title: z.string().max(200).optional(),
  limits: z
    .strictObject({
      turns: z.int().positive().optional(),
      calls: z.int().positive().optional(),
      depth: z.int().positive().optional(),
    })
    .optional(),
  input: Json.optional(),
  schedules: z.array(Schedule).max(20).optional(),
  nodes: z.array(GraphNode),
  edges: z.array(Edge),
  layout: z.record(z.string(), z.tuple([z.number(), z.number()])).optional(),
});
export type Graph = z.infer<typeof Graph>;

/** The tool that nodes of type code run by. */
export const codeTool = 'run_javascript';

/** The tools that look for passages: those it names, or the one that searches documents. */
export function searchTools(settings: Json | undefined): readonly string[] {
  const named: unknown = Reflect.get(Object(settings ?? {}), 'tools');
  return Array.isArray(named) ? named.map(String) : ['search_documents'];
}

/** The graphs inside a node, by the field they stand in. */
export function bodiesOf(node: GraphNode): readonly { readonly field: string; readonly part: Part }[] {
  switch (node.type) {
    case 'loop':
    case 'map':
    case 'review':
      return [{ field: 'body', part: node.body }];
    case 'failsafe':
      return [
        { field: 'body', part: node.body },
        { field: 'fallback', part: node.fallback },
      ];
    case 'start':
    case 'end':
    case 'agent':
    case 'team':
    case 'prompt':
    case 'branch':
    case 'human':
    case 'tool':
    case 'http':
    case 'code':
    case 'template':
    case 'merge':
    case 'wait':
    case 'workflow':
    case 'retrieve':
    case 'guard':
      return [];
  }
}

/** Where edges may leave a node. */
export function portsOf(node: GraphNode): readonly string[] {
  switch (node.type) {
    case 'end':
      return [];
    case 'start':
      return ['done'];
    case 'branch':
      return [...node.cases.map(({ port }) => port), 'otherwise', 'failed'];
    case 'loop':
      return ['done', 'exhausted', 'failed'];
    case 'review':
      return ['done', 'unsure', 'failed'];
    case 'human':
      return ['approved', 'rejected', 'expired', 'failed'];
    case 'guard':
      return ['done', 'blocked', 'failed'];
    case 'agent':
    case 'team':
    case 'prompt':
    case 'map':
    case 'tool':
    case 'http':
    case 'code':
    case 'template':
    case 'merge':
    case 'failsafe':
    case 'wait':
    case 'workflow':
    case 'retrieve':
      return ['done', 'failed'];
  }
}
