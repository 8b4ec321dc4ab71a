import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../run/values.ts';
import type { ToolContext } from '../tool.ts';
import { connectionTools } from './connection.ts';

const seen: { method?: string; url?: string; headers: Record<string, unknown>; body: string }[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    const status = Number(/status=(\d+)/.exec(request.url ?? '')?.[1] ?? 200);
    const headers = {
      'content-type': 'application/json',
      ...(status === 302 ? { location: '/elsewhere' } : {}),
    };
    response.writeHead(status, headers).end('{"ok":true}');
  });
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
});
afterAll(() => void server.close());

const context: ToolContext = {
  idempotencyKey: 'key-1',
  run: 'r',
  tenant: 'local',
  signal: new AbortController().signal,
  say: () => {},
  attach: () => {},
};

function ask(kind: 'get' | 'put' | 'send', input: Json, trusted = true): Promise<Json> {
  const tools = connectionTools({ name: 'crm', url, trusted, headers: { authorization: 'Bearer s3cret' } });
  const tool = tools.find(({ name }) => name === `connection_crm_${kind}`);
  if (!tool) throw new Error(`no ${kind}`);
  return tool.run(input, context);
}

describe('[WF18] a connection', () => {
  test('sends below its address, with what stands in the configuration', async () => {
    const given = await ask('send', { method: 'POST', path: '/notes?x=1', body: { n: 1 } });
    expect(given).toMatchObject({ status: 200, body: { ok: true } });
    expect(JSON.stringify(given)).not.toContain('s3cret');
    expect(Object.keys(given as object).toSorted(), 'where it leads is told to nobody').toEqual([
      'body',
      'headers',
      'status',
    ]);
    expect(seen.at(-1)).toMatchObject({ method: 'POST', url: '/api/notes?x=1', body: '{"n":1}' });
    expect(seen.at(-1)?.headers).toMatchObject({
      authorization: 'Bearer s3cret',
      'idempotency-key': 'key-1',
    });
  });

  test('says what may be repeated', () => {
    const effects = connectionTools({ name: 'crm', url }).map(({ effect }) => effect);
    expect(effects).toEqual(['pure', 'idempotent', 'once']);
  });

  test.for(['../admin', '/../admin', 'https://other.example/x', '%2e%2e/admin', '\\\\other.example/x'])(
    'lets no path lead out of it: %s',
    async (path) => {
      const before = seen.length;
      await expect(ask('get', { method: 'GET', path })).rejects.toThrow(/leads out of the connection «crm»/);
      expect(seen).toHaveLength(before);
    },
  );

  test.for([
    'x/../admin',
    'x/%2E%2e/admin',
    'x/.%2e',
    'x/%2e%2e%2f%2e%2e/admin',
    'x%5c..%5cadmin',
    'x\\..\\y',
    'x/..;/admin',
    'x/..%3Ba=1/admin',
    'x/.\t./admin',
    'x/./y',
  ])('[WF41] sends nothing that some server may go up by: %j', async (path) => {
    const before = seen.length;
    await expect(ask('get', { method: 'GET', path })).rejects.toThrow(/may lead elsewhere in «crm»/);
    expect(seen).toHaveLength(before);
  });

  test.for(['a..b/...', 'x;v=1/y', 'x?next=..%2f../y', 'x%20y'])(
    '[WF41] sends what stays: %s',
    async (path) => {
      await ask('get', { method: 'GET', path });
      expect(seen.at(-1)?.url).toBe(`/api/${path}`);
    },
  );

  test('does not reach a private address unless it is trusted, and follows no redirect', async () => {
    await expect(ask('get', { method: 'GET', path: 'x' }, false)).rejects.toThrow(
      /^«crm» is not an address that may be reached/,
    );
    const before = seen.length;
    await expect(ask('get', { method: 'GET', path: 'x?status=302' })).resolves.toMatchObject({ status: 302 });
    expect(seen).toHaveLength(before + 1);
  });

  test.for([
    [404, 'rejected'],
    [503, 'unavailable'],
  ] as const)('fails where it is answered %s', async ([status, code]) => {
    await expect(ask('get', { method: 'GET', path: `x?status=${status}` })).rejects.toMatchObject({
      failure: { code },
    });
  });
});
