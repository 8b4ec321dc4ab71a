import { connect } from 'node:net';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { Role } from '../../src/server/access/honest.ts';
import type { ServerContext } from '../../src/server/context.ts';
import { route, type Route } from '../../src/server/routes/route.ts';
import { routeTable } from '../../src/server/routes/table.ts';
import {
  appWith,
  keyAt,
  keyIn,
  serving,
  shareServing,
  temporaryFolder,
  textAt,
  untilAnswer,
  type Answered,
  type Serving,
} from '../serving.ts';

const anybody = ['/healthz', '/readyz', '/api/sign-in', '/api/sign-out', '/openapi.json'];
const secret = 'canary-5f1c0d9e-"quoted"';
const tag = 'belongs-to-acme';

/** Everything a tenant may have, so that every route has something to be about. */
interface Things {
  readonly run: string;
  readonly ended: string;
  readonly conversation: string;
  readonly approval: string;
  readonly file: string;
}

let at: Serving;
let mine: string;
let theirs: string;
let things: Things;
/** Requests that are begun at once and never ended: what they are answered takes half a minute. */
let endless: Promise<readonly string[]>;

beforeAll(() => shareServing(open));

async function open(): Promise<void> {
  const data = temporaryFolder();
  mine = keyIn(data, { name: 'ana', tenant: 'acme', role: 'operator' });
  theirs = keyIn(data, { name: 'eve', tenant: 'evil', role: 'operator' });
  process.env['ROUTE_WALK_SECRET'] = secret;
  at = await serving({
    data,
    config: {
      auth: { required: true },
      models: { m: { baseUrl: 'http://127.0.0.1:1/v1', model: 'm', key: { env: 'ROUTE_WALK_SECRET' } } },
      apps: {
        asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: tag })).decision, 'asks'),
        blurts: appWith(async (scope) => {
          await scope.step({ key: 's', title: secret, query: secret }, async (step) => {
            step.say(secret);
            step.notice('ALOUD', secret);
            throw new Error(`it broke at ${secret}`);
          });
          return secret;
        }, 'blurts'),
      },
    },
  });
  endless = endlessAnswers();
  things = await acmeThings();
}

function endlessAnswers(): Promise<readonly string[]> {
  const { host } = new URL(at.url);
  const head = `POST /api/runs HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${mine}\r\n`;
  const body = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
  const texts = ['GET /hea', `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `, `${head}${body}`];
  return Promise.all(texts.map((text) => rawAnswer(text, { keepOpen: true })));
}

async function acmeThings(): Promise<Things> {
  const key = mine;
  const start = await at.ask('/api/runs', { key, json: { app: 'asks', input: { text: tag } } });
  const run = textAt(start, 'run');
  const list = await untilAnswer(
    () => at.ask('/api/approvals', { key }),
    ({ text }) => text.includes(run),
  );
  const kept = await at.ask('/api/files?name=a.txt', {
    key,
    body: tag,
    headers: { 'content-type': 'text/plain' },
  });
  const other = textAt(
    await at.ask('/api/runs', { key, json: { app: 'blurts', input: { text: tag } } }),
    'run',
  );
  await at.ask(`/api/runs/${other}/events`, { key });
  return {
    run,
    ended: other,
    conversation: textAt(start, 'conversation'),
    approval: textAt(list, 'approvals', 0, 'id'),
    file: textAt(kept, 'file'),
  };
}

function pathOf({ path }: Route): string {
  // It has no end of its own.
  if (path === '/api/logs') return `${path}?follow=false`;
  return path.replaceAll(/:(\w+)/g, (_, name: string) => String(Reflect.get(things, name)));
}

/** Ask at a route, on whatever it speaks. What a socket is refused with is its answer. */
async function askRoute(
  each: Route,
  asking: Parameters<Serving['ask']>[1] = {},
): Promise<Pick<Answered, 'status' | 'text'>> {
  if (each.method === 'WS') return askSocket(pathOf(each), asking.key);
  const { method } = each;
  const isEmpty = asking.json === undefined && asking.body === undefined;
  return at.ask(pathOf(each), { method, ...(method === 'POST' && isEmpty ? { json: {} } : {}), ...asking });
}

