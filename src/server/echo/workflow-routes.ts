import { z } from 'zod';
import { Graph } from '../../graph/graph.ts';
import { RunError } from '../../run/failure.ts';
import { Problem } from '../../run/failure-schema.ts';
import type { WholeDefinition } from '../../front/definitions.ts';
import { EchoWorkflow } from '../../wire/echo-workflow.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import { route } from '../routes/route.ts';
import { workflowKind as kind, workflowProblems } from '../workflows/workflow-problems.ts';
import { designRoute } from './design-route.ts';
import { exportWorkflow } from './export-workflow.ts';
import { importWorkflow } from './import-workflow.ts';

const shared = { tag: 'execution', addresses: 'tenant' } as const;
const bodyLimit = 4 * 1024 * 1024;
const id = z.string().min(1).max(100);

export const Unmapped = z.object({ place: z.string(), field: z.string(), why: z.string() });
export const Saved = z.object({
  workflow_id: z.string(),
  status: z.enum(['draft', 'validated', 'final']),
  version: z.int(),
  /** What of it has no place here. */
  unmapped: z.array(Unmapped),
  errors: z.array(Problem),
});

/** Definitions of workflows in the forms of the workflow platform. They are those of `/api/workflows`. */
export const echoWorkflowRoutes = [
  designRoute,
  route({
    ...shared,
    method: 'POST',
    path: '/workflows/temp/save',
    about: 'Save a workflow of the workflow platform as a draft.',
    role: 'member',
    body: EchoWorkflow,
    bodyLimit,
    answers: { 200: { about: 'The draft, and what has no place here.', schema: Saved } },
    handle: async ({ context, caller, body }) => ({
      status: 200,
      json: await savedDraft(context, caller, body),
    }),
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/workflows/final/save',
    about: 'Publish the draft of a workflow.',
    role: 'member',
    body: z.looseObject({ workflow_id: id }),
    answers: { 200: { about: 'The version.', schema: Saved } },
    async handle({ context, caller, body: { workflow_id: name } }) {
      const version = await published(context, caller, name);
      return { status: 200, json: { workflow_id: name, status: 'final', version, unmapped: [], errors: [] } };
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/workflows/save-final',
    about: 'Save a workflow of the workflow platform and publish it.',
    role: 'member',
    body: EchoWorkflow,
    bodyLimit,
    answers: { 200: { about: 'The version, and what has no place here.', schema: Saved } },
    async handle({ context, caller, body }) {
      const { workflow_id, unmapped } = await savedDraft(context, caller, body);
      const version = await published(context, caller, workflow_id);
      return { status: 200, json: { workflow_id, status: 'final', version, unmapped, errors: [] } };
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/workflows/clone',
    about: 'A draft under another name, of a version, of the newest, or of the draft.',
    role: 'member',
    body: z.looseObject({
      workflow_id: id,
      new_workflow_id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'use small letters, digits and -'),
      version: z.int().nonnegative().optional(),
    }),
    answers: {
      200: { about: 'The draft.', schema: Saved },
      404: { about: 'There is no such version.' },
      409: { about: 'There is one of the new name.' },
    },
    async handle({ context, caller, body: { workflow_id: name, new_workflow_id: to, version } }) {
      const { definitions } = context.home;
      const found = await definitions.read(caller, { kind, name, version });
      const taken = await definitions.versions(caller, { kind, name: to });
      if (taken.length > 0)
        throw new RunError('rejected', `There is a workflow «${to}»: choose another name.`);
      const json = await savedDraft(context, caller, { ...exported(name, found), workflow_id: to, name: to });
      return { status: 200, json };
    },
  }),
  ...(['draft', 'final'] as const).map((state) =>
    route({
      ...shared,
      method: 'POST',
      path: `/workflows/validate/${state}`,
      about: `What is wrong with a workflow of the workflow platform, as a ${state} one.`,
      role: 'member',
      body: EchoWorkflow,
      bodyLimit,
      answers: {
        200: {
          about: 'Its problems.',
          schema: z.object({ valid: z.boolean(), errors: z.array(Problem), warnings: z.array(Unmapped) }),
        },
      },
      async handle({ context, caller, body }) {
        const { name, graph, unmapped } = importWorkflow(body);
        const about = { tenant: caller.tenant, name };
        const errors = await workflowProblems(context.home.nameable, graph, about);
        const valid = state === 'draft' || errors.length === 0;
        return { status: 200, json: { valid, errors, warnings: unmapped } };
      },
    }),
  ),
  route({
    ...shared,
    method: 'GET',
    path: '/workflows/:name/temp',
    about: 'The draft of a workflow as the workflow platform has it.',
    role: 'viewer',
    answers: { 200: { about: 'The workflow.', schema: EchoWorkflow } },
    handle: ({ context, caller, params: { name = '' } }) => told(context, caller, { name, version: 0 }),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/workflows/:name/final/:version',
    about: 'A version of a workflow as the workflow platform has it.',
    role: 'viewer',
    answers: { 200: { about: 'The workflow.', schema: EchoWorkflow } },
    handle: ({ context, caller, params: { name = '', version = '' } }) =>
      told(context, caller, { name, version: /^\d{1,9}$/.test(version) ? Number(version) : -1 }),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/workflows/:name/graph',
    about: 'The newest published version of a workflow as the workflow platform has it.',
    role: 'viewer',
    answers: { 200: { about: 'The workflow.', schema: EchoWorkflow } },
    handle: ({ context, caller, params: { name = '' } }) => told(context, caller, { name }),
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/workflows/:name/versions',
    about: 'The versions of a workflow as the workflow platform lists them.',
    role: 'viewer',
    answers: {
      200: {
        about: 'The draft first, which is version 0.',
        schema: z.object({
          workflow_id: z.string(),
          versions: z.array(
            z.object({
              version: z.int(),
              status: z.string(),
              created_by: z.string(),
              created_at: z.string(),
            }),
          ),
        }),
      },
    },
    async handle({ context, caller, params: { name = '' } }) {
      const rows = await context.home.definitions.versions(caller, { kind, name });
      const versions = rows.map(({ version, state, by, at }) => ({
        version,
        status: state === 'published' ? 'final' : state,
        created_by: by,
        created_at: new Date(at).toISOString(),
      }));
      return { status: 200, json: { workflow_id: name, versions } };
    },
  }),
];

/** A workflow of the platform as a draft, over the one that is there, or over none. */
export async function savedDraft(
  { home }: ServerContext,
  caller: Caller,
  workflow: EchoWorkflow,
): Promise<z.infer<typeof Saved>> {
  const { name, graph, unmapped } = importWorkflow(workflow);
  const { definitions, nameable } = home;
  const rows = await definitions.versions(caller, { kind, name });
  const revision = rows.find(({ state }) => state === 'draft')?.revision ?? 0;
  const saved = await definitions.draft(caller, { kind, name, body: graph, revision });
  const errors = await workflowProblems(nameable, graph, { tenant: caller.tenant, name });
  const status = errors.length === 0 ? 'validated' : 'draft';
  return { workflow_id: name, status, version: saved.revision, unmapped: [...unmapped], errors: [...errors] };
}

async function published({ home, alarm }: ServerContext, caller: Caller, name: string): Promise<number> {
  const { definition } = await home.definitions.read(caller, { kind, name, version: 0 });
  const { version } = await home.definitions.publish(caller, { kind, name, revision: definition.revision });
  alarm.ring();
  return version;
}

async function told(
  context: ServerContext,
  caller: Caller,
  { name, version }: { readonly name: string; readonly version?: number },
) {
  const found = await context.home.definitions.read(caller, { kind, name, version });
  return { status: 200, json: exported(name, found) };
}

function exported(name: string, { definition, body }: WholeDefinition): EchoWorkflow {
  const graph = Graph.safeParse(body);
  if (graph.success) return exportWorkflow({ ...definition, graph: graph.data });
  throw new RunError(
    'rejected',
    `The draft of «${name}» is no graph yet: «POST /api/workflows/${name}/validate» says why.`,
  );
}
