import { z } from 'zod';
import { Problem } from '../../run/failure-schema.ts';
import { Json, Limits } from '../../run/values.ts';
import { endpoint } from './endpoint.ts';
import { after, idempotencyHeader, limit, showing, whole } from './query.ts';
import { Labels, StartedRun } from './starting.ts';
import { Difference, Moved } from './versions.ts';

/** What a draft says: a graph, or what is to become one. */
export const GivenGraph = z.record(z.string(), Json);

const Made = {
  hash: z.string(),
  /** Who made it what it is, and when. */
  by: z.string(),
  at: z.number(),
};

/** One version, or the draft, which is version 0. */
export const WorkflowVersion = z.object({
  version: z.int(),
  state: z.enum(['draft', 'published', 'archived']),
  /** Of the draft it is, or was made from. */
  revision: z.int(),
  ...Made,
  /** Runs of it that have not ended. */
  open: z.int().optional(),
  moved: Moved.optional(),
});
export type WorkflowVersion = z.infer<typeof WorkflowVersion>;

/** A workflow in a list. */
export const ListedWorkflow = z.object({
  name: z.string(),
  title: z.string().optional(),
  /** Of the configuration: everybody may run it, nobody may change it. */
  readOnly: z.boolean(),
  draft: z.object({ revision: z.int(), ...Made }).optional(),
  /** The newest that is published. */
  published: z.object({ version: z.int(), ...Made }).optional(),
  versions: z.int(),
  /** How many schedules the published version has. */
  schedules: z.int().optional(),
  /** What the published version names and is not there now, so that it cannot be run or comes to a failure: the first few. */
  problems: z.array(Problem).optional(),
});
export type ListedWorkflow = z.infer<typeof ListedWorkflow>;

const Named = z.object({ name: z.string(), description: z.string().optional() });

/** Some workflows, and what can be named in a graph. */
export const WorkflowPage = z.object({
  workflows: z.array(ListedWorkflow),
  next: z.string().nullable(),
  known: z.object({ agents: z.array(Named), tools: z.array(Named), connections: z.array(z.string()) }),
});
export type WorkflowPage = z.infer<typeof WorkflowPage>;

/** A draft, with all that is wrong with it. */
export const WorkflowDraft = z.object({
  name: z.string(),
  revision: z.int(),
  ...Made,
  graph: GivenGraph,
  problems: z.array(Problem),
});
export type WorkflowDraft = z.infer<typeof WorkflowDraft>;

const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'use small letters, digits and -, at most 63');
const revision = z.int().nonnegative().optional();
const bodyLimit = 4 * 1024 * 1024;
const shared = { tag: 'workflows', addresses: 'tenant' } as const;
const changed =
  'It is the configuration’s, or somebody else has saved another revision: who and when is said.';

export const listWorkflows = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/workflows',
  about: 'Workflows by their names: those of the configuration and your own; and what a graph may name.',
  role: 'viewer',
  query: z.strictObject({ after, limit }),
  answers: { 200: { about: 'A page of workflows.', schema: WorkflowPage } },
});

export const createWorkflow = endpoint({
  ...shared,
  method: 'POST',
  path: '/api/workflows',
  about: 'Begin a workflow: a draft, empty unless a graph is given.',
  role: 'member',
  body: z.strictObject({ name: Name, graph: GivenGraph.optional() }),
  bodyLimit,
  answers: {
    201: { about: 'The draft.', schema: WorkflowDraft },
    409: { about: 'There is one of this name.' },
  },
});

export const readWorkflowDraft = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/workflows/:name/draft',
  about: 'The draft, with all that is wrong with it.',
  role: 'viewer',
  answers: { 200: { about: 'The draft.', schema: WorkflowDraft }, 404: { about: 'There is none.' } },
});

export const saveWorkflowDraft = endpoint({
  ...shared,
  method: 'PUT',
  path: '/api/workflows/:name/draft',
  about:
    'Save the draft. With «revision», only over that one: 0 where there is none. A draft may have problems.',
  role: 'member',
  body: z.strictObject({ graph: GivenGraph, revision }),
  bodyLimit,
  answers: { 200: { about: 'The draft as it is now.', schema: WorkflowDraft }, 409: { about: changed } },
});

export const dropWorkflowDraft = endpoint({
  ...shared,
  method: 'DELETE',
  path: '/api/workflows/:name/draft',
  about: 'Throw the draft away. Versions stay, and so do runs.',
  role: 'member',
  query: z.strictObject({ revision: whole(0, Number.MAX_SAFE_INTEGER).optional() }),
  answers: { 204: { about: 'It is gone.' }, 409: { about: changed } },
});

export const validateWorkflow = endpoint({
  ...shared,
  method: 'POST',
  path: '/api/workflows/:name/validate',
  about: 'All that is wrong with a graph, or with the draft where none is given. Nothing is saved.',
  role: 'member',
  body: z.strictObject({ graph: GivenGraph.optional() }),
  bodyLimit,
  answers: {
    200: {
      about: 'What is wrong, and what to do; nothing, where it can be published.',
      schema: z.object({ problems: z.array(Problem) }),
    },
    404: { about: 'There is no draft.' },
  },
});

/** A version that was published, and what still runs on others. */
export const PublishedWorkflow = z.object({
  name: z.string(),
  version: z.int(),
  ...Made,
  /** Runs that have not ended, by what they began with; a draft has no version. */
  open: z.array(z.object({ version: z.int().nullable(), hash: z.string(), runs: z.int() })),
});
export type PublishedWorkflow = z.infer<typeof PublishedWorkflow>;

