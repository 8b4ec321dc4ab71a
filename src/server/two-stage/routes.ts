import { z } from 'zod';
import { switchesIn } from '../../flows/converse/course.ts';
import type { Door } from '../../projections/door.ts';
import { termsFor } from '../../run/facts.ts';
import { RunError } from '../../run/failure.ts';
import { ResumeRequest } from '../../run/tool-pause.ts';
import type { RunRow } from '../../stores/store.ts';
import { sse, type Framing } from '../../wire/framing.ts';
import { twoStageError } from '../../wire/two-stage.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import { done } from '../doors/door-routes.ts';
import { parsed } from '../../run/values.ts';
import { route, type Route } from '../routes/route.ts';
import { missing, ownRun } from '../runs/quotas.ts';
import { ownConversation } from '../runs/own-conversation.ts';
import { HistoryRow, rowsOf } from './history.ts';
import { readMessage, wishOf } from './message.ts';
import { traceRoutes } from './trace-routes.ts';
import { shownRows } from '../apps/hidden-apps.ts';

const name = 'two-stage';
const shared = { tag: name, addresses: 'tenant', errorBody: twoStageError } as const;
const stream = { 200: { about: 'The answer, frame by frame.', type: sse.type } };
const toldWhy = { 400: { about: 'A field is missing.' }, 501: { about: 'Two-stage is switched off here.' } };

/** The routes of the original's client. Those of the two stages are off (501) before anything of a request is read. */
export const twoStageRoutes: readonly Route[] = [
  chat('/api/chat/messages', 'Say something to a project; the answer always streams.', false),
  chat('/api/chat/messages_two_stage', 'The same, in two stages whatever the app says.', true),
  route({
    ...shared,
    method: 'POST',
    path: '/api/chat/messages_two_stage/resume',
    about: 'Go on after a tool phase; the answer is what comes then.',
    role: 'member',
    body: z.unknown(),
    answers: { ...stream, ...toldWhy, 409: { about: 'It does not wait after that batch.' } },
    async handle({ context, caller, params, body, header, heavy, left }) {
      expectEnabled();
      const batch = parsed(Resuming, body, 'The body');
      const { run } = await runOf(context, caller, batch.requestId);
      const request = { params, query: {}, body, header };
      const door = doorAt('/api/chat/messages_two_stage/resume');
      const protocol = context.protocols.named(name);
      const visitor = { context, caller, protocol, door, request, asker: { heavy, left } };
      return done(visitor, { wants: 'resume', of: { run }, batch, form: 'stream' });
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/api/chat/messages',
    about: 'What was said in a project, the newest first: two rows for each turn.',
    role: 'viewer',
    query: z.object({
      project_id: z.string().min(1).max(200),
      limit: z.coerce.number().int().min(1).max(100).default(50),
      offset: z.coerce.number().int().min(0).max(2_000).default(0),
    }),
    answers: { 200: { about: 'The rows.', schema: z.array(HistoryRow) } },
    async handle({ context, caller, query: { project_id: externalId, limit, offset }, heavy }) {
      const { id: conversation } = ownConversation(caller, externalId);
      const first = Math.floor(offset / 2);
      const runs = Math.ceil((offset + limit) / 2);
      const list = await context.home.dispatch.list({ tenant: caller.tenant, conversation, limit: runs });
      const wanted = await shownRows(context, caller, list.slice(first));
      await heavy(wanted.reduce((sum, { bytes }) => sum + bytes, 0));
      const rows = await Promise.all(wanted.map((row) => rowsOf(context, row, externalId)));
      return {
        status: 200,
        json: rows
          .flat()
          .slice(offset % 2)
          .slice(0, limit),
      };
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: '/api/features',
    about: 'What the page may switch on.',
    role: 'viewer',
    answers: { 200: { about: 'Nothing.', schema: z.object({ features: z.array(z.string()) }) } },
    handle: () => ({ status: 200, json: { features: [] } }),
  }),
  ...traceRoutes,
];

/** Clients send it as a text, too. */
function numbered(given: unknown): unknown {
  return typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given;
}

const Resuming = z.object({
  requestId: ResumeRequest.shape.requestId,
  toolBatchId: z.preprocess(numbered, ResumeRequest.shape.toolBatchId),
});

function chat(path: string, about: string, isTwoStage: boolean): Route {
  const door = doorAt(path);
  return route({
    ...shared,
    method: 'POST',
    path,
    about,
    role: 'member',
    body: z.unknown(),
    answers: { ...stream, ...toldWhy },
    handle({ context, caller, params, body, header, heavy, left }) {
      if (isTwoStage) expectEnabled();
      const message = readMessage(body);
      const app = message.app ?? conversing(context);
      const request = { params, query: {}, body, header };
      const protocol = context.protocols.named(name);
      const visitor = { context, caller, protocol, door, request, asker: { heavy, left } };
      return done(visitor, wishOf(message, { app, isTwoStage }));
    },
  });
}

/** These ways in are found by their routes; what they ask for is read there. */
function doorAt(path: string): Door<Framing> {
  return { path, about: '', read: () => ({ wants: 'look', look: () => undefined }) };
}

function expectEnabled(): void {
  if (switchesIn(process.env).twoStage !== false) return;
  throw new RunError(
    'disabled',
    'Two-stage is switched off here (TWO_STAGE_ENABLED): send it to POST /api/chat/messages.',
  );
}

/** The app that is meant by those who name none: the default one if it converses, else the first that does. */
function conversing({ home, defaultApp }: ServerContext): string {
  const all = home.apps.filter(({ flow }) => flow.name === 'converse');
  const app = all.find(({ name }) => name === defaultApp) ?? all[0];
  if (app) return app.name;
  throw new RunError(
    'disabled',
    'No app here converses: add one with «flow: converse» to the configuration.',
  );
}

/** The run that serves a request: it may be the run itself, or one that was given this name. */
async function runOf(context: ServerContext, caller: Caller, requestId: string): Promise<RunRow> {
  const own = await ownRun({ context, caller }, requestId);
  if (own) return own;
  const terms = termsFor({ labels: [`requestId=${requestId}`] });
  const rows = await context.home.dispatch.list({ tenant: caller.tenant, terms, limit: 1 });
  const [found] = await shownRows(context, caller, rows);
  if (found) return found;
  throw missing('request', requestId);
}
