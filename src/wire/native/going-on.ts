import { z } from 'zod';
import { Json } from '../../run/values.ts';
import { endpoint } from './endpoint.ts';
import { StartedRun } from './starting.ts';

/** A run that goes on from another, or tries one of its nodes. */
const GoingOn = StartedRun.extend({
  /** The run whose values it has; absent where there was none. */
  from: z.string().optional(),
});
export type GoingOn = z.infer<typeof GoingOn>;

export const goOnRun = endpoint({
  method: 'POST',
  path: '/api/runs/:run/go-on',
  about:
    'Go on from where a run of a workflow failed: a new run that has what was done, and does what failed and what follows. Asked again, it is the same run.',
  tag: 'workflows',
  role: 'member',
  addresses: 'run',
  body: z.strictObject({}),
  answers: {
    201: { about: 'It has begun, and is durable.', schema: GoingOn },
    403: { about: 'It is a run of somebody else, and you are no operator.' },
    404: { about: 'There is no such run, or it is no run of a workflow.' },
    409: { about: 'It has not failed, or nothing in it can be done again.' },
  },
});

/** What a node is tried with. What is left out is as in the last run, or in the one that is named. */
const TryNode = z.strictObject({
  run: z.string().min(1).max(200).optional(),
  /** What the graph has as `input`. */
  input: Json.optional(),
  /** What nodes before it gave, by their ids. */
  outputs: z.record(z.string(), Json).optional(),
  /** The draft as it is now, or a version; the draft where there is one, unless said. */
  mode: z.enum(['draft', 'published']).optional(),
  version: z.int().positive().optional(),
});
export type TryNode = z.input<typeof TryNode>;
export type TriedNode = z.output<typeof TryNode>;

export const tryNode = endpoint({
  method: 'POST',
  path: '/api/workflows/:name/nodes/:node/try',
  about:
    'Run one node alone, with what is in it, as a run of its own: what comes before it is taken from the last run. What it does is done, and what it asks is asked.',
  tag: 'workflows',
  role: 'member',
  addresses: 'tenant',
  body: TryNode,
  answers: {
    201: { about: 'It has begun, and is durable.', schema: GoingOn },
    400: { about: 'The graph has problems, or the node cannot be tried alone.' },
    404: { about: 'There is no such workflow, node or run.' },
  },
});
