import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { createMcpHandler, type McpServer as Served } from '@modelcontextprotocol/server';
import { afterAll } from 'vitest';
import type { Item, Json } from '../../src/run/values.ts';
import { mcpServer, type McpServer, type McpSettings } from '../../src/tools/mcp/mcp.ts';
import type { McpTool } from '../../src/tools/mcp/tool.ts';
import type { ToolContext } from '../../src/tools/tool.ts';

const folder = new URL('.', import.meta.url).pathname;
const dist = (name: string): string =>
  join(
    createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`),
    '../dist/index.js',
  );

export const everything = [process.execPath, dist('server-everything'), 'stdio'];
export const filesystem = [process.execPath, dist('server-filesystem')];

const folders: string[] = [];
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

/** A folder that is gone after the test file. */
export function temporary(): string {
  const made = mkdtempSync(join(tmpdir(), 'vitrine-mcp-'));
  folders.push(made);
  return made;
}

export interface Recorded {
  readonly command: string[];
  /** What the server has written down so far. */
  lines(): string[];
}

export function recording(...modes: string[]): Recorded {
  return recorded('recorder-stdio.ts', modes);
}

export function terse(): Recorded {
  return recorded('terse.ts', []);
}

function recorded(script: string, modes: readonly string[]): Recorded {
  const file = join(temporary(), 'record');
  return {
    command: [process.execPath, join(folder, script), file, ...modes],
    lines: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []),
  };
}

export interface HttpProcess {
  readonly url: string;
  readonly port: number;
  kill(): Promise<void>;
}

/** The real server from npm over HTTP, on loopback, on a port that the system chooses unless one is given. */
export async function everythingOverHttp(port = 0): Promise<HttpProcess> {
  const [program = '', script = ''] = everything;
  const child = spawn(program, ['--import', join(folder, 'loopback.ts'), script, 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: `${port}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface(child.stderr)) {
    const [, address] = /^listening at (.*)$/.exec(line) ?? [];
    if (address === undefined) continue;
    const at = JSON.parse(address) as AddressInfo;
    child.stderr.resume();
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    };
    return { url: `http://127.0.0.1:${at.port}/mcp`, port: at.port, kill };
  }
  throw new Error('the server ended before it listened');
}

/** A server of the 2026 protocol over HTTP. `drop` cuts every connection there is. */
export async function serveHttp(
  factory: () => Served,
): Promise<{ url: string; drop: () => void; close(): Promise<void> }> {
  const handler = createMcpHandler(factory, { legacy: 'reject' });
  const server = createServer((request, response) => {
    void handler.fetch(webRequest(request, response)).then((answer) => reply(answer, response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    drop: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function webRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return new Request(`http://127.0.0.1${request.url}`, {
    method: request.method ?? 'GET',
    headers: Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]),
    signal: gone.signal,
    body: request.method === 'POST' ? Readable.toWeb(request) : null,
    duplex: 'half',
  });
}

function reply(answer: Response, response: ServerResponse): void {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  else
    Readable.fromWeb(answer.body)
      .on('error', () => response.destroy())
      .pipe(response);
}

/** Servers that a test file opens end with it, also when a test fails. They are trusted, unless a test is about that. */
export function opened(): (settings: McpSettings) => McpServer {
  const servers: McpServer[] = [];
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
  });
  return (settings) => {
    const server = mcpServer({ trusted: true, ...settings });
    servers.push(server);
    return server;
  };
}

/** The tool of a server by the server's own name for it. */
export async function find(server: McpServer, name: string): Promise<McpTool> {
  const { tools } = await server.list(AbortSignal.timeout(30_000));
  const tool = tools.find((one) => one.name === `${server.name}__${name}`);
  if (tool === undefined) throw new Error(`${name} is not among ${tools.map((one) => one.name).join(', ')}`);
  return tool;
}

export interface Watched extends ToolContext {
  readonly said: string[];
  readonly items: Item[];
}

/** A context that keeps what the tool says and attaches. */
export function watched(extra: Partial<ToolContext> = {}): Watched {
  const said: string[] = [];
  const items: Item[] = [];
  return {
    idempotencyKey: 'key',
    tenant: 'tenant',
    run: 'run',
    signal: AbortSignal.timeout(30_000),
    say: (text) => void said.push(text),
    attach: (item) => void items.push(item),
    said,
    items,
    ...extra,
  };
}

/** Someone who answers every question the same way, and keeps what was asked. */
export function person(answer: Json): { ask: NonNullable<ToolContext['ask']>; asked: Json[] } {
  const asked: Json[] = [];
  return {
    asked,
    ask(question) {
      asked.push({ ...question });
      return Promise.resolve({ decision: 'accept', answer });
    },
  };
}
