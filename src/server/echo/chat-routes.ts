import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { Json } from '../../run/values.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import { ownConversation } from '../runs/own-conversation.ts';
import { route } from '../routes/route.ts';
import { startRun } from '../routes/start-run.ts';
import { workflowApp } from '../workflows/workflow-app.ts';
import { workflowInput } from '../workflows/workflow-input.ts';
import { parseJson } from '../../wire/sse.ts';

const Mode = z.enum(['test', 'draft', 'final']);
const context = z.record(z.string(), Json);

/** What a session is about. It is its own name, so that no process has to remember it. */
const Session = z.tuple([z.string(), Mode, z.int().positive().nullable(), context, z.string()]);
type Session = z.infer<typeof Session>;

const longestName = 190;
const prefix = 'wfs_';

const Executing = z.object({
  session_id: z.string().optional(),
  workflow_id: z.string(),
  run_id: z.string(),
  status: z.literal('executing'),
  message: z.string(),
  ws_url: z.string(),
});

const shared = { method: 'POST', tag: 'execution', addresses: 'tenant', role: 'member' } as const;
const versionOf = z.union([
  z.int().positive(),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);

/** Runs of workflows in the forms of the workflow platform. */
export const echoChatRoutes = [
  route({
    ...shared,
    path: '/workflows/chat/start',
    about: 'Begin to talk to a workflow: its draft («test» and «draft»), or what is published.',
    body: z.looseObject({
      workflow_id: z.string().min(1).max(63),
      mode: Mode.default('final'),
      version: versionOf.nullish(),
      initial_context: context.nullish(),
    }),
    answers: {
      200: {
        about: 'The session.',
        schema: z.object({ session_id: z.string(), workflow_id: z.string(), mode: Mode }),
      },
    },
    async handle({ context: server, caller, body }) {
      const { workflow_id: name, mode, version, initial_context: given } = body;
      // What cannot be run is said now, and not when something was written to it.
      await workflowApp(server.home, caller, wantedBy([name, mode, version ?? null, {}, '']));
      const session_id = nameOf([name, mode, version ?? null, given ?? {}, server.newId('s').slice(-10)]);
      return { status: 200, json: { session_id, workflow_id: name, mode } };
    },
  }),
  route({
    ...shared,
    path: '/workflows/chat/send',
    about: 'Say something to a workflow: it begins a run, to be watched at «ws_url» or in any other way.',
    body: z.looseObject({
      session_id: z.string().min(1).max(200),
      message: z.string().min(1).max(1_000_000),
    }),
    answers: { 200: { about: 'It has begun.', schema: Executing } },
    async handle({ context: server, caller, body: { session_id, message } }) {
      const session = sessionIn(session_id);
      const conversation = ownConversation(caller, session_id);
      const started = await executed(server, caller, {
        session,
        input: { ...session[3], text: message },
        conversation: conversation.id,
      });
      return { status: 200, json: { session_id, ...started } };
    },
  }),
  route({
    ...shared,
    path: '/workflows/execute',
    about: 'Run a workflow once.',
    body: z.looseObject({
      workflow_id: z.string().min(1).max(63),
      input_payload: Json.optional(),
      mode: Mode.default('final'),
      version: versionOf.nullish(),
    }),
    answers: { 200: { about: 'It has begun.', schema: Executing } },
    async handle({ context: server, caller, body }) {
      const { workflow_id: name, mode, version, input_payload: input } = body;
      const session: Session = [name, mode, version ?? null, {}, ''];
      return { status: 200, json: await executed(server, caller, { session, input }) };
    },
  }),
];

interface Executed {
  readonly session: Session;
  readonly input: Json | undefined;
  readonly conversation?: string;
}

async function executed(
  server: ServerContext,
  caller: Caller,
  { session, input, conversation }: Executed,
): Promise<z.infer<typeof Executing>> {
  const [name] = session;
  const app = await workflowApp(server.home, caller, wantedBy(session));
  const place = conversation === undefined ? {} : { conversation, begins: true };
  const { run } = await startRun(server, caller, { app, input: workflowInput(name, input), ...place });
  const message = `The workflow «${name}» is executing.`;
  return { workflow_id: name, run_id: run, status: 'executing', message, ws_url: `/ws/execution/${run}` };
}

function wantedBy([name, mode, version]: Session): Parameters<typeof workflowApp>[2] {
  return { name, ...(mode === 'final' ? { version: version ?? undefined } : { mode: 'draft' }) };
}

function nameOf(session: Session): string {
  const name = `${prefix}${Buffer.from(JSON.stringify(session)).toString('base64url')}`;
  if (name.length <= longestName) return name;
  throw new RunError(
    'malformed',
    '«initial_context» is too long for a session: send it to /workflows/execute.',
  );
}

function sessionIn(name: string): Session {
  const text = Buffer.from(name.slice(prefix.length), 'base64url').toString();
  try {
    return Session.parse(name.startsWith(prefix) ? parseJson(text) : undefined);
  } catch (cause) {
    throw new RunError('unknown', 'There is no such session: begin one at /workflows/chat/start.', { cause });
  }
}
