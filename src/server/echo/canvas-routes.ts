import { z } from 'zod';
import { Problem } from '../../run/failure-schema.ts';
import { EchoWorkflow } from '../../wire/echo-workflow.ts';
import { route } from '../routes/route.ts';
import { workflowProblems } from '../workflows/workflow-problems.ts';
import { canvasOfWorkflow, EchoCanvas, workflowOfCanvas } from './canvas-form.ts';
import { importWorkflow } from './import-workflow.ts';
import { Saved, savedDraft, Unmapped } from './workflow-routes.ts';

const shared = {
  tag: 'execution',
  addresses: 'tenant',
  method: 'POST',
  bodyLimit: 4 * 1024 * 1024,
} as const;

/** What the platform's canvas sends and gets. */
export const echoCanvasRoutes = [
  route({
    ...shared,
    path: '/workflows/build',
    about: 'Put a workflow of the workflow platform together and look at it. Nothing is saved.',
    role: 'viewer',
    body: EchoWorkflow,
    answers: {
      200: {
        about: 'The workflow, what is wrong with it, and what has no place here.',
        schema: z.object({
          workflow: EchoWorkflow,
          valid: z.boolean(),
          errors: z.array(Problem),
          warnings: z.array(Unmapped),
        }),
      },
    },
    async handle({ context, caller, body }) {
      const { name, graph, unmapped } = importWorkflow(body);
      const errors = await workflowProblems(context.home.nameable, graph, { tenant: caller.tenant, name });
      const workflow = { ...body, workflow_id: name };
      return { status: 200, json: { workflow, valid: errors.length === 0, errors, warnings: unmapped } };
    },
  }),
  route({
    ...shared,
    path: '/workflows/canvas/to-backend',
    about: 'A workflow of the canvas with agents for nodes. Nothing is saved.',
    role: 'viewer',
    body: EchoCanvas,
    answers: { 200: { about: 'The workflow.', schema: EchoWorkflow } },
    handle: async ({ body }) => ({ status: 200, json: workflowOfCanvas(body) }),
  }),
  route({
    ...shared,
    path: '/workflows/backend/to-canvas',
    about: 'A workflow as a canvas draws it. Nothing is saved.',
    role: 'viewer',
    body: EchoWorkflow,
    answers: { 200: { about: 'Nodes with their places.', schema: EchoCanvas } },
    handle: async ({ body }) => ({ status: 200, json: canvasOfWorkflow(body) }),
  }),
  route({
    ...shared,
    path: '/workflows/canvas/save',
    about: 'Save what a canvas has as a draft.',
    role: 'member',
    body: EchoCanvas,
    answers: { 200: { about: 'The draft, and what has no place here.', schema: Saved } },
    handle: async ({ context, caller, body }) => ({
      status: 200,
      json: await savedDraft(context, caller, workflowOfCanvas(body)),
    }),
  }),
];
