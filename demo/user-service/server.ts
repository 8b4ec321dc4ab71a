import { z } from 'zod';
import { openAiChatGateway } from '../../src/index.ts';
import type { AgentModel } from '../agent/model-settings.ts';
import { sendJson, startServer, type DemoServer, type Visit } from '../loopback-server.ts';
import { chat, type Chat } from './chat.ts';
import { Conversations } from './conversations.ts';
import { openDatabase } from './database.ts';
import { pythonJson } from './python-json.ts';
import { Users } from './users.ts';

export interface UserServiceOptions {
  readonly port?: number;
  readonly model: AgentModel;
  /** The file of the database; in memory unless said. */
  readonly database?: string;
  readonly seed?: number;
}

const userCount = 1000;

/** The user-management service: a conversation API over a database, with the history on this side. */
export async function startUserService(options: UserServiceOptions): Promise<DemoServer> {
  const { port, model, database: path = ':memory:', seed = 2026 } = options;
  const database = openDatabase(path, { seed, count: userCount });
  const closing = new AbortController();
  const service: Service = {
    conversations: new Conversations(database),
    users: new Users(database),
    model: openAiChatGateway(model),
    signal: closing.signal,
    lines: new Map(),
  };
  const server = await startServer((visit) => route(visit, service), port);
  return {
    url: server.url,
    async close() {
      closing.abort();
      await server.close();
      await Promise.allSettled(service.lines.values());
      if (database.isOpen) database.close();
    },
  };
}

interface Service extends Chat {
  /** Turns of one conversation wait for each other: each reads what the one before has written. */
  readonly lines: Map<string, Promise<unknown>>;
}

async function route(visit: Visit, service: Service): Promise<void> {
  const { method, path, response } = visit;
  const { conversations } = service;
  const [, id, action] = /^\/conversations\/([^/]+)(\/chat)?$/.exec(path) ?? [];
  if (path === '/health')
    return sendJson(response, 200, { status: 'healthy', conversation_manager_initialized: true });
  if (path === '/changes' && method === 'GET') return sendJson(response, 200, service.users.changes());
  if (path === '/conversations' && method === 'GET') return sendJson(response, 200, conversations.list());
  if (path === '/conversations' && method === 'POST') return create(visit, conversations);
  if (id === undefined) return sendJson(response, 404, { detail: 'Not Found' });
  const conversation = conversations.get(id);
  if (!conversation) return sendJson(response, 404, { detail: 'Conversation not found' });
  if (action !== undefined && method === 'POST') return converse(visit, id, service);
  if (action === undefined && method === 'GET') return sendJson(response, 200, conversation);
  if (action === undefined && method === 'DELETE') {
    conversations.delete(id);
    return sendJson(response, 200, { message: 'Conversation deleted successfully' });
  }
  sendJson(response, 405, { detail: 'Method Not Allowed' });
}

const NewConversation = z.object({ title: z.string().optional() });
const ChatRequest = z.object({
  message: z.object({ role: z.string(), content: z.string() }),
  stream: z.boolean().default(true),
});

function create(visit: Visit, conversations: Conversations): void {
  const body = readBody(visit, NewConversation);
  if (body) sendJson(visit.response, 200, conversations.create(body.title));
}

async function converse(visit: Visit, id: string, service: Service): Promise<void> {
  const body = readBody(visit, ChatRequest);
  if (!body) return;
  const { content } = body.message;
  const before = service.lines.get(id) ?? Promise.resolve();
  // Whoever leaves does not stop the work: it may be half done, and the history must tell how it ended.
  const turn = before.then(() =>
    body.stream ? tell(visit, id, { ...service, content }) : answer(visit, id, { ...service, content }),
  );
  const settled = turn.catch(() => undefined);
  service.lines.set(id, settled);
  await turn;
  if (service.lines.get(id) === settled) service.lines.delete(id);
}

type Asked = Service & { readonly content: string };

async function tell({ response }: Visit, id: string, service: Asked): Promise<void> {
  const send = (data: string): void => {
    if (!response.destroyed) response.write(`data: ${data}\n\n`);
  };
  const piece = (delta: { readonly content?: string }, finish_reason: string | null): string =>
    pythonJson({ choices: [{ delta, index: 0, finish_reason }] });
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  send(pythonJson({ conversation_id: id }));
  try {
    await chat(service, { id, content: service.content }, (text) => send(piece({ content: text }, null)));
  } catch {
    // Nothing says that it failed but the missing end, as with the original.
    response.destroy();
    return;
  }
  send(piece({}, 'stop'));
  response.end('data: [DONE]\n\n');
}

async function answer({ response }: Visit, id: string, service: Asked): Promise<void> {
  try {
    const content = await chat(service, { id, content: service.content }, () => undefined);
    sendJson(response, 200, { content, conversation_id: id });
  } catch {
    response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end('Internal Server Error');
  }
}

/** The body, or an answer that says what is wrong with it in the way FastAPI does. */
function readBody<T>({ body, response }: Visit, schema: z.ZodType<T>): T | undefined {
  const refuse = (loc: readonly PropertyKey[], msg: string, type: string): undefined => {
    sendJson(response, 422, { detail: [{ loc: ['body', ...loc], msg, type }] });
    return undefined;
  };
  if (body === '') return refuse([], 'field required', 'value_error.missing');
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return refuse([], 'the body is not JSON', 'value_error.jsondecode');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return refuse(issue?.path ?? [], issue?.message ?? 'invalid', 'value_error');
}