function askSocket(path: string, key: string | undefined): Promise<Pick<Answered, 'status' | 'text'>> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}${path}`, { headers });
  return new Promise((resolve) => {
    socket.on('open', () => resolve({ status: 101, text: '' }));
    socket.on('unexpected-response', (_, response) =>
      resolve({ status: response.statusCode ?? 0, text: '' }),
    );
    socket.on('error', ({ message }) => resolve({ status: 0, text: message }));
  }).finally(() => socket.terminate()) as Promise<Pick<Answered, 'status' | 'text'>>;
}

const routes = routeTable.map((each) => ({ name: `${each.method} ${each.path}`, each }));
const kinds: readonly string[] = ['run', 'conversation', 'approval', 'file'];
const owned = routes.filter(({ each }) => kinds.includes(each.addresses));
/** They tell what is wrong inside an answer of 200, as their protocol wants it. */
const rpc = ['a2a', 'mcp'];
const closed = routes.filter(({ each }) => each.addresses !== 'anyone');

describe('the table', () => {
  test('has routes of every kind', () => {
    expect(routes.length).toBeGreaterThan(30);
    expect(owned.length).toBeGreaterThan(15);
    expect(new Set(routes.map(({ each }) => each.addresses)).size).toBe(6);
  });

  test('a route that does not say what it addresses is none', () => {
    const spec = {
      method: 'GET',
      path: '/x',
      about: '',
      tag: '',
      role: 'viewer',
      answers: {},
      handle: () => ({ status: 200 }),
    };
    expect(() => route(spec as never)).toThrow('does not say what it addresses');
  });

  test('only these are open to anybody, and none of them has anything of anybody', () => {
    const open = routes.filter(({ each }) => each.addresses === 'anyone').map(({ each }) => each);
    const [pages, others] = [
      open.filter(({ tag: of }) => of === 'page'),
      open.filter(({ tag: of }) => of !== 'page'),
    ];
    expect(others.map(({ path }) => path).toSorted()).toEqual(anybody.toSorted());
    // Files of the product, the same for everybody.
    expect(pages.length).toBeGreaterThan(0);
    for (const { method, path, query, body } of pages) {
      expect([method, query, body], path).toEqual(['GET', undefined, undefined]);
      expect(path).toMatch(/^\/([a-z]+(\/:?[a-z]+)*)?$/);
    }
  });

  test('a route with a name in its address is about the thing of that name', () => {
    for (const { each } of closed) {
      const names = [...each.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
      const things = names.filter((name) => kinds.includes(name));
      expect(things, each.path).toEqual(kinds.includes(each.addresses) ? [each.addresses] : []);
    }
  });

  test('a handler is not reached for what is somebody else’s, whatever it would do', async () => {
    let reached = 0;
    for (const addresses of ['run', 'conversation', 'approval', 'file'] as const) {
      const planted = route({
        method: 'GET',
        path: `/:${addresses}`,
        about: '',
        tag: '',
        role: 'viewer',
        addresses,
        answers: {},
        handle: () => ({ status: 200 + (reached += 1) }),
      });
      const params = {
        run: things.run,
        conversation: things.conversation,
        approval: things.approval,
        file: things.file,
      };
      const context: ServerContext = at.server.context;
      const caller = { tenant: 'evil', who: 'eve', role: 'operator' } as const;
      const source = { address: '127.0.0.1', isTls: false, prefix: '' };
      const asker = { heavy: async () => {}, left: () => new AbortController().signal };
      const asked = {
        context,
        params,
        query: {},
        body: undefined,
        header: () => undefined,
        source,
        ...asker,
      };
      await expect(planted.answer({ ...asked, caller })).rejects.toMatchObject({
        failure: { code: 'unknown' },
      });
      await expect(planted.answer({ ...asked, caller: undefined })).rejects.toMatchObject({
        failure: { code: 'unauthenticated' },
      });
    }
    expect(reached).toBe(0);
  });
});

describe('[S01] without a key, or with one that is not good', () => {
  test.for(closed)('$name answers nothing', async ({ each }) => {
    const keys = [undefined, '', 'wrong', `${mine}x`, 'vit_000000000000_'.padEnd(60, 'a')];
    for (const key of keys) {
      const answer = await askRoute(each, key === undefined ? {} : { key });
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain(tag);
    }
  });
});

describe('[S01] a stranger', () => {
  test.for(closed.filter(({ each }) => each.method === 'POST'))(
    'is turned away from $name before anything is taken of what they send',
    async ({ each }) => {
      // More than is taken anywhere, and no JSON: whoever looked at it would say so.
      const { host } = new URL(at.url);
      const head = `POST ${pathOf(each)} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
      const answer = await rawAnswer(`${head}Content-Length: 900000000\r\n\r\n{{{`);
      expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    },
  );
});

