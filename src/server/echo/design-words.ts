import type { Graph } from '../../graph/graph.ts';
import type { Json } from '../../run/values.ts';

/** What there is for a graph to name. */
export interface Offered {
  readonly agents: readonly { readonly name: string; readonly description?: string }[];
  readonly tools: readonly { readonly name: string; readonly description?: string }[];
}

/** What somebody is told who is to draft a workflow. */
export function designWords({ agents, tools }: Offered): string {
  return [
    'You draft workflows: graphs of nodes and edges, as JSON. Answer with {"title", "nodes", "edges"} and nothing else.',
    'A node has an «id» (a letter, then letters, digits and _) and a «type»:',
    ...types.map((line) => `- ${line}`),
    'An edge is {"from", "to"}, and "port" where it leaves by another one than «done». There is exactly one start; every path leads to an end; no path leads back.',
    'In texts {{input.text}} is what the workflow is started with and {{nodes.x.output}} what the node x gave, which must come before.',
    'Let a person agree before anything is done that cannot be taken back. Name only these agents and tools.',
    ...agents.map(({ name, description = '' }) => `agent ${name}: ${description}`),
    ...tools.map(({ name, description = '' }) => `tool ${name}: ${description}`),
  ].join('\n');
}

const types = [
  'start; end with «output»',
  'agent with «agent» and «message»: somebody works on it; prompt with «agent» and «message»: a model answers once',
  'tool with «tool» and «arguments»; template with «value»; merge',
  'branch with «cases»: [{"port", "when"}], else it leaves by «otherwise»',
  'loop with «body», «until» and «max»; map with «items» and «body»; a body is {"nodes", "edges"} without start and end',
  'human with «title» and «shows»: leaves by «approved» or «rejected»; wait with «for», in seconds',
];

const object: Json = { type: 'object' };
const answer: Json = {
  type: 'object',
  required: ['nodes', 'edges'],
  properties: {
    title: { type: 'string' },
    nodes: { type: 'array', items: { type: 'object', required: ['id', 'type'] } },
    edges: { type: 'array', items: object },
  },
};

/** A workflow that drafts workflows: one question to one agent. What it is told comes as data, so nothing in it is expanded. */
export function designGraph(name: string, agent: string): Graph {
  const message = '{{input.text}}';
  return {
    name,
    title: 'Draft a workflow',
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'design', type: 'prompt', title: 'Draft', agent, system: '{{input.words}}', message, answer },
      { id: 'end', type: 'end', output: '{{nodes.design.output}}' },
    ],
    edges: [
      { from: 'start', to: 'design' },
      { from: 'design', to: 'end' },
    ],
  };
}
