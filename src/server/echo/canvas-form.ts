import { z } from 'zod';
import { EchoAgent, EchoConnection, type EchoWorkflow } from '../../wire/echo-workflow.ts';
import { present } from '../../run/tree.ts';

const CanvasNode = z.looseObject({
  id: z.string(),
  type: z.string(),
  name: z.string().optional(),
  x: z.number().optional(),
  y: z.number().optional(),
  icon: z.string().optional(),
  /** What is set of its type. */
  config: z.record(z.string(), z.unknown()).optional(),
  /** The agent as the platform keeps it, where the node was made from one. */
  backend_data: EchoAgent.optional(),
});

/** A workflow as the platform's canvas has it: nodes with places, and what is set of each. */
export const EchoCanvas = z.looseObject({
  workflow_id: z.string().optional(),
  name: z.string().default('Untitled'),
  description: z.string().optional(),
  nodes: z.array(CanvasNode),
  connections: z.array(EchoConnection).default([]),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type EchoCanvas = z.infer<typeof EchoCanvas>;

/** The same with agents for nodes. */
export function workflowOfCanvas({ nodes, ...canvas }: EchoCanvas): EchoWorkflow {
  return { ...canvas, agents: nodes.map(agentOf) };
}

function agentOf({
  id,
  type,
  name,
  x,
  y,
  icon,
  config,
  backend_data: kept,
}: EchoCanvas['nodes'][number]): EchoAgent {
  const layout = x === undefined || y === undefined ? {} : { ui_layout: { x, y, ...present({ icon }) } };
  const settings = config === undefined ? {} : { [configOf(type)]: config };
  return {
    ...kept,
    agent_id: id,
    ...present({ name }),
    metadata: { ...kept?.metadata, node_type: type, ...layout, ...settings },
  };
}

/** A workflow with places for its agents; those that have none stand in a row. */
export function canvasOfWorkflow({ agents, ...workflow }: EchoWorkflow): EchoCanvas {
  const inline = agents.flatMap((agent) => (typeof agent === 'string' ? [] : [agent]));
  return { ...workflow, nodes: inline.map(nodeOf) };
}

const apart = 220;

function nodeOf(agent: EchoAgent, i: number): EchoCanvas['nodes'][number] {
  const { agent_id: id, name, metadata = {} } = agent;
  const type = metadata.node_type ?? 'Agent';
  const { x = i * apart, y = 0, icon } = metadata.ui_layout ?? {};
  const config = z.record(z.string(), z.unknown()).safeParse(metadata[configOf(type)]).data;
  return { id, type, x, y, ...present({ name, icon, config }), backend_data: agent };
}

/** `Self-Review` is set in `self_review_config`. */
function configOf(type: string): string {
  return `${type.toLowerCase().replaceAll(/[^a-z]+/g, '_')}_config`;
}
