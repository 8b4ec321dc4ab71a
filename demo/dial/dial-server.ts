import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { sendJson, startServer, type DemoServer, type Visit } from '../loopback-server.ts';
import { DialAnswer } from './dial-answer.ts';
import { DialError, errorBody } from './dial-error.ts';
import { readDialRequest, type DialMessage } from './dial-request.ts';

/** A turn as an application sees it. */
export interface DialTurn {
  readonly deployment: string;
  readonly messages: readonly DialMessage[];
  /** As the client calls the conversation; empty if it does not say. */
  readonly conversation: string;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** An application. What it throws before it opens the answer has a status, and afterwards goes into the stream. */
export type DialApplication = (turn: DialTurn, answer: DialAnswer) => Promise<void>;

export interface DialServerOptions {
  readonly port?: number;
  /** Milliseconds of silence after which a comment says that somebody still works. */
  readonly heartbeat?: number;
  readonly applications: ReadonlyMap<string, DialApplication>;
  /** Other routes of this server; `false` if it does not know one. */
  readonly routes?: (visit: Visit) => boolean | Promise<boolean>;
}

/** Applications behind the API of DIAL, as strict as its SDK. */
export function startDialServer(options: DialServerOptions): Promise<DemoServer> {
  return startServer(async (visit) => {
    const { method, path, response } = visit;
    const [, name, action] = /^\/openai\/deployments\/(.+?)\/(chat\/completions|rate)$/.exec(path) ?? [];
    const application = name === undefined ? undefined : options.applications.get(decodeURIComponent(name));
    if (method === 'POST' && name !== undefined && application && action === 'chat/completions')
      return converse(visit, decodeURIComponent(name), { ...options, application });
    if (method === 'POST' && application && action === 'rate') return void response.writeHead(200).end();
    if (method === 'GET' && path === '/health') return sendJson(response, 200, { status: 'ok' });
    if (await options.routes?.(visit)) return;
    sendJson(response, 404, { detail: 'Not Found' });
  }, options.port);
}

interface Serving {
  readonly application: DialApplication;
  readonly heartbeat?: number;
}

async function converse(
  visit: Visit,
  deployment: string,
  { application, heartbeat = 5000 }: Serving,
): Promise<void> {
  const { response, headers, signal } = visit;
  const stream = eventStream(response, heartbeat);
  let isStream = false;
  const answer = new DialAnswer(randomUUID(), Math.floor(Date.now() / 1000), (chunk) => {
    if (isStream) stream.send(chunk);
  });
  try {
    if (headers['api-key'] === undefined) throw new DialError(400, 'Api-Key header is required');
    const request = readDialRequest(visit.body);
    if ((request.n ?? 1) > 1) throw new DialError(422, 'The deployment does not support n > 1');
    isStream = request.stream;
    const conversation = decodeURIComponent(String(headers['x-conversation-id'] ?? ''));
    const idempotencyKey = String(headers['idempotency-key'] ?? randomUUID());
    await application(
      { deployment, messages: request.messages, conversation, idempotencyKey, signal },
      answer,
    );
    if (!isStream) return sendJson(response, 200, answer.block());
    answer.finish(false);
    stream.end();
  } catch (thrown) {
    const { status, error } = errorBody(thrown);
    if (!isStream || !answer.isOpen) return sendJson(response, status, { error });
    answer.failOpenStages();
    answer.finish(true);
    stream.send({ error });
    stream.end();
  } finally {
    stream.stop();
  }
}

/** Events, one line of ASCII each, with a comment into every long silence. */
function eventStream(response: ServerResponse, heartbeat: number) {
  let timer: NodeJS.Timeout | undefined;
  const write = (text: string): void => {
    if (response.destroyed) return;
    if (!response.headersSent)
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
      });
    response.write(text);
    timer?.refresh();
    timer ??= setInterval(() => write(': heartbeat\n\n'), heartbeat).unref();
  };
  return {
    send: (chunk: object): void => write(`data: ${asciiJson(chunk)}\n\n`),
    end: (): void => void response.end('data: [DONE]\n\n'),
    stop: (): void => clearInterval(timer),
  };
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
