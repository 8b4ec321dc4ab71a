import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RunError, type Failure } from '../../run/failure.ts';
import { sse } from '../../wire/framing.ts';
import type { AppSettings } from '../app.ts';
import type { Caller } from '../access/caller.ts';
import { safeHeaders } from './headers.ts';
import { cleanBlocks, isHighSurrogate, jsonTexts } from './json-parts.ts';
import { refusalHeaders } from './raw-refusal.ts';
import { inBytes, refusalOf } from './refusal.ts';
import { wrongMethod, type OtherMethods } from './wrong-method.ts';
import type { Reply, Route } from '../routes/route.ts';
import { sseSink } from '../viewers/sse-sink.ts';

const jsonType = 'application/json; charset=utf-8';
/** What is longer is handed to the connection in blocks, as it takes them: unsent answers cost memory. Bytes. */
const blockSize = 64 * 1024;

export function send(
  settings: AppSettings,
  reply: FastifyReply,
  { status, json, parts, bytes, headers }: Reply,
): FastifyReply {
  reply.code(status).headers(headers ?? {});
  const { secrets } = settings.context.home;
  if (parts) return sendTexts(settings, reply.type(jsonType), jsonTexts(parts, secrets));
  if (!bytes) {
    if (json === undefined) return reply.send();
    const text = JSON.stringify(json);
    if (text.length <= blockSize) return reply.type(jsonType).send(settings.clean(text));
    return sendTexts(settings, reply.type(jsonType), cleanBlocks([text], secrets));
  }
  const { content } = bytes;
  reply.type(bytes.type);
  if (typeof content !== 'string' && !Buffer.isBuffer(content)) return sendTexts(settings, reply, content);
  if (content.length <= blockSize) return reply.send(content);
  return sendTexts(settings, reply.header('content-length', Buffer.byteLength(content)), [content]);
}

/** What `GET` would answer, without its body: nothing that goes on is opened for it. */
export function sendHead(settings: AppSettings, reply: FastifyReply, answer: Reply): FastifyReply {
  const { status, headers = {}, stream: watched, poured, framing = sse, giveBack } = answer;
  giveBack?.();
  if (!watched && !poured) return send(settings, reply, answer);
  if (poured) void poured.texts[Symbol.asyncIterator]().return?.();
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': poured?.type ?? framing.type })
    .send();
}

function sendTexts(
  { context, patience }: AppSettings,
  reply: FastifyReply,
  texts: Iterable<string | Buffer> | AsyncIterable<string | Buffer>,
): FastifyReply {
  const body = Readable.from(
    inBlocks(texts, patience, () => reply.raw.destroy()),
    { objectMode: false },
  );
  body.on('error', (thrown) => {
    if (!reply.raw.destroyed) context.log.problem('An answer broke off.', thrown);
  });
  return reply.send(body);
}

/** A block that nobody takes in time is the last one. */
async function* inBlocks(
  texts: Iterable<string | Buffer> | AsyncIterable<string | Buffer>,
  patience: number,
  cut: () => void,
): AsyncGenerator<Buffer> {
  const enough = setTimeout(cut, patience);
  try {
    for await (const text of texts) {
      for (let from = 0; from < text.length;) {
        let to = from + blockSize;
        if (typeof text === 'string' && isHighSurrogate(text.charCodeAt(to - 1))) to += 1;
        const block = text.slice(from, to);
        yield typeof block === 'string' ? Buffer.from(block) : block;
        enough.refresh();
        from = to;
      }
    }
  } finally {
    clearTimeout(enough);
  }
}

export function stream(
  { context }: AppSettings,
  reply: FastifyReply,
  { answer, caller }: { readonly answer: Reply; readonly caller: Caller },
): void {
  const { raw } = reply;
  // Whoever left while we looked things up never says so again. One that is queued behind another has no socket yet.
  if (raw.destroyed || raw.socket?.destroyed === true) {
    answer.giveBack?.();
    return void reply.hijack();
  }
  if (!raw.socket) {
    answer.giveBack?.();
    throw new RunError('malformed', 'Ask for a stream on a connection of its own.');
  }
  const giveBack = answer.giveBack ?? context.quotas.stream(caller.tenant);
  reply.hijack();
  const headers = Object.fromEntries(
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
  const sink = sseSink(raw, { ...headers, ...answer.headers }, answer);
  const over = context.streams.add(caller, () => sink.cut());
  raw.on('close', () => {
    over();
    giveBack();
  });
  answer.stream?.(sink);
}

/** The route a request has come to, if it has come to one. */
export function routeOf(
  routes: readonly Route[],
  { method, routeOptions }: FastifyRequest,
): Route | undefined {
  const meant = method === 'HEAD' ? 'GET' : method;
  return routes.find((route) => route.path === routeOptions.url && route.method === meant);
}

export function refuse(
  { context, hidden, clean, routes }: AppSettings,
  reply: FastifyReply,
  thrown: unknown,
): FastifyReply {
  const { request } = reply;
  const route: Partial<Route> = routeOf(routes, request) ?? {};
  const { body } = route;
  const taken = { isFile: body === 'bytes', most: request.routeOptions.bodyLimit };
  const { status, failure, isBug } = refusalOf(inBytes(thrown, taken), hidden);
  if (isBug) context.log.problem('A request failed.', thrown);
  return sendRefusal(clean, reply, { status, failure, route });
}

/** Something is there, and does not what was asked for. */
export function refuseMethod({ clean }: AppSettings, reply: FastifyReply, other: OtherMethods): FastifyReply {
  const { failure } = wrongMethod(reply.request.method, other);
  reply.header('allow', other.allowed.join(', '));
  return sendRefusal(clean, reply, { status: 405, failure, route: other.route });
}

interface Sent {
  readonly status: number;
  readonly failure: Failure;
  readonly route: Pick<Route, 'errorBody'>;
}

function sendRefusal(
  clean: (text: string) => string,
  reply: FastifyReply,
  { status, failure, route: { errorBody = (error: Failure) => ({ error }) } }: Sent,
): FastifyReply {
  // What is left of its body is read at its own pace, and not at that of the framework.
  reply.request.raw.resume();
  return reply
    .code(status)
    .headers({ ...safeHeaders, ...refusalHeaders(status) })
    .type(jsonType)
    .send(clean(JSON.stringify(errorBody(failure))));
}
