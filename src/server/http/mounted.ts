import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { RunError } from '../../run/failure.ts';
import type { WayIn, WaysIn } from '../access/way-in.ts';

/** Answers a request that came to another program's server: as middleware of Express, or by hand. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface Mounting {
  readonly app: FastifyInstance;
  readonly ways: WaysIn;
  /** Where it stands among the addresses of the program, as `/agents`; none where it has all of them. */
  readonly prefix: string;
  readonly wayOf: (request: IncomingMessage) => WayIn;
}

/** The server's routes behind an address of another program's server. */
export function mounted({ app, ways, prefix, wayOf }: Mounting): NodeHandler {
  return (request, response) => {
    const whole = request.url ?? '/';
    ways.set(request, expectingWhole(request, wayOf(request)));
    request.url = below(prefix, request) ?? nowhere;
    app.routing(request, response);
    // The program may log its own requests: it finds them as they came.
    request.url = whole;
  };
}

/** An address that no route has: what is asked for is not below the prefix. */
const nowhere = '/ ';

/** What comes after a prefix. Express takes it away, and keeps the whole; others leave it. */
function below(prefix: string, request: IncomingMessage): string | undefined {
  const kept: unknown = Reflect.get(request, 'originalUrl');
  const whole = typeof kept === 'string' && prefix !== '' ? kept : (request.url ?? '/');
  return withoutPrefix(prefix, whole);
}

/** The rest of an address below a prefix; undefined where it is not below it. */
export function withoutPrefix(prefix: string, address: string): string | undefined {
  const rest = address.slice(prefix.length);
  if (!address.startsWith(prefix) || !/^($|[/?])/.test(rest)) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** What middleware has read before is gone, and a stream over HTTP/2 has no connection of its own to be written to. */
function expectingWhole(request: IncomingMessage, way: WayIn): WayIn {
  const wrong = request.httpVersionMajor > 1 ? overHttp2 : hasLostBody(request) ? readBefore : undefined;
  if (wrong === undefined) return way;
  return {
    isDirect: true,
    callerOf() {
      throw new RunError('malformed', wrong);
    },
  };
}

const overHttp2 = 'This handler answers HTTP/1.1: for HTTP/2, answer with «fetch» of the same Vitrine.';
const readBefore =
  'The body of this request was read before it came here: put the handler before whatever reads bodies, as express.json() does.';

function hasLostBody({ headers, readableDidRead }: IncomingMessage): boolean {
  const isThere = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return isThere && readableDidRead;
}
