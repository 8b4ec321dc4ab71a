import { z } from 'zod';
import { ChatAnswer, ChatRequest, ChatSession, HitlRefusal, ListedSession } from '../../wire/applications.ts';
import type { ServerContext } from '../context.ts';
import { eraseFor } from '../routes/conversations.ts';
import { route, type Reply, watchRun, idempotencyKeyIn } from '../routes/route.ts';
import { startRun } from '../routes/start-run.ts';
import { appFor } from '../apps/apps-for.ts';
import type { App } from '../folder/home.ts';
import { conversationOf } from '../doors/conversation.ts';
import { startedWith } from '../runs/same-start.ts';
import { answerIn } from '../runs/followed.ts';
import { ownerLabel } from '../runs/own-session.ts';
import { missing } from '../runs/quotas.ts';
import { answerMessage, hitlContext, messagesOf, metadataOf, stateOf, timeText } from './chat-forms.ts';
import { inUse, newestRun, rested, sessionRuns, sessionsOf, type Asking } from './sessions.ts';

const base = '/api/applications/:app/chat';
const shared = { tag: 'applications', role: 'member', addresses: 'tenant' } as const;
const idempotency = { 'idempotency-key': 'The same key again joins the run it began.' };
const refused = { 409: { about: 'A person is asked, and comes first.', schema: HitlRefusal } };
const dialects = ['a2ui-flat', 'a2ui-0.8', 'a2ui-0.9', 'a2ui-1.0'] as const;

