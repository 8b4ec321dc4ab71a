import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { AppSettings } from './app.ts';
import type { Caller } from './access/caller.ts';
import { expectOpen } from './house.ts';
import { rawRefusal } from './raw-refusal.ts';
import { refusalOf } from './refusal.ts';
import { RunError } from '../run/failure.ts';
import type { Reply, Route } from './routes/route.ts';
import { socketSink } from './viewers/socket-sink.ts';

/** Nobody has more than this to say on a socket that only shows. */
const maxPayload = 4_096;

/** The sockets of the house: the same door, the same owners, the same frames. */
export function openSockets(server: Server, settings: AppSettings): void {
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    maxPayload,
  });
  const routes = settings.routes.filter(({ method }) => method === 'WS').map(withPattern);
  sockets.on('wsClientError', ({ message }, raw) =>
    refuse(settings, raw, new RunError('malformed', `No socket can be made of this request: ${message}.`)),
  );
  server.on('upgrade', (request: IncomingMessage, raw: Duplex, head: Buffer) => {
    raw.on('error', () => raw.destroy());
    answer(settings, routes, request)
      .then(({ reply, caller }) => {
        // Whoever left while we looked things up never says so again, and would keep their place for good.
        if (raw.destroyed) return;
        if (reply.stream) raw.on('close', settings.house.quotas.stream(caller.tenant));
        sockets.handleUpgrade(request, raw, head, (socket) => show(settings, { socket, raw, reply, caller }));
      })
      .catch((thrown: unknown) => refuse(settings, raw, thrown));
  });
}

interface Shown {
  readonly socket: WebSocket;
  readonly raw: Duplex;
  readonly reply: Reply;
  readonly caller: Caller;
}

function show({ house }: AppSettings, { socket, raw, reply, caller }: Shown): void {
  if (!reply.stream) return socket.close(1000);
  if (raw.destroyed) return;
  const sink = socketSink({ socket, raw, bare: reply.bare ?? false });
  socket.on(
    'close',
    house.streams.add(caller, () => sink.cut()),
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
  { house }: AppSettings,
  routes: readonly Matching[],
  request: IncomingMessage,
): Promise<{ readonly reply: Reply; readonly caller: Caller }> {
  const { headers, rawHeaders } = request;
  const visit = { method: 'GET', headers, rawHeaders, isSocket: true };
  house.door.expectHonest(visit);
  expectOpen(house);
  const caller = await house.door.callerOf(visit);
  if (caller) house.quotas.request(caller.tenant, house.now());
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
    const reply = await route.answer({ house, caller, params, query, body: undefined, header });
    if (caller) return { reply, caller };
  }
  throw new RunError('unknown', 'There is nothing at this address.');
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

function refuse({ house, hidden, clean }: AppSettings, raw: Duplex, thrown: unknown): void {
  const { status, failure, isBug } = refusalOf(thrown, hidden);
  if (isBug) house.log.problem('A socket could not be opened.', thrown);
  raw.end(rawRefusal(status, failure, clean));
}