describe('[S08] [S10] by roles', () => {
  const roles = Role.options;
  const matrix = closed.flatMap(({ name, each }) =>
    roles
      .filter((role) => roles.indexOf(role) < roles.indexOf(each.role))
      .map((role) => ({ name, each, role })),
  );

  test.for(matrix)('$name is not for a $role', async ({ name, each, role }) => {
    const key = await keyAt(at, { name: `${role} for ${name}`, tenant: 'acme', role });
    const answer = await askRoute(each, { key });
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain(tag);
  });

  /** A graph is looked at, and nothing is kept of it. */
  const onlyLooks = [
    'POST /workflows/build',
    'POST /workflows/canvas/to-backend',
    'POST /workflows/backend/to-canvas',
  ];

  test('who changes, decides, sends or starts anything is at least a member, and all of it was tried', () => {
    const changes = closed.filter(({ each }) => ['POST', 'DELETE'].includes(each.method));
    expect(changes.length).toBeGreaterThan(10);
    for (const { name, each } of changes)
      if (!onlyLooks.includes(name)) expect(each.role, name).not.toBe('viewer');
    expect(matrix.length).toBeGreaterThan(changes.length);
    const decide = matrix.find(({ name }) => name === 'POST /api/approvals/:approval');
    expect(decide?.role).toBe('viewer');
  });
});

describe('[S06] [S07] [S08] with the key of another tenant', () => {
  test.for(owned)('$name is not there', async ({ each }) => {
    expect((await askRoute(each, { key: theirs })).status).toBe(404);
  });

  test.for(owned.filter(({ each }) => each.method !== 'WS'))(
    '$name says the same of what is another’s and of what is not',
    async ({ each }) => {
      const theirId = pathOf(each);
      const real = String(Reflect.get(things, each.addresses));
      const none = `${real.slice(0, 8)}${real.slice(8).replaceAll(/[0-9a-z]/g, (sign) => (sign === '0' ? '1' : '0'))}`;
      const about = async (path: string, id: string): Promise<string> => {
        const { status, text } = await at.ask(path, {
          key: theirs,
          method: each.method,
          ...(each.method === 'POST' ? { json: {} } : {}),
        });
        return `${status} ${text.replaceAll(id, 'ID')}`;
      };
      expect(await about(theirId, real)).toBe(await about(theirId.replace(real, none), none));
    },
  );

  test('[S07] a cursor of another’s run is no way to it, and tells nothing of it', async () => {
    const start = await at.ask('/api/runs', { key: theirs, json: { app: 'asks', input: { text: 'mine' } } });
    const own = textAt(start, 'run');
    const paths = [
      (id: string) => `/api/runs/${own}/events?after=${id}:1`,
      (id: string) => `/api/runs?after=${id}`,
      (id: string) => `/api/approvals?after=${id}`,
      (id: string) => `/api/conversations?after=${id}`,
    ];
    for (const path of paths) {
      const [real, none] = [things.run, 'run_0000000000000000000'];
      const [one, other] = [
        await at.ask(path(real), { key: theirs }),
        await at.ask(path(none), { key: theirs }),
      ];
      expect(one.status).toBeGreaterThanOrEqual(400);
      expect(one.text.replaceAll(real, 'ID')).toBe(other.text.replaceAll(none, 'ID'));
    }
    const header = { 'last-event-id': `${things.run}:1` };
    expect((await at.ask(`/api/runs/${own}/events`, { key: theirs, headers: header })).status).toBe(409);
    await at.ask(`/api/runs/${own}/stop`, { key: theirs, json: {} });
  });

  // The process that holds a folder is told to its owner alone, at the socket in it; the feed goes on for ever.
  const notHere = ['/api/holder', '/api/holder/tenants', '/api/feed'];
  // Without what they are asked about, they have nothing to show.
  const wantsMore = ['/.well-known/agent-card.json', '/mcp', '/api/chat/messages', '/api/trace/logs'];
  const shown = closed.filter(({ each }) => !notHere.includes(each.path));
  test.for(shown.filter(({ each }) => !each.path.includes(':') && each.method === 'GET'))(
    '$name shows nothing of the other',
    async ({ each }) => {
      const answer = await askRoute(each, { key: theirs });
      expect(wantsMore.includes(each.path) ? [400, 404, 405, 406] : [200]).toContain(answer.status);
      for (const id of Object.values(things)) expect(answer.text).not.toContain(id);
      expect(answer.text).not.toContain(tag);
    },
  );

  test('GET /api/feed shows nothing of the other, and what is their own', async () => {
    const headers = { authorization: `Bearer ${theirs}` };
    const left = new AbortController();
    const response = await fetch(`${at.url}/api/feed`, { headers, signal: left.signal });
    expect(response.status).toBe(200);
    const own = textAt(
      await at.ask('/api/runs', { key: theirs, json: { app: 'blurts', input: { text: 'ours' } } }),
      'run',
    );
    let told = '';
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      told += piece;
      if (told.includes(own)) break;
    }
    left.abort();
    for (const id of Object.values(things)) expect(told).not.toContain(id);
    expect(told).not.toContain(tag);
  });

  test.for([
    () => `/api/runs?after=${things.run}`,
    () => `/api/runs?conversation=${things.conversation}`,
    () => `/api/approvals?run=${things.run}`,
    () => `/api/approvals?after=${things.run}`,
    () => `/api/conversations?after=${things.run}`,
  ])('a list that goes on after what is the other’s shows nothing of it', async (path) => {
    const answer = await at.ask(path(), { key: theirs });
    expect([200, 404]).toContain(answer.status);
    expect(answer.text).not.toContain(tag);
  });

  test('runs do not join conversations of the other, nor take their files', async () => {
    const start = (json: object): Promise<Answered> =>
      at.ask('/api/runs', { key: theirs, json: { app: 'asks', ...json } });
    expect((await start({ input: { text: 'x' }, conversation: things.conversation })).status).toBe(404);
    const attachments = [{ file: things.file }];
    expect((await start({ input: { text: 'x', attachments } })).status).toBe(404);
  });

  test('the owner is let in everywhere', async () => {
    // Only a run of a workflow has a graph.
    for (const { each } of owned.filter(
      ({ each: one }) => one.method === 'GET' && !/events|stream|graph/.test(one.path),
    ))
      expect((await askRoute(each, { key: mine })).status, each.path).toBe(200);
    expect((await askSocket(`/ws/runs/${things.run}`, mine)).status).toBe(101);
  });
});

