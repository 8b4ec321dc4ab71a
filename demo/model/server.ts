import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { ChatRequest } from '../../src/wire/openai.ts';
import { sendJson, startServer, type DemoServer, type Visit } from '../loopback-server.ts';
import { paceFor, readingTime, thinkingTime } from '../pace.ts';
import { completionOf, wholeBody } from './completion.ts';
import { decide } from './rules.ts';
import { situationOf } from './situation.ts';
import { piecesOf } from './stream.ts';

export interface ModelOptions {
  readonly port?: number;
  /** 1 speaks as fast as people read, 0 without any delay. */
  readonly pace?: number;
}

const scriptedModel = 'vitrine-scripted';

/** The scripted model, behind the API of OpenAI. Where the API begins is `url` and `/v1`. */
export function startModel({ port = 0, pace = 1 }: ModelOptions = {}): Promise<DemoServer> {
  return startServer(async (visit) => {
    const { method, path, response } = visit;
    if (method === 'GET' && path === '/v1/models') return sendJson(response, 200, models);
    if (method === 'POST' && path === '/v1/chat/completions') return complete(visit, pace);
    return refuse(visit, 404, `There is no ${method} ${path} here; ask POST /v1/chat/completions.`);
  }, port);
}

const models = {
  object: 'list',
  data: [
    {
      id: scriptedModel,
      object: 'model',
      created: 1_767_225_600,
      owned_by: 'vitrine',
      description: 'Not a language model: readable rules over the messages and the tools it is given.',
    },
  ],
};

async function complete(visit: Visit, pace: number): Promise<void> {
  const request = readRequest(visit.body);
  if (typeof request === 'string') return refuse(visit, 400, request);
  const reply = decide(situationOf(request));
  const completion = completionOf(request, reply, {
    id: randomUUID(),
    created: Math.floor(Date.now() / 1000),
  });
  const { response, signal } = visit;
  if (request.stream !== true) return sendJson(response, 200, wholeBody(completion));
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  try {
    await thinkingTime(pace, signal);
    const pieces = [...piecesOf(completion, request.stream_options?.include_usage === true)];
    const told = paceFor(
      pieces.reduce((sum, { words }) => sum + words, 0),
      pace,
    );
    for (const { chunk, words } of pieces) {
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      await readingTime(words, told, signal);
    }
    response.end('data: [DONE]\n\n');
  } catch (error) {
    // Whoever left, often because a call was complete, wants no more of it.
    if (!signal.aborted) throw error;
  }
}

function readRequest(body: string): ChatRequest | string {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'The body is not JSON.';
  }
  const parsed = ChatRequest.safeParse(value);
  if (!parsed.success) return z.prettifyError(parsed.error);
  return parsed.data.messages.length === 0 ? 'There must be at least one message.' : parsed.data;
}

function refuse({ response }: Visit, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
}