export const publishWorkflow = endpoint({
  ...shared,
  method: 'POST',
  path: '/api/workflows/:name/publish',
  about: 'Publish the draft. Runs that have begun go on with what they began with.',
  role: 'member',
  body: z.strictObject({ revision }),
  answers: {
    200: { about: 'The version, and which runs still go on with others.', schema: PublishedWorkflow },
    400: { about: 'The draft has problems: «error.problems» has all of them.' },
    404: { about: 'There is no draft.' },
    409: { about: changed },
  },
});

const which = z.strictObject({ version: z.int().positive().optional() });

export const cloneWorkflow = endpoint({
  ...shared,
  method: 'POST',
  path: '/api/workflows/:name/clone',
  about:
    'A draft under another name, of a version, of the newest, or, where nothing is published, of the draft.',
  role: 'member',
  body: z.strictObject({ name: Name, version: z.int().nonnegative().optional() }),
  answers: {
    201: { about: 'The new draft.', schema: WorkflowDraft },
    404: { about: 'There is no such version.' },
    409: { about: 'There is one of the new name.' },
  },
});

/** The draft and all versions of a workflow. */
export const WorkflowVersions = z.object({ name: z.string(), versions: z.array(WorkflowVersion) });
export type WorkflowVersions = z.infer<typeof WorkflowVersions>;

const moving = {
  ...shared,
  method: 'POST',
  role: 'member',
  body: which,
  answers: {
    200: { about: 'All versions as they are now.', schema: WorkflowVersions },
    404: { about: 'There is no such version.' },
    409: { about: 'It is the configuration’s.' },
  },
} as const;

export const archiveWorkflow = endpoint({
  ...moving,
  path: '/api/workflows/:name/archive',
  about: 'Let a version be started no more; all of them, where none is named. Runs that have begun go on.',
});

export const restoreWorkflow = endpoint({
  ...moving,
  path: '/api/workflows/:name/restore',
  about: 'Bring an archived version back; the newest, where none is named.',
});

export const listWorkflowVersions = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/workflows/:name/versions',
  about: 'The draft and all versions, with how many runs go on with each.',
  role: 'viewer',
  answers: {
    200: { about: 'The draft first, then the oldest.', schema: WorkflowVersions },
    404: { about: 'There is no such workflow.' },
  },
});

export const WholeVersion = WorkflowVersion.extend({ name: z.string(), graph: GivenGraph });
export type WholeVersion = z.infer<typeof WholeVersion>;

export const readWorkflowVersion = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/workflows/:name/versions/:version',
  about: 'One version, with its graph; 0 is the draft.',
  role: 'viewer',
  answers: {
    200: { about: 'The version.', schema: WholeVersion },
    404: { about: 'There is no such version.' },
  },
});

/** What is different in two graphs, node by node. */
export const WorkflowDiff = z.object({
  /** By their places: `survey/ask` is the node «ask» inside «survey». Where a node stands on a canvas is no difference. */
  nodes: z.array(
    z.object({
      node: z.string(),
      change: z.enum(['added', 'removed', 'changed']),
      fields: z.array(Difference),
    }),
  ),
  edges: z.array(
    z.object({
      /** The node it is inside of; empty for the graph. */
      within: z.string(),
      change: z.enum(['added', 'removed']),
      edge: z.object({ from: z.string(), to: z.string(), port: z.string().optional() }),
    }),
  ),
  /** What is said of the graph itself. */
  other: z.array(Difference),
});
export type WorkflowDiff = z.infer<typeof WorkflowDiff>;

export const compareWorkflow = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/workflows/:name/diff',
  about: 'What differs between two versions; 0 is the draft. The draft against the newest, unless said.',
  role: 'viewer',
  query: z.strictObject({
    from: whole(0, 1_000_000_000).optional(),
    to: whole(0, 1_000_000_000).optional(),
  }),
  answers: {
    200: { about: 'The differences.', schema: WorkflowDiff },
    404: { about: 'There is no such version.' },
  },
});

/** What to run. */
const StartWorkflow = z.strictObject({
  /** What the graph has as `input`: any JSON. A text alone is `{"text": …}`. */
  input: Json.optional(),
  /** The draft as it is now, or a version; the newest that is published, unless said. */
  mode: z.enum(['draft', 'published']).default('published'),
  version: z.int().positive().optional(),
  /** Only to see where it leads: no model is asked, nothing is changed, nothing is waited for. People are asked. */
  dry: z.boolean().optional(),
  conversation: z.string().min(1).max(200).optional(),
  /** Less than the graph allows; more is not given. */
  limits: z.strictObject(Limits.shape).optional(),
  labels: Labels.optional(),
});

export const startWorkflow = endpoint({
  ...shared,
  method: 'POST',
  path: '/api/workflows/:name/runs',
  about: 'Start a run of a workflow. It answers as «POST /api/runs» does.',
  role: 'member',
  query: z.strictObject({ as: z.string().max(100).optional(), ...showing }),
  body: StartWorkflow,
  headers: idempotencyHeader,
  answers: {
    200: { about: 'It has begun; these are its frames.', type: 'text/event-stream' },
    201: { about: 'It has begun, and is durable.', schema: StartedRun },
    400: { about: 'The draft has problems, or the input is not what the graph takes.' },
    404: { about: 'There is no such version.' },
    409: { about: 'The idempotency key was used for something else.' },
  },
});