describe('[S10] [S44] [S47] [S51] with a body that is not what it should be', () => {
  const posts = closed.filter(
    ({ each }) =>
      each.method === 'POST' && each.body !== 'bytes' && each.body !== undefined && !rpc.includes(each.tag),
  );
  const headers = { 'content-type': 'application/json' };
  const bodies: readonly (readonly [string, string, number])[] = [
    ['no JSON', '{"a":', 400],
    ['a list', '[]', 400],
    ['nothing but a word', '"text"', 400],
    ['an unknown field', '{"tenant":"evil","epoch":9}', 400],
    ['a prototype', '{"__proto__":{"role":"operator"}}', 400],
    ['a constructor', '{"constructor":{"prototype":{"role":"operator"}}}', 400],
    ['a field twice', '{"text":"a","text":"b"}', 400],
    ['100,000 levels', `{"a":${'['.repeat(100_000)}`, 400],
    ['more than a megabyte', `{"a":"${'x'.repeat(1_100_000)}"}`, 413],
    ['a huge number', '{"until":1e999,"decision":"defer"}', 400],
  ];
  test.for(posts)('$name refuses it', async ({ each }) => {
    expect(posts.length).toBeGreaterThan(6);
    for (const [what, body, status] of bodies) {
      const answer = await askRoute(each, { key: mine, body, headers });
      // A graph may be larger than what else is sent, and then has fields that are not known.
      const isGraph = status === 413 && each.bodyLimit !== undefined;
      expect([isGraph ? 400 : status, 409], what).toContain(answer.status);
      expectDiscreet(answer.text);
    }
    expect(Reflect.get({}, 'role')).toBeUndefined();
  });

  test.for(closed.filter(({ each }) => rpc.includes(each.tag) && each.method === 'POST'))(
    '$name says so in its own words',
    async ({ each }) => {
      for (const [what, body] of bodies) {
        const path = each.path.replace(':app', 'asks');
        const answer = await at.ask(path, { method: 'POST', key: mine, body, headers });
        expect(answer.status, what).toBeLessThan(500);
        expect(answer.text, what).toContain('"error"');
        expectDiscreet(answer.text);
      }
      expect(Reflect.get({}, 'role')).toBeUndefined();
    },
  );

  test('a file that is too large is refused, and an empty one', async () => {
    const send = (body: string): Promise<Answered> =>
      at.ask('/api/files', { key: mine, body, headers: { 'content-type': 'x/y' } });
    expect((await send('x'.repeat(21 * 1024 * 1024))).status).toBe(413);
    expect((await send('')).status).toBe(400);
  });
});

