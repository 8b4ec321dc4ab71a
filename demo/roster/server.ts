import { Readable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { startServer, type DemoServer, type Visit } from '../loopback-server.ts';
import { roster } from './roster.ts';

export interface RosterOptions {
  readonly port?: number;
  readonly seed?: number;
}

/** The roster over streamable HTTP, at `/mcp`. */
export function startRoster({ port, seed = 2026 }: RosterOptions = {}): Promise<DemoServer> {
  const handler = createMcpHandler(() => roster(seed));
  return startServer(async (visit) => {
    if (visit.path === '/mcp') return reply(await handler.fetch(requestOf(visit)), visit.response);
    visit.response.writeHead(404).end();
  }, port);
}

function requestOf({ method, path, headers, body, signal }: Visit): Request {
  return new Request(`http://127.0.0.1${path}`, {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    signal,
    ...(method === 'POST' ? { body } : {}),
  });
}

function reply({ status, headers, body }: Response, response: ServerResponse): void {
  response.writeHead(status, Object.fromEntries(headers));
  if (body === null) response.end();
  else
    Readable.fromWeb(body)
      .on('error', () => response.destroy())
      .pipe(response);
}
