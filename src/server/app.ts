import fastify from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuse, refuseMethod, routeOf, send, sendHead, stream } from './http/answer.ts';
import { pageNowhere } from './routes/page.ts';
import { type Caller, type Visit, strangerHeaders, welcomeGuest } from './access/honest.ts';
import type { WayIn, WaysIn } from './access/way-in.ts';
import { safeHeaders, tlsHeaders } from './http/headers.ts';
import { type ServerContext } from './context.ts';
import { letPass } from '../loop/machine.ts';
import { pour } from './http/pour.ts';
import { refuseExpectation, refuseUnread } from './http/raw-refusal.ts';
import { RunError } from '../run/failure.ts';
import { type RawAsked, type Reply, type Route, strictJson } from './routes/route.ts';
import { openSockets, wantsSocket } from './http/sockets.ts';
import { methodsAt } from './http/wrong-method.ts';
import { expectOpen } from './runs/quotas.ts';
import { bodyPace, smallBody } from './http/body-pace.ts';

export interface AppSettings {
  readonly context: ServerContext;
  readonly routes: readonly Route[];
  /** Takes secrets out of what is sent. */
  readonly clean: (text: string) => string;
  /** What must not stand in a refusal: paths of this machine. */
  readonly hidden: readonly string[];
  /** How requests have come, where that says who asks. */
  readonly ways: WaysIn;
  /** What is being answered to its owner. */
  readonly answering: Set<Promise<unknown>>;
  /** How long whoever is answered may take nothing before they are cut off, in milliseconds. */
  readonly patience: number;
}

const bodyLimit = 1024 * 1024;
/** A request that takes longer to arrive is not meant to. Milliseconds. */
const arrival = 30_000;
const headersArrival = 10_000;
const checkEvery = 5_000;

/** What is asked of a server that goes away by those who decide whether to send it more. */
const alwaysAnswered: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Routes have schemas of their own, and none of the framework's: what would compile those is not even loaded. */
const compile = (): never => {
  throw new Error('A route has a schema of the framework.');
};
const noCompilers = { buildValidator: compile, buildSerializer: compile };

/** The HTTP side of the server. Every request passes the door before any of it is read. */
export async function appOf(settings: AppSettings): Promise<FastifyInstance> {
  const { context, routes, ways } = settings;
  const app = fastify({
    bodyLimit,
    requestTimeout: arrival,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 300 },
    http: {
      headersTimeout: headersArrival,
      connectionsCheckingInterval: checkEvery,
      maxHeaderSize: 16_384,
      // The door asks for it, and answers like to everything else.
      requireHostHeader: false,
      shouldUpgradeCallback: wantsSocket,
    },
    // What the framework would say by itself has none of our headers.
    return503OnClosing: false,
    schemaController: { compilersFactory: noCompilers },
    clientErrorHandler: refuseUnread,
    frameworkErrors: (error, _, reply) => void refuse(settings, reply, error),
  });
  app.server.on('checkExpectation', refuseExpectation);
  const callerOf = letIn(app, settings);
  refuseOtherMethods(app, settings);
  const note = noteAnswers(app, settings, callerOf);
  app.setErrorHandler((error, _, reply) => refuse(settings, reply, error));
  app.setNotFoundHandler((request, reply) => {
    const page = pageNowhere(request, context.door.sourceOf(visitOf(request, ways)));
    if (page) return send(settings, reply, page);
    return refuse(settings, reply, new RunError('unknown', 'There is nothing at this address.'));
  });
  app.options('*', (_, reply) => reply.code(204).send());
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
    body.length === 0 ? undefined : strictJson(body),
  );
  register(app, settings, { routes: routes.filter(({ body }) => body !== 'bytes'), callerOf, note });
  await app.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body);
    register(inner, settings, { routes: routes.filter(({ body }) => body === 'bytes'), callerOf, note });
  });
  openSockets(app.server, settings);
  return app;
}

type CallerOf = (request: FastifyRequest) => Caller | undefined;
type Note = (request: FastifyRequest, reply: FastifyReply) => void;

function letIn(app: FastifyInstance, { context, routes, ways }: AppSettings): CallerOf {
  const callers = new WeakMap<FastifyRequest, Caller>();
  const withHeader = routes.filter(({ keyHeader }) => keyHeader !== undefined);
  const pace = bodyPace();
  app.addHook('onRequest', async (request, reply) => {
    reply.raw.on('close', letPass());
    if (mayBeLong(request.raw)) pace(request.raw, () => callers.get(request)?.tenant ?? '');
    reply.headers(safeHeaders);
    welcomeGuest(context, request, reply);
    const visit = visitOf(request, ways);
    if (context.door.sourceOf(visit).isTls) reply.headers(tlsHeaders);
    const isStranger = context.door.isStranger(visit);
    if (isStranger) reply.headers(strangerHeaders(request.headers));
    context.door.expectHonest(visit);
    // They asked whether they may ask, and are told why not when they do.
    if (isStranger) return;
    if (!alwaysAnswered.has(request.routeOptions.url ?? '')) expectOpen(context);
    const caller = await context.door.callerOf(withKey(visit, routeOf(withHeader, request)?.keyHeader));
    if (!caller) return;
    callers.set(request, caller);
    if (caller.isOwner) return;
    context.quotas.request(caller.tenant, { now: context.now(), bytes: bodyBytes(request, 0) });
  });
  return (request) => callers.get(request);
}

/** Before a body is taken that nobody reads. */
function refuseOtherMethods(app: FastifyInstance, settings: AppSettings): void {
  const methods = methodsAt(settings.routes);
  app.addHook('onRequest', async (request, reply) => {
    const [path = ''] = request.is404 ? request.url.split('?', 1) : [];
    const other = path === '' ? undefined : methods(path);
    // What is there and not found is outside of where a program has put this.
    if (!other || other.allowed.includes(request.method)) return undefined;
    return refuseMethod(settings, reply, other);
  });
}