describe('[S51] [S55] whatever is asked', () => {
  test('is answered without a bug, a stack, a path or a secret, and with the safe headers', async () => {
    const nasty = fc.oneof(
      fc.string({ maxLength: 40, unit: 'binary' }),
      fc.constantFrom(
        '..%2f..%2fetc%2fpasswd',
        '%00',
        '%E0%A4%A',
        "' OR 1=1 --",
        '${7*7}',
        '<script>',
        '__proto__',
        'constructor',
      ),
    );
    const plain = routes.filter(({ each }) => each.method !== 'WS' && !/events|stream/.test(each.path));
    const asking = fc.record({
      route: fc.constantFrom(...plain),
      id: nasty,
      query: nasty,
      body: nasty,
      key: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(asking, async ({ route: { each }, id, query, body, key }) => {
        const path = each.path.replaceAll(/:\w+/g, encode(id));
        const answer = await at.ask(`${path}?${encode(query)}=${encode(query)}`, {
          method: each.method,
          ...(key ? { key: mine } : {}),
          ...(each.method === 'POST'
            ? { body: JSON.stringify({ text: body }), headers: { 'content-type': 'application/json' } }
            : {}),
        });
        expect(answer.status).toBeLessThan(500);
        if (each.path !== '/metrics' && each.path !== '/openapi.json') expectDiscreet(answer.text);
        for (const name of [
          'content-security-policy',
          'x-content-type-options',
          'referrer-policy',
          'x-frame-options',
        ])
          expect(answer.headers.get(name), name).toBeTruthy();
      }),
      { numRuns: 300 },
    );
    expect(at.problems.filter(({ message }) => message === 'A request failed.')).toEqual([]);
  });

  test('[S51] at a socket, too', async () => {
    const nasty = [
      '..%2f..%2fkeys.json',
      '%00',
      '%E0%A4%A',
      "'%20OR%201=1--",
      '__proto__',
      'x'.repeat(2_000),
    ];
    const queries = ['after=-1', 'after=1&after=2', 'as=constructor', '__proto__[a]=1', 'depth=9e9'];
    const sockets = routes.filter(({ each }) => each.method === 'WS');
    for (const { path } of sockets.map(({ each }) => each)) {
      const isOfRun = path.includes(':run');
      if (isOfRun) for (const id of nasty) await expectRefused(path.replace(':run', id));
      for (const query of queries.filter((one) => isOfRun || one.startsWith('after')))
        await expectRefused(`${path.replace(':run', things.run)}?${query}`);
    }
    expect(at.problems.map(({ message }) => message)).not.toContain('A socket could not be opened.');
  });

  test('[S35] a secret that a run says aloud leaves the server on no way', async () => {
    const { ended } = things;
    const key = mine;
    const paths = ['steps', 'console', 'console-dotted', 'execution'].map(
      (as) => `/api/runs/${ended}/events?as=${as}`,
    );
    paths.push(
      `/api/runs/${ended}`,
      `/api/runs/${ended}/entries`,
      `/workflows/execution/${ended}/steps`,
      '/metrics',
    );
    for (const path of paths) {
      const { text } = await at.ask(path, { key });
      expect(text.length, path).toBeGreaterThan(100);
      expect(text, path).not.toContain('canary-5f1c0d9e');
    }
    const stream = await at.ask(paths[0] ?? '', { key });
    expect(stream.text).toContain('[redacted]');
    // An exception of the flow's own is told with its words, and where it was thrown within the project.
    expect(stream.text).toContain('it broke at [redacted]');
    expect(stream.text).not.toContain(process.cwd());
    const messages: string[] = [];
    await new Promise<void>((resolve) => {
      const socket = new WebSocket(`${at.url.replace('http', 'ws')}/ws/runs/${ended}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      socket.on('message', (data: Buffer) => messages.push(data.toString()));
      socket.on('close', () => resolve());
    });
    expect(messages.join('')).not.toContain('canary-5f1c0d9e');
  });

  test.for([
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}'],
    [
      'a length and chunks',
      'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n',
    ],
    ['chunks in disguise', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a folded header', 'X-Fold: a\r\n b\r\n\r\n'],
    ['a name with a space', 'Content-Length : 2\r\n\r\n{}'],
    ['a bare line feed', 'X-A: b\nContent-Length: 2\r\n\r\n{}'],
    ['a length that is none', 'Content-Length: +2\r\n\r\n{}'],
  ] as const)('[S53] a request with %s is refused, and nothing after it is read', async ([, rest]) => {
    const { host } = new URL(at.url);
    const head = `POST /api/runs HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${mine}\r\nContent-Type: application/json\r\n`;
    const answer = await rawAnswer(head + rest);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expectDiscreet(answer);
    expectSafe(answer);
  });

  test.for([
    ['host', 'evil.example'],
    ['authorization', 'Bearer other'],
    ['content-type', 'text/plain'],
    ['idempotency-key', 'other'],
    ['origin', 'https://evil.example'],
  ] as const)(
    '[S53] a request whose «%s» stands twice is refused, though the first one is fine',
    async ([name, value]) => {
      const { host } = new URL(at.url);
      const body = '{"app":"asks","input":{"text":"x"},"nonsense":1}';
      const all = {
        host,
        authorization: `Bearer ${mine}`,
        'content-type': 'application/json',
        'idempotency-key': 'k',
        origin: at.url,
      };
      const lines = Object.entries(all).map(([header, fine]) => `${header}: ${fine}`);
      const head = `POST /api/runs HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n`;
      expect(await rawAnswer(`${head}\r\n${body}`)).toContain('«nonsense» is not known here');
      const answer = await rawAnswer(`${head}${name}: ${value}\r\n\r\n${body}`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain(`The header «${name}» stands twice`);
    },
  );

  test.for([
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['nonsense', 'HELLO\r\n\r\n', 400],
    ['no name', 'GET /api/me HTTP/1.1\r\n\r\n', 400],
    ['headers without end', `GET /healthz HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['something to expect', 'POST /api/runs HTTP/1.1\r\nHost: HOST\r\nExpect: wonders\r\n\r\n', 417],
    ['another method', 'TRACE /api/me HTTP/1.1\r\nHost: HOST\r\n\r\n', 405],
    [
      'an upgrade to what there is not',
      'GET /api/me HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      404,
    ],
    [
      'a socket without a key',
      'GET /ws/runs/x HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      401,
    ],
  ] as const)(
    '[S51] [S53] [S55] %s is refused like everything else, with the safe headers',
    async ([, text, status]) => {
      const answer = await rawAnswer(text.replace('HOST', new URL(at.url).host));
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expectSafe(answer);
      expectDiscreet(answer);
      expect(answer).toMatch(/\{"error":\{"code":"[a-z-]+","message":"[^"]+\."\}\}$/);
    },
  );

  test('[S48] a request that never ends is ended, wherever it stops', async () => {
    for (const answer of await endless) expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });
});

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed().slice(0, 200)) || 'x';
}

async function expectRefused(path: string): Promise<void> {
  const { host } = new URL(at.url);
  const answer = await rawAnswer(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${mine}\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  expect(answer, path).toMatch(/^HTTP\/1\.1 4\d\d /);
  expectSafe(answer);
  expectDiscreet(answer);
}

function expectSafe(answer: string): void {
  for (const name of [
    'content-security-policy: default-src',
    'x-content-type-options: nosniff',
    'cache-control: no-store',
  ])
    expect(answer.toLowerCase()).toContain(name);
}

function expectDiscreet(text: string): void {
  expect(text).not.toMatch(/\bat \w+.*:\d+:\d+|node_modules|\/work\/|\/tmp\/|\.ts\b|SELECT |ROUTE_WALK/);
  expect(text).not.toContain(secret);
}

function rawAnswer(text: string, { keepOpen = false } = {}): Promise<string> {
  const { hostname, port } = new URL(at.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => {
      answer += piece;
      if (!keepOpen) setImmediate(() => socket.end());
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
