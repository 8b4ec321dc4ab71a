import { request, type ClientRequest, type IncomingMessage, type Server } from 'node:http';
import { duplexPair, Readable, type Duplex } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import type { WayIn, WaysIn } from '../access/way-in.ts';

/** `fetch` for a server in this process, by a way that says who asks. No port: a connection in memory for each request. */
export function fetchWithin(server: Server, ways: WaysIn, way: WayIn): typeof globalThis.fetch {
  return fetchOver(() => {
    const [here, there] = joinedPair();
    ways.set(there, way);
    server.emit('connection', there);
    return here;
  });
}

/** `fetch` over connections that somebody else makes, one for each request. */
export function fetchOver(
  connect: () => Duplex,
  more: Readonly<Record<string, string>> = {},
): typeof globalThis.fetch {
  return (input, init = {}) => {
    const given = input instanceof Request ? input : undefined;
    const { pathname, search, host } = new URL(input instanceof Request ? input.url : input);
    const signal = init.signal ?? given?.signal;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const sent = request({
      createConnection: connect,
      path: `${pathname}${search}`,
      method: init.method ?? given?.method ?? 'GET',
      headers: { host, ...Object.fromEntries(new Headers(init.headers ?? given?.headers)), ...more },
      ...(signal ? { signal } : {}),
    });
    sent.on('response', (answer) => resolve(responseOf(answer)));
    sent.on('error', reject);
    sendBody(sent, (init.body ?? given?.body) as Body | null | undefined);
    return promise;
  };
}

type Body = string | Uint8Array | WebStream;

function sendBody(sent: ClientRequest, body: Body | null | undefined): void {
  if (!(body instanceof ReadableStream)) return void sent.end(body);
  const content = Readable.fromWeb(body);
  content.on('error', (cause) => sent.destroy(cause));
  content.pipe(sent);
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 500, headers } = answer;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
  );
  const isEmpty = status === 204 || status === 304;
  if (isEmpty) answer.resume();
  // Whoever leaves destroys what is left of the answer; that is no failure of theirs.
  answer.on('error', () => {});
  const body = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers: given });
}

/** Two ends of a connection. Where one is cut the other ends, which a pair of streams does not do by itself everywhere. */
function joinedPair(): readonly [Duplex, Duplex] {
  const [here, there] = duplexPair();
  here.on('close', () => there.destroy());
  there.on('close', () => here.destroy());
  here.on('error', () => {});
  there.on('error', () => {});
  // What servers set on sockets of a network; here nothing is gathered, and nobody is lost on the way.
  return [here, Object.assign(there, { setNoDelay: () => there, setKeepAlive: () => there })];
}
