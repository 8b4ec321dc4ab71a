import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of the demo world, on loopback. */
export interface DemoServer {
  readonly url: string;
  close(): Promise<void>;
}

/** One request, with its body read. */
export interface Visit {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly response: ServerResponse;
  /** Aborts when the client goes away before the answer is complete. */
  readonly signal: AbortSignal;
}

const longestBody = 16 * 1024 * 1024;

/** Starts a server that hands every request to `answer`. Port 0 takes any free one. */
export async function startServer(answer: (visit: Visit) => Promise<void>, port = 0): Promise<DemoServer> {
  const server = createServer((request, response) => {
    // A client that leaves while we write is its own affair.
    response.on('error', () => undefined);
    void receive(request, response)
      .then((visit) => visit && answer(visit))
      .catch(() => fail(response));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<Visit | undefined> {
  const leaving = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort();
  });
  const body = await bodyOf(request);
  if (body === undefined) {
    sendJson(response, 413, { error: { message: `A body may have at most ${longestBody} bytes.` } });
    return undefined;
  }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://loopback');
  return {
    method: request.method ?? 'GET',
    path: pathname,
    query: searchParams,
    headers: request.headers,
    body,
    response,
    signal: leaving.signal,
  };
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Something broke: before the first byte there is a status for it, afterwards only the cut. */
function fail(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else sendJson(response, 500, { error: { message: 'Something went wrong inside the demo.' } });
}
