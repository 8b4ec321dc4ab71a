import { z } from 'zod';
import { FlatStep } from '../../run/flat-step.ts';
import { endpoint } from './endpoint.ts';
import { GivenGraph } from './workflows.ts';

/** How a node of a graph stands in a run. Each time it was done is one of these; a node that was not yet is one, too. */
export const NodeState = z.object({
  /** The keys of the steps it is in, and its own: `survey/branch 2/ask`. Of one that has no step, where it is in the graph. */
  path: z.string(),
  /** Where it is in the graph: `survey/ask`. */
  node: z.string(),
  /** `pending` where it has not begun. */
  state: FlatStep.shape.status,
  /** Its newest step at this path. */
  step: z.int().optional(),
  openedAt: z.number().optional(),
  closedAt: z.number().optional(),
  milliseconds: z.number().optional(),
  failure: FlatStep.shape.failure,
  /** The questions it asks or asked. */
  approvals: z.array(z.string()).optional(),
  /** What came of it was taken over from the run this one goes on from. */
  kept: z.boolean().optional(),
});
export type NodeState = z.infer<typeof NodeState>;

/** A run as its graph: what it was started to do, and how far each node has come. */
export const RunGraph = z.object({
  run: z.string(),
  graph: GivenGraph,
  name: z.string(),
  /** Absent where a draft was run. */
  version: z.int().optional(),
  hash: z.string(),
  /** The last entry it tells of. */
  seq: z.int(),
  nodes: z.array(NodeState),
  /** The run it goes on from, or has its values of. */
  from: z.string().optional(),
  /** The node that is tried alone. */
  tries: z.string().optional(),
});
export type RunGraph = z.infer<typeof RunGraph>;

export const readRunGraph = endpoint({
  method: 'GET',
  path: '/api/runs/:run/graph',
  about: 'The graph a run was started with, as it was recorded, and how each node stands.',
  tag: 'workflows',
  role: 'viewer',
  addresses: 'run',
  answers: {
    200: { about: 'The graph and its nodes.', schema: RunGraph },
    404: { about: 'There is no such run, or it is no run of a workflow.' },
  },
});