export const chatRoutes = [
  route({
    ...shared,
    method: 'POST',
    path: base,
    about: 'Say something to an application; the answer is whole, or what a person is asked first.',
    body: ChatRequest,
    headers: idempotency,
    answers: { 200: { about: 'What it answered.', schema: ChatAnswer }, ...refused },
    async handle({ context, caller, params: { app = '' }, body, header, left }) {
      const asking = { context, caller, app };
      const used = await appFor(context, caller, app);
      const begun = await begin(asking, { app: used, body, header });
      if ('refusal' in begun) return begun.refusal;
      const { tree, answer } = await rested(asking, begun.row, { after: 0, signal: left() });
      const { run, conversation } = begun.row;
      const asked = hitlContext(tree, run);
      const said = begun.isNew ? await inUse(used) : undefined;
      const json = {
        session_id: conversation,
        message: answerMessage(tree, { run, answer: asked ? `${asked.title}\n\n${asked.message}` : answer }),
        conversation_state: stateOf(tree),
        hitl_context: asked,
        session_metadata: said && metadataOf(app, said),
      };
      return { status: 200, json, headers: { 'x-run-id': run } };
    },
  }),
  route({
    ...shared,
    method: 'POST',
    path: `${base}/stream`,
    about: 'Say something to an application; its surface streams, also while a person is asked.',
    body: ChatRequest,
    query: z.strictObject({ dialect: z.enum(dialects).optional() }),
    headers: idempotency,
    answers: { 200: { about: 'The surface, and what changes.', type: 'text/event-stream' }, ...refused },
    async handle({
      context,
      caller,
      params: { app = '' },
      query: { dialect: as = dialects[0] },
      body,
      header,
    }) {
      const used = await appFor(context, caller, app);
      const giveBack = context.quotas.stream(caller.tenant);
      try {
        const begun = await begin({ context, caller, app }, { app: used, body, header });
        const { row } = begun;
        const headers = { 'x-run-id': row.run };
        const reply = 'refusal' in begun ? begun.refusal : watchRun({ context, caller }, row, { as });
        if (!reply.stream) giveBack();
        return { ...reply, ...(reply.stream && { giveBack }), headers: { ...reply.headers, ...headers } };
      } catch (thrown) {
        giveBack();
        throw thrown;
      }
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: `${base}/history`,
    role: 'viewer',
    about: 'Your sessions with an application, the newest first.',
    answers: {
      200: { about: 'At most 200.', schema: z.object({ sessions: z.array(ListedSession) }) },
    },
    async handle({ context, caller, params: { app = '' } }) {
      await appFor(context, caller, app);
      const rows = await sessionsOf({ context, caller, app });
      const sessions = await Promise.all(rows.map(async (row) => listed(context, row)));
      return { status: 200, json: { sessions } };
    },
  }),
  route({
    ...shared,
    method: 'GET',
    path: `${base}/sessions/:session`,
    role: 'viewer',
    about: 'A session with its messages; the welcome is the first of them.',
    answers: { 200: { about: 'The session.', schema: ChatSession } },
    async handle({ context, caller, params: { app = '', session = '' }, heavy }) {
      const said = await inUse(await appFor(context, caller, app));
      const rows = await sessionRuns({ context, caller, app }, session);
      await heavy(rows.reduce((sum, { bytes }) => sum + bytes, 0));
      const [first, newest] = [rows[0], rows.at(-1)];
      if (!first || !newest) throw missing('session', session);
      const told = await Promise.all(
        rows.map(async (row) => {
          const tree = await context.trees.of(row);
          return messagesOf(tree, { run: row.run, answer: await answerIn(context, row.tenant, tree) });
        }),
      );
      const welcome = said?.settings.chat.welcome;
      const messages = [
        ...(welcome === undefined ? [] : [welcomeOf(first.conversation, welcome, first.createdAt)]),
        ...told.flat(),
      ];
      return {
        status: 200,
        json: { ...(await listed(context, newest)), title: titleOf(first.title), messages },
      };
    },
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: `${base}/sessions/:session`,
    about: 'Erase a session: what runs is stopped, and every trace of it is gone.',
    answers: { 204: { about: 'It is gone.' } },
    async handle({ context, caller, params: { app = '', session = '' } }) {
      await appFor(context, caller, app);
      const [row] = await sessionRuns({ context, caller, app }, session);
      await eraseFor(context, caller, row?.conversation ?? '');
      return { status: 204 };
    },
  }),
];

type Begun = { readonly row: Row; readonly isNew: boolean } | { readonly row: Row; readonly refusal: Reply };
type Row = NonNullable<Awaited<ReturnType<typeof newestRun>>>;

interface Said {
  readonly app: App;
  readonly body: z.infer<typeof ChatRequest>;
  readonly header: (name: string) => string | undefined;
}

/** Begin a run of a session; while a person is asked there, nothing else is heard. */
async function begin(asking: Asking, { app, body, header }: Said): Promise<Begun> {
  const { context, caller } = asking;
  const { message: text, session_id: session } = body;
  const key = idempotencyKeyIn(header);
  const again = key === undefined ? undefined : await startedWith(context, caller, key);
  const named = session == null ? undefined : await conversationOf({ context, caller }, session);
  const newest = named && (await newestRun(asking, named.id));
  if (newest && !again) {
    const tree = await context.trees.of(newest);
    const asked = hitlContext(tree, newest.run);
    if (asked) return { row: newest, refusal: refusal(newest.conversation, asked) };
  }
  const { run } = await startRun(context, caller, {
    app,
    input: { text },
    labels: { [ownerLabel]: caller.who },
    ...(named && { conversation: named.id, begins: named.mayBegin }),
    ...(key !== undefined && { key }),
  });
  const row = await context.home.dispatch.get(run);
  if (!row) throw missing('run', run);
  return { row, isNew: newest === undefined };
}

function refusal(session: string, asked: NonNullable<ReturnType<typeof hitlContext>>): Reply {
  const message = `This session waits for a decision («${asked.title}»): decide it before you say more.`;
  return {
    status: 409,
    json: {
      error: { code: 'awaiting_hitl_review', message },
      session_id: session,
      conversation_state: 'awaiting_hitl_review',
      hitl_context: asked,
    },
  };
}

async function listed(context: ServerContext, row: Row): Promise<z.infer<typeof ListedSession>> {
  const state = stateOf(await context.trees.of(row));
  return {
    session_id: row.conversation,
    title: titleOf(row.title),
    conversation_state: state,
    updated_at: timeText(row.updatedAt),
  };
}

const titleLength = 80;

function titleOf(text: string): string {
  return text.slice(0, titleLength).toWellFormed();
}

function welcomeOf(
  session: string,
  content: string,
  at: number,
): z.infer<typeof ChatSession>['messages'][number] {
  return { message_id: `${session}.welcome`, role: 'assistant', content, created_at: timeText(at) };
}