/** Where clients of a protocol put their key elsewhere, it counts like any other. */
function withKey(visit: Visit, header: string | undefined): Visit {
  const key = header === undefined ? undefined : one(visit.headers[header]);
  if (key === undefined || visit.headers.authorization !== undefined) return visit;
  return { ...visit, headers: { ...visit.headers, authorization: `Bearer ${key}` } };
}

function visitOf({ method, headers, raw }: FastifyRequest, ways: WaysIn): Visit {
  const { rawHeaders, socket } = raw;
  const way = wayOf({ raw }, ways);
  return { method, headers, rawHeaders, isSocket: false, peer: socket.remoteAddress, way };
}

function wayOf({ raw }: Pick<FastifyRequest, 'raw'>, ways: WaysIn): WayIn | undefined {
  return ways.get(raw) ?? ways.get(raw.socket);
}

/** Each answer is counted once: when it is over, or, if it goes on, when it has begun. */
function noteAnswers(app: FastifyInstance, { context, ways }: AppSettings, callerOf: CallerOf): Note {
  const noted = new WeakSet<FastifyRequest>();
  const note: Note = (request, { statusCode: status, elapsedTime: milliseconds }) => {
    if (noted.has(request)) return;
    noted.add(request);
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'none';
    context.metrics.answered({ method, route, status, seconds: milliseconds / 1_000 });
    const { address: from } = context.door.sourceOf(visitOf(request, ways));
    const { who, tenant } = callerOf(request) ?? {};
    context.log.answered({ method, route, status, milliseconds, from, who, tenant });
  };
  app.addHook('onResponse', async (request, reply) => note(request, reply));
  return note;
}

interface Registering {
  readonly routes: readonly Route[];
  readonly callerOf: CallerOf;
  readonly note: Note;
}

function register(
  app: FastifyInstance,
  settings: AppSettings,
  { routes, ...registering }: Registering,
): void {
  const { callerOf, note } = registering;
  const received = new WeakMap<FastifyRequest, () => void>();
  for (const route of routes) {
    const { method, path: url, bodyLimit: most } = route;
    if (method === 'WS') continue;
    app.route<{ Params: Record<string, string> }>({
      method: method === 'GET' ? ['GET', 'HEAD'] : method,
      url,
      exposeHeadRoute: false,
      bodyLimit: most,
      // Before its body is taken: nobody may send megabytes without saying who they are.
      async onRequest(request, reply) {
        const caller = callerOf(request);
        route.admit({ context: settings.context, caller });
        if (!caller) return;
        const giveBack = settings.context.quotas.receive(
          caller.tenant,
          bodyBytes(request, most ?? bodyLimit),
        );
        received.set(request, giveBack);
        reply.raw.on('close', () => gaveBack(received, request));
      },
      async handler(request, reply) {
        const caller = callerOf(request);
        const answer = await answerTo(settings, route, { request, reply, caller });
        if (request.method === 'HEAD') return sendHead(settings, reply, answer);
        if (answer.poured && caller) {
          gaveBack(received, request);
          return pour(settings, reply, { answer, caller, poured: answer.poured });
        }
        if (!answer.stream || !caller) return send(settings, reply, answer);
        stream(settings, reply, { answer, caller });
        // A stream may go on for days; what was sent to begin it has long been read.
        gaveBack(received, request);
        note(request, reply);
        return reply;
      },
    });
  }
}

/** A request as routes get it: nothing of it has been believed yet. */
function rawAsked({ context, ways }: AppSettings, { request, reply, caller }: Exchange): RawAsked {
  let signal: AbortSignal | undefined;
  const left = (): AbortSignal => (signal ??= leaving(reply));
  return {
    context,
    caller,
    source: context.door.sourceOf(visitOf(request, ways)),
    params: request.params,
    query: request.query,
    body: request.body,
    header: (name) => one(request.headers[name]),
    left,
    heavy: (bytes) => context.heavy.enter(caller?.tenant ?? '', bytes, left()),
  };
}

interface Exchange {
  readonly request: FastifyRequest<{ Params: Record<string, string> }>;
  readonly reply: FastifyReply;
  readonly caller: Caller | undefined;
}

async function answerTo(settings: AppSettings, route: Route, exchange: Exchange): Promise<Reply> {
  const { caller } = exchange;
  const answering = route.answer(rawAsked(settings, exchange));
  return caller?.isOwner ? keptIn(settings.answering, answering) : answering;
}

async function keptIn<T>(kept: Set<Promise<unknown>>, promise: Promise<T>): Promise<T> {
  kept.add(promise);
  return promise.finally(() => kept.delete(promise));
}

/** The room that the body of a request had is given back, once. */
function gaveBack(received: WeakMap<FastifyRequest, () => void>, request: FastifyRequest): void {
  received.get(request)?.();
  received.delete(request);
}

/** A body that does not say how long it is may be as long as the route takes. */
function bodyBytes({ headers }: FastifyRequest, most: number): number {
  if (headers['transfer-encoding'] !== undefined) return most;
  return Math.min(most, Number(headers['content-length'] ?? 0));
}

/** One for all: every request ends like this, and where it was made says nothing. */
const hasLeft = new RunError('rejected', 'Whoever asked has left.');

/** Aborts when an answer was sent, or nobody wants it any more. */
function leaving({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  const leave = (): void => left.abort(hasLeft);
  raw.on('close', leave);
  if (raw.destroyed) leave();
  return left.signal;
}

/** A header that stands twice says two things: neither counts. */
function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function mayBeLong({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > smallBody;
}
