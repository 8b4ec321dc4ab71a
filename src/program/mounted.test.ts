import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createServer as createHttp2, connect as connectHttp2 } from 'node:http2';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { express, gate, serverOf, vitrineIn } from '../../test/program.ts';
import { vitrineClient } from '../client/client.ts';
import type { CallerOf } from './caller.ts';
import type { Vitrine } from './open-vitrine.ts';

/** People of the program say who they are by a header of its own. */
const caller: CallerOf = ({ headers }) => {
  const named = headers instanceof Headers ? headers.get('x-user') : headers['x-user'];
  const [tenant = '', who = ''] = String(named ?? '').split('/', 2);
  return who === '' ? undefined : { tenant, who, role: 'member' };
};
const prefix = '/agents';
const echo = {
  flow: { name: 'echo', version: '1', run: async (_: unknown, { text }: { text: string }) => text },
};

async function echoing(more: Parameters<typeof vitrineIn>[0] = {}): Promise<Vitrine> {
  return vitrineIn({ config: { apps: { echo } }, caller, prefix, ...more });
}

function clientAt(url: string, user: string, send: typeof fetch = fetch) {
  return vitrineClient({
    url: `${url}${prefix}`,
    fetch: (address, init = {}) =>
      send(address, { ...init, headers: { ...(init.headers as Record<string, string>), 'x-user': user } }),
  });
}

/** The servers that programs have, each with the handler below a prefix, and a page of its own beside it. */
const hosts: Readonly<Record<string, (vitrine: Vitrine) => Promise<string>>> = {
  'a plain http server': ({ handler }) =>
    serverOf((request, response) => {
      if (request.url?.startsWith(prefix)) handler(request, response);
      else response.end(`its own page ${request.url}`);
    }),
  async Express({ handler }) {
    const app = express();
    app.use(prefix, handler);
    app.use('/own', (_, response) => response.end('its own page /own'));
    return serverOf(createServer(app));
  },
  async Fastify({ handler }) {
    const app = fastify();
    await app.register(
      async (scope) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', (_request, _body, done) => done(null));
        scope.all('/*', (request, reply) => {
          reply.hijack();
          handler(request.raw, reply.raw);
        });
      },
      { prefix },
    );
    app.get('/own', async () => 'its own page /own');
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(async () => {
      app.server.closeAllConnections();
      await app.close();
    });
    return url;
  },
};

