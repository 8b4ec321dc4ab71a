import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the fake upstream does with a request, in this order. Each `send` is an HTTP chunk of its own. */
export type Act =
  | { readonly head: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly send: string | Uint8Array }
  /** Sends this again and again, as fast as it is taken. */
  | { readonly endless: string | Uint8Array }
  /** Goes on when the test says so. */
  | { readonly until: Promise<unknown> }
  /** Happens now, and is waited for. */
  | { readonly does: () => unknown }
  | 'hang'
  | 'reset'
  | 'end';

/** One request as it arrived. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  /** Which connection it came over, counted from 0. */
  readonly connection: number;
  /** Resolves with the bytes of the answer when the client goes before it is complete. */
  readonly left: Promise<number>;
}

/** What a request gets: these acts, or what is made of it when it has come. */
export type Plan = readonly Act[] | ((request: SeenRequest) => readonly Act[]);

export interface Upstream {
  /** Where the API begins. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** What the next requests get, one list each; the last one stays. */
  answer(...plans: Plan[]): void;
  /** Resolves with request number `i`, counted from 0, once it has arrived. */
  request(i: number): Promise<SeenRequest>;
  close(): Promise<void>;
}

export const sse = { head: 200, headers: { 'content-type': 'text/event-stream' } } as const;

/** A server on loopback that does exactly what a test tells it to. */
export async function openUpstream(): Promise<Upstream> {
  const requests: SeenRequest[] = [];
  const sockets: unknown[] = [];
  const waiting: (() => void)[] = [];
  let plans: Plan[] = [];

  const server = createServer((request, response) => {
    // A client that goes away in the middle is what half of the tests are about.
    response.on('error', () => undefined);
    const left = new Promise<number>((resolve) => {
      const before = request.socket.bytesWritten;
      response.once('close', () => {
        if (!response.writableFinished) resolve(request.socket.bytesWritten - before);
      });
    });
    void readBody(request).then((body) => {
      const { method = '', url: path = '', headers, socket } = request;
      if (!sockets.includes(socket)) sockets.push(socket);
      const seen = { method, path, headers, body, connection: sockets.indexOf(socket), left };
      requests.push(seen);
      for (const wake of waiting.splice(0)) wake();
      const plan = (plans.length > 1 ? plans.shift() : plans[0]) ?? [];
      return play(typeof plan === 'function' ? plan(seen) : plan, response);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    answer(...next) {
      plans = next;
    },
    async request(i) {
      for (;;) {
        const request = requests[i];
        if (request !== undefined) return request;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks = await Array.fromAsync(request as AsyncIterable<Uint8Array>).catch(() => []);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : JSON.parse(text);
}

async function play(plan: readonly Act[], response: ServerResponse): Promise<void> {
  for (const act of plan) {
    if (act === 'hang') return;
    if (act === 'reset') {
      await flushed(response);
      response.socket?.resetAndDestroy();
      return;
    }
    if (act === 'end') response.end();
    else if ('head' in act) {
      response.writeHead(act.head, act.headers);
      response.flushHeaders();
    } else if ('send' in act) response.write(act.send);
    else if ('until' in act) await act.until;
    else if ('does' in act) await act.does();
    else await sendForEver(response, act.endless);
  }
}

/** What was sent before a reset must have left, or the client would see the reset alone. */
function flushed(response: ServerResponse): Promise<void> {
  if (!response.headersSent) return Promise.resolve();
  return new Promise((resolve) => response.write('', () => setImmediate(resolve)));
}

async function sendForEver(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  while (!response.destroyed) {
    const isTaken = response.write(piece);
    // A client that has gone never lets it drain, so both are waited for.
    if (isTaken) await new Promise(setImmediate);
    else
      await new Promise<void>((resolve) => {
        const go = (): void => {
          response.off('drain', go).off('close', go);
          resolve();
        };
        response.on('drain', go).on('close', go);
      });
  }
}
