import type { Edge, Graph, GraphNode } from '../../graph/graph.ts';
import type { Json } from '../../run/values.ts';
import type { EchoAgent, EchoWorkflow } from '../../wire/echo-workflow.ts';
import { present } from '../../run/tree.ts';

const typeNames: Readonly<Record<GraphNode['type'], string>> = {
  start: 'Start',
  end: 'End',
  agent: 'Agent',
  team: 'Subagent',
  prompt: 'Prompt',
  branch: 'Conditional',
  loop: 'Loop',
  map: 'Map',
  review: 'Self-Review',
  human: 'HITL',
  http: 'API',
  tool: 'MCP',
  code: 'Code',
  template: 'Template',
  merge: 'Merge',
  failsafe: 'Failsafe',
  // These have no type there.
  wait: 'Template',
  workflow: 'Subagent',
  retrieve: 'MCP',
  guard: 'Template',
};

export interface Exported {
  readonly name: string;
  readonly version: number;
  readonly state: 'draft' | 'published' | 'archived';
  readonly graph: Graph;
}

/** A graph as a workflow of the workflow platform. What that has no word for stands whole in its metadata, for the way back. */
export function exportWorkflow({ name, version, state, graph }: Exported): EchoWorkflow {
  const { nodes, edges, layout = {}, title, ...own } = graph;
  return {
    workflow_id: name,
    name: title ?? name,
    status: state === 'published' ? 'final' : state,
    version,
    execution_model: modelOf(graph),
    agents: nodes.map((node) => agentOf(node, layout[node.id])),
    connections: edges.map(connectionOf),
    metadata: { vitrine: present({ ...own, title }) },
  };
}

export function agentOf(node: GraphNode, at?: readonly [number, number]): EchoAgent {
  const { id, title, type, within } = node;
  return {
    agent_id: id,
    name: title ?? id,
    ...(type === 'agent' ? { goal: node.message } : {}),
    ...(type === 'prompt' ? { llm: { model: node.agent } } : {}),
    ...(within === undefined ? {} : { constraints: { timeout_seconds: within } }),
    metadata: {
      node_type: typeNames[type],
      ...(at ? { ui_layout: { x: at[0], y: at[1], ...present({ icon: node.icon }) } } : {}),
      ...configOf(node),
      vitrine: node as unknown as Json,
    },
  };
}

function configOf(node: GraphNode): Readonly<Record<string, unknown>> {
  if (node.type === 'branch')
    return {
      conditional_config: { branches: node.cases.map(({ port, when }) => ({ name: port, condition: when })) },
    };
  if (node.type === 'human') {
    const { title, shows, priority, allowed = ['approve', 'reject', 'edit'] } = node;
    const message = typeof shows === 'string' ? shows : undefined;
    return { hitl_config: present({ title, message, priority, allowed_decisions: [...allowed] }) };
  }
  if (node.type === 'prompt') return { prompt_config: { prompt: node.message } };
  if (node.type === 'template' && typeof node.value === 'string')
    return { template_config: { template: node.value } };
  if (node.type === 'code') return { code_config: { language: 'javascript', code: node.code } };
  if (node.type === 'map')
    return { map_config: { arrayVariable: node.items, maxConcurrency: node.atOnce ?? 5 } };
  if (node.type === 'loop') return { loop_config: { maxIterations: node.times ?? node.max ?? 100 } };
  if (node.type === 'tool') {
    const [serverName = '', toolName = ''] = node.tool.includes('__')
      ? node.tool.split('__', 2)
      : ['', node.tool];
    return { mcp_config: { serverName, toolName, arguments: node.arguments ?? {} } };
  }
  return {};
}

function connectionOf({ from, to, port }: Edge): EchoWorkflow['connections'][number] {
  return { from, to, ...(port === undefined ? {} : { condition: port, port }) };
}

/** What the other platform infers from a canvas. */
function modelOf({ nodes, edges }: Graph): string {
  const has = (...types: readonly string[]): boolean => nodes.some(({ type }) => types.includes(type));
  const isBranching = has('branch', 'loop');
  if (has('team')) return 'hierarchical';
  const out = Object.values(Object.groupBy(edges, ({ from }) => from));
  const isWide = has('map') || out.some((leaving) => (leaving?.length ?? 0) > 1);
  return isWide ? (isBranching ? 'hybrid' : 'parallel') : 'sequential';
}