describe.for(Object.keys(hosts))('[IP2] [IP6] in %s', (name) => {
  test('a client starts, follows and lists below the prefix, and the program keeps its pages', async () => {
    const vitrine = await echoing();
    const url = (await hosts[name]?.(vitrine)) ?? '';
    const client = clientAt(url, 'acme/ada');
    const { run } = await client.start({ text: 'hello' });
    const trees = await Array.fromAsync(client.follow(run));
    expect(trees.at(-1)).toMatchObject({ answer: 'hello', status: 'completed' });
    expect((await clientAt(url, 'evil/eve').runs()).runs).toEqual([]);
    expect(await (await fetch(`${url}/own`)).text()).toBe('its own page /own');
    const begun = await fetch(`${url}${prefix}/api/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': 'acme/ada' },
      body: JSON.stringify({ input: { text: 'again' } }),
    });
    const location = begun.headers.get('location') ?? '';
    expect(location).toMatch(/^\/agents\/api\/runs\/run_/);
    expect(await begun.json()).toMatchObject({ events: `${location}/events` });
    expect((await fetch(url + location, { headers: { 'x-user': 'acme/ada' } })).status).toBe(200);
    const card = await fetch(`${url}${prefix}/a2a/echo/.well-known/agent-card.json`, {
      headers: { 'x-user': 'acme/ada' },
    });
    expect(await card.json()).toMatchObject({ url: `${url}${prefix}/a2a/echo` });
    expect((await fetch(`${url}${prefix}/api/nothing`, { headers: { 'x-user': 'acme/ada' } })).status).toBe(
      404,
    );
  });
});

test('[IP2] the page finds its parts below the prefix, at every address of it', async () => {
  const vitrine = await echoing();
  const app = express();
  app.use(prefix, vitrine.handler);
  const url = await serverOf(createServer(app));
  for (const path of ['', '/', '/runs/run_1', '/nowhere/at/all']) {
    const page = await fetch(`${url}${prefix}${path}`, { headers: { accept: 'text/html' } });
    const text = await page.text();
    const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part = '']) => part);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts)
      expect([part, (await fetch(new URL(part, page.url))).status]).toEqual([part, 200]);
  }
});

test('[IP2] what the program itself starts is below the prefix, too', async () => {
  const vitrine = await echoing();
  const ada = vitrine.as({ tenant: 'acme', who: 'ada', role: 'member' });
  for (const { run, events } of [await ada.start({ text: 'x' }), await vitrine.start({ text: 'x' })])
    expect(events).toBe(`/agents/api/runs/${run}/events`);
});

test.for([
  { at: '/agents', url: '/agents' },
  { at: '', url: '/' },
])('[IP2] the description of the API says where its paths are: below «$url»', async ({ at, url }) => {
  const vitrine = await echoing({ prefix: at });
  const answer = await asked(vitrine, `${at}/openapi.json`, { 'x-user': 'acme/ada' });
  const { servers, paths } = (await answer.json()) as { servers: { url: string }[]; paths: object };
  expect([servers.map((server) => server.url), Object.keys(paths)]).toEqual([
    [url],
    expect.arrayContaining(['/api/runs']),
  ]);
});

test('[IP2] what only begins like the prefix is not below it, and the program finds its request as it came', async () => {
  const vitrine = await echoing();
  const seen: string[] = [];
  const url = await serverOf((request, response) => {
    vitrine.handler(request, response);
    seen.push(request.url ?? '');
  });
  const answers = ['/agentsmith/api/runs', '/api/runs', '/agents/api/apps'].map(async (path) =>
    fetch(url + path, { headers: { 'x-user': 'acme/ada' } }),
  );
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 200]);
  expect(new Set(seen)).toEqual(new Set(['/agents/api/apps', '/agentsmith/api/runs', '/api/runs']));
});

describe('[IP3] who asks', () => {
  test('is nobody without «caller»: everything is locked, with what to do', async () => {
    const vitrine = await vitrineIn({ config: { apps: { echo } } });
    const url = await serverOf(vitrine.handler);
    for (const path of ['/', '/healthz', '/api/runs', '/openapi.json', '/api/holder']) {
      const headers = { authorization: 'Bearer vit_x', 'vitrine-tenant': 'local' };
      for (const answer of [await fetch(url + path, { headers }), await asked(vitrine, path, headers)]) {
        expect(answer.status).toBe(401);
        expect(await answer.text()).toContain('give «caller» to openVitrine');
      }
    }
  });

  test('is nobody where the program knows nobody, and a key of Vitrine’s or a tenant of their choice opens nothing', async () => {
    const vitrine = await echoing({ prefix: '' });
    await vitrine.start({ text: 'of the owner' });
    const url = await serverOf(vitrine.handler);
    const nobody = { authorization: 'Bearer anything', 'vitrine-tenant': 'local' };
    const refused = await fetch(`${url}/api/runs`, { headers: nobody });
    expect([refused.status, await refused.text()]).toEqual([
      401,
      expect.stringContaining('does not know you'),
    ]);
    const ada = { ...nobody, 'x-user': 'acme/ada' };
    const list = await fetch(`${url}/api/runs`, { headers: ada });
    expect(await list.json()).toMatchObject({ runs: [] });
    expect((await fetch(`${url}/api/holder`, { headers: ada })).status).toBe(403);
  });

  test('is a bug of the program where it cannot be used: the log says which field, the client nothing', async () => {
    const told: unknown[] = [];
    const vitrine = await vitrineIn({
      caller: () => ({ tenant: 'acme', who: 'ada', role: 'king' }) as never,
      log: { error: ({ cause }) => void told.push(cause) },
    });
    const answer = await asked(vitrine, '/api/runs');
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('king')]);
    expect(String(told[0])).toContain('role');
  });

  test('may look until then, where the program says until when', async () => {
    const waits = gate();
    const vitrine = await vitrineIn({
      config: { apps: { waits: waits.app } },
      caller: () => ({ tenant: 'acme', who: 'ada', role: 'member', expiresAt: Date.now() + 1_500 }),
    });
    const { run } = await vitrine.as({ tenant: 'acme', who: 'ada', role: 'member' }).start({ text: 'x' });
    const stream = await asked(vitrine, `/api/runs/${run}/events`, { accept: 'text/event-stream' });
    await expect(stream.text()).rejects.toThrow();
  });

  test('[IP14] is nobody any more once their time is over', async () => {
    const vitrine = await vitrineIn({
      config: { apps: { waits: gate().app } },
      caller: () => ({ tenant: 'acme', who: 'ada', role: 'member', expiresAt: Date.now() - 1 }),
    });
    const answer = await asked(vitrine, '/api/runs');
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('is over')]);
  });
});

test.for<{ of: string; headers: Record<string, string>; status: number }>([
  { of: 'a page of another site', headers: { origin: 'https://evil.example' }, status: 403 },
  { of: 'a name that is not the server’s', headers: { host: 'evil.example' }, status: 403 },
  { of: 'a page of its own', headers: { origin: 'http://localhost', host: 'localhost' }, status: 200 },
])('[IP5] $of', async ({ headers, status }) => {
  const vitrine = await echoing({ prefix: '' });
  const answer = await asked(vitrine, '/api/runs', { 'x-user': 'acme/ada', ...headers });
  expect(answer.status).toBe(status);
});

test('[IP2] [IP6] in Hono, by fetch: a client starts and follows below the prefix', async () => {
  const vitrine = await echoing();
  const app = new Hono();
  app.all('/agents/*', (context) => vitrine.fetch(context.req.raw));
  const client = clientAt('http://localhost', 'acme/ada', async (address, init) =>
    app.fetch(new Request(address as string, init)),
  );
  const { run } = await client.start({ text: 'hello' });
  const trees = await Array.fromAsync(client.follow(run));
  expect(trees.at(-1)?.answer).toBe('hello');
  expect(
    (
      await clientAt('http://localhost', 'evil/eve', async (...given) =>
        app.request(...(given as [string])),
      ).runs()
    ).runs,
  ).toEqual([]);
});

test('[IP6] a stream by fetch is told as it happens, and whoever leaves is gone', async () => {
  const waits = gate();
  const vitrine = await vitrineIn({ config: { apps: { waits: waits.app } }, caller });
  const ada = vitrine.as({ tenant: 'acme', who: 'ada', role: 'member' });
  const { run } = await ada.start({ text: 'x' });
  await waits.reached;
  const open = async (): Promise<number> => (await usage(vitrine)).streams.open;
  const stream = await asked(vitrine, `/api/runs/${run}/events`, {
    accept: 'text/event-stream',
    'x-user': 'acme/ada',
  });
  const reader = stream.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('id: 1');
  expect(await open()).toBe(1);
  await reader?.cancel();
  await expect.poll(open).toBe(0);
  waits.open();
});

test('[IP6] a connection that is cut at the program’s server leaves nothing open, and the viewer comes back', async () => {
  const waits = gate();
  const vitrine = await vitrineIn({ config: { apps: { waits: waits.app } }, caller, prefix });
  const server = createServer(vitrine.handler);
  const url = await serverOf(server);
  const client = clientAt(url, 'acme/ada');
  const { run } = await client.start({ text: 'x' });
  await waits.reached;
  const seen: string[] = [];
  for await (const tree of client.follow(run)) {
    seen.push(tree.status);
    if (seen.length > 1) continue;
    server.closeAllConnections();
    await expect.poll(async () => (await usage(vitrine, prefix)).streams.open).toBe(0);
    waits.open();
  }
  expect(seen.at(-1)).toBe('completed');
});

describe('[IP7] what the handler cannot answer it refuses with what to do', () => {
  test('a body that was read before', async () => {
    const vitrine = await echoing();
    const app = express();
    app.use(express.json());
    app.use(prefix, vitrine.handler);
    const client = clientAt(await serverOf(createServer(app)), 'acme/ada');
    await expect(client.start({ text: 'x' })).rejects.toThrow('before whatever reads bodies');
    expect(await client.apps()).toBeDefined();
  });

  test('HTTP/2', async () => {
    const vitrine = await echoing();
    const server = createHttp2(vitrine.handler as never);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const session = connectHttp2(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    const stream = session.request({ ':path': '/agents/api/runs', 'x-user': 'acme/ada' });
    expect((await Array.fromAsync(stream)).join('')).toContain('for HTTP/2, answer with «fetch»');
  });
});

test('[IP8] once it is closed the handler says so, as the client does', async () => {
  const vitrine = await echoing();
  const url = await serverOf(vitrine.handler);
  await vitrine.close();
  expect((await fetch(`${url}/agents/api/runs`, { headers: { 'x-user': 'acme/ada' } })).status).toBe(502);
  const answer = await asked(vitrine, '/agents/api/runs', { 'x-user': 'acme/ada' });
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('was closed')]);
});

test('what comes in pieces and is no request ends at the program’s server, not here', async () => {
  const vitrine = await echoing();
  const url = new URL(await serverOf(vitrine.handler));
  const socket = connect(Number(url.port), url.hostname);
  socket.end(
    'POST /agents/api/runs HTTP/1.1\r\nhost: localhost\r\nx-user: acme/ada\r\ncontent-length: 10\r\n\r\n{',
  );
  await new Promise((resolve) => socket.on('close', resolve).resume());
  expect((await asked(vitrine, '/agents/api/runs', { 'x-user': 'acme/ada' })).status).toBe(200);
});

function asked(vitrine: Vitrine, path: string, headers: Record<string, string> = {}): Promise<Response> {
  return vitrine.fetch(new Request(`http://localhost${path}`, { headers }));
}

async function usage(vitrine: Vitrine, below = ''): Promise<{ readonly streams: { readonly open: number } }> {
  const answer = await asked(vitrine, `${below}/api/usage`, { 'x-user': 'acme/ada' });
  return (await answer.json()) as Awaited<ReturnType<typeof usage>>;
}
