import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { strictJson } from './body.ts';
import type { Caller } from './caller.ts';
import { safeHeaders } from './headers.ts';
import type { House } from './house.ts';
import { refusalOf } from './refusal.ts';
import { RunError } from '../run/failure.ts';
import type { Reply, Route } from './routes/route.ts';
import { openSockets } from './sockets.ts';
import { sseSink } from './viewers/sse-sink.ts';

export interface AppSettings {
  readonly house: House;
  readonly routes: readonly Route[];
  /** Takes secrets out of what is sent. */
  readonly clean: (text: string) => string;
  /** What must not stand in a refusal: paths of this machine. */
  readonly hidden: readonly string[];
}

const bodyLimit = 1024 * 1024;
/** A request that takes longer to arrive is not meant to. Milliseconds. */
const arrival = 30_000;
const headersArrival = 10_000;
const checkEvery = 5_000;

/** The HTTP side of the house. Every request passes the door before any of it is read. */
export async function appOf(settings: AppSettings): Promise<FastifyInstance> {
  const { house, routes } = settings;
  const app = fastify({
    bodyLimit,
    requestTimeout: arrival,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 300 },
    http: { headersTimeout: headersArrival, connectionsCheckingInterval: checkEvery, maxHeaderSize: 16_384 },
    frameworkErrors: (error, _, reply) => void refuse(settings, reply, error),
  });
  const callers = new WeakMap<FastifyRequest, Caller>();
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(safeHeaders);
    welcomeGuest(house, request, reply);
    const visit = { method: request.method, headers: request.headers, isSocket: false };
    house.door.expectHonest(visit);
    const caller = await house.door.callerOf(visit);
    if (caller) {
      callers.set(request, caller);
      house.quotas.request(caller.tenant, house.now());
    }
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const { statusCode: status, elapsedTime: milliseconds } = reply;
    const route = routeOptions.url ?? 'none';
    house.metrics.answered({ route, status, seconds: milliseconds / 1_000 });
    house.log.answered({ method, route, status, milliseconds, who: callers.get(request)?.who });
  });
  app.setErrorHandler((error, _, reply) => refuse(settings, reply, error));
  app.setNotFoundHandler((_, reply) =>
    refuse(settings, reply, new RunError('unknown', 'There is nothing at this address.')),
  );
  app.options('*', (_, reply) => reply.code(204).send());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_: unknown, body: string) =>
    body === '' ? undefined : strictJson(body),
  );
  const callerOf = (request: FastifyRequest): Caller | undefined => callers.get(request);
  register(app, settings, { routes: routes.filter(({ body }) => body !== 'bytes'), callerOf });
  await app.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body);
    register(inner, settings, { routes: routes.filter(({ body }) => body === 'bytes'), callerOf });
  });
  openSockets(app.server, settings);
  return app;
}

interface Registering {
  readonly routes: readonly Route[];
  readonly callerOf: (request: FastifyRequest) => Caller | undefined;
}

function register(app: FastifyInstance, settings: AppSettings, { routes, callerOf }: Registering): void {
  for (const route of routes) {
    const { method, path: url, bodyLimit: most } = route;
    if (method === 'WS') continue;
    app.route<{ Params: Record<string, string> }>({
      method,
      url,
      exposeHeadRoute: false,
      ...(most === undefined ? {} : { bodyLimit: most }),
      async handler(request, reply) {
        const caller = callerOf(request);
        const answer = await route.answer({
          house: settings.house,
          caller,
          params: request.params,
          query: request.query,
          body: request.body,
          header: (name) => one(request.headers[name]),
        });
        return answer.stream && caller
          ? stream(settings, reply, { answer, caller })
          : send(settings, reply, answer);
      },
    });
  }
}

function send(
  { clean }: AppSettings,
  reply: FastifyReply,
  { status, json, bytes, headers }: Reply,
): FastifyReply {
  reply.code(status).headers(headers ?? {});
  if (bytes) return reply.type(bytes.type).send(bytes.content);
  if (json === undefined) return reply.send();
  return reply.type('application/json; charset=utf-8').send(clean(JSON.stringify(json)));
}

function stream(
  { house }: AppSettings,
  reply: FastifyReply,
  { answer, caller }: { readonly answer: Reply; readonly caller: Caller },
): FastifyReply {
  const { raw } = reply;
  // Whoever left while we looked things up never says so again. One that is queued behind another has no socket yet.
  if (raw.destroyed || raw.socket?.destroyed === true) return reply.hijack();
  if (!raw.socket) throw new RunError('malformed', 'Ask for a stream on a connection of its own.');
  const giveBack = house.quotas.stream(caller.tenant);
  reply.hijack();
  const headers = Object.fromEntries(
    Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
  const sink = sseSink(raw, { ...headers, ...answer.headers }, answer.beat);
  const over = house.streams.add(caller, () => sink.cut());
  raw.on('close', () => {
    over();
    giveBack();
  });
  answer.stream?.(sink);
  return reply;
}

function refuse({ house, hidden, clean }: AppSettings, reply: FastifyReply, thrown: unknown): FastifyReply {
  const { status, failure, isBug } = refusalOf(thrown, hidden);
  if (isBug) house.log.problem('A request failed.', thrown);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (status === 429) reply.header('retry-after', '1');
  return reply
    .code(status)
    .headers(safeHeaders)
    .type('application/json; charset=utf-8')
    .send(clean(JSON.stringify({ error: failure })));
}

/** Other sites may use this server only if the configuration names them. */
function welcomeGuest({ door }: House, { headers }: FastifyRequest, reply: FastifyReply): void {
  reply.header('vary', 'Origin');
  const origin = door.guestOrigin(headers);
  if (origin === undefined) return;
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
    'access-control-max-age': '600',
    'cross-origin-resource-policy': 'cross-origin',
  });
}

/** A header that stands twice says two things: neither counts. */
function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
