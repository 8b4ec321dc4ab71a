import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AppSettings } from '../app.ts';
import type { Caller, Visit } from '../access/honest.ts';
import { rawRefusal } from './raw-refusal.ts';
import { refusalOf } from './refusal.ts';
import { RunError } from '../../run/failure.ts';
import type { Reply, Route } from '../routes/route.ts';
import { eventSocketSink, socketSink } from '../viewers/socket-sink.ts';
import { expectOpen } from '../runs/quotas.ts';

/** Nobody has more than this to say on a socket that only shows. */
const maxPayload = 4_096;

/** Any other protocol that a client offers to go over to may be left out: its request is answered like all others. */
export function wantsSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** The sockets of the server: the same door, the same owners, the same frames. */
export function openSockets(server: Server, settings: AppSettings): void {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    maxPayload,
  });
  const routes = settings.routes.filter(({ method }) => method === 'WS').map(withPattern);
  sockets.on('wsClientError', ({ message }, raw) => {
    refuse(settings, raw, new RunError('malformed', `No socket can be made of this request: ${message}.`));
  });
  server.on('upgrade', (request: IncomingMessage, raw: Duplex, head: Buffer) => {
    raw.on('error', () => raw.destroy());
    const note = noteIn(settings, routes, request);
    answer(settings, routes, request)
      .then(({ reply, caller }) => {
        // Whoever left while we looked things up never says so again, and would keep their place for good.
        if (raw.destroyed) return;
        note(101, caller);
        if (reply.stream) raw.on('close', settings.context.quotas.stream(caller.tenant));
        sockets.handleUpgrade(request, raw, head, (socket) => show(settings, { socket, raw, reply, caller }));
      })
      .catch((thrown: unknown) => note(refuse(settings, raw, thrown)));
  });
}

/** Sockets stand in the log of requests like all others. */
function noteIn(
  { context }: AppSettings,
  routes: readonly Matching[],
  request: IncomingMessage,
): (status: number, caller?: Caller) => void {
  const begun = context.now();
  const { address: from } = context.door.sourceOf(visitOf(request));
  const path = URL.parse(request.url ?? '', 'http://localhost')?.pathname ?? '';
  const route = routes.find(({ pattern }) => pattern.test(path))?.route.path ?? 'none';
  return (status, caller) =>
    context.log.answered({
      method: 'WS',
      route,
      status,
      milliseconds: context.now() - begun,
      from,
      who: caller?.who,
      tenant: caller?.tenant,
    });
}

interface Shown {
  readonly socket: WebSocket;
  readonly raw: Duplex;
  readonly reply: Reply;
  readonly caller: Caller;
}

function show({ context }: AppSettings, { socket, raw, reply, caller }: Shown): void {
  const { status, headers = {}, isEventStream = false, bare = false } = reply;
  if (isEventStream) socket.send(JSON.stringify({ status, headers }));
  if (!reply.stream) return socket.close(1000);
  if (raw.destroyed) return;
  const sink = isEventStream ? eventSocketSink({ socket, raw }) : socketSink({ socket, raw, bare });
  socket.on(
    'close',
    context.streams.add(caller, () => sink.cut()),
  );
  reply.stream(sink);
}

interface Matching {
  readonly route: Route;
  readonly pattern: RegExp;
}

function withPattern(route: Route): Matching {
  const pattern = route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]{1,300})');
  return { route, pattern: new RegExp(`^${pattern}$`) };
}

async function answer(
  { context }: AppSettings,
  routes: readonly Matching[],
  request: IncomingMessage,
): Promise<{ readonly reply: Reply; readonly caller: Caller }> {
  const { headers } = request;
  const visit = visitOf(request);
  context.door.expectHonest(visit);
  expectOpen(context);
  const caller = await context.door.callerOf(visit);
  if (caller) context.quotas.request(caller.tenant, { now: context.now(), bytes: 0 });
  const source = context.door.sourceOf(visit);
  const url = URL.parse(request.url ?? '', 'http://localhost');
  for (const { route, pattern } of routes) {
    const found = pattern.exec(url?.pathname ?? '');
    if (!found) continue;
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const query = queryIn(url?.searchParams);
    const params = Object.fromEntries(
      Object.entries(found.groups ?? {}).map(([name, value]) => [name, decoded(value)]),
    );
    const asked = { context, caller, source, params, query, body: undefined, header };
    const reply = await route.answer({
      ...asked,
      heavy: async () => {},
      left: () => new AbortController().signal,
    });
    if (caller) return { reply, caller };
  }
  throw new RunError('unknown', 'There is nothing at this address.');
}

function visitOf({ headers, rawHeaders, socket }: IncomingMessage): Visit {
  return { method: 'GET', headers, rawHeaders, isSocket: true, peer: socket.remoteAddress };
}

/** As on all other routes: a name that stands twice is a list. */
function queryIn(parameters = new URLSearchParams()): Readonly<Record<string, unknown>> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const all = parameters.getAll(name);
      return [name, all.length === 1 ? all[0] : all];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new RunError('malformed', 'The address cannot be read.');
  }
}

/** Returns the status it was refused with. */
function refuse({ context, hidden, clean }: AppSettings, raw: Duplex, thrown: unknown): number {
  const { status, failure, isBug } = refusalOf(thrown, hidden);
  if (isBug) context.log.problem('A socket could not be opened.', thrown);
  raw.end(rawRefusal(status, failure, clean));
  return status;
}
