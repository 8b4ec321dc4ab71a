import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGzip, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../run/values.ts';
import { httpTools, type HttpToolsOptions } from './http.ts';
import { failureFrom, recordingContext, toolContract, type ToolCase } from '../tool.contract.ts';
import type { Tool } from '../tool.ts';

// 127.0.0.1 stands for the public internet and 127.0.0.9 for what must not be reached. No other address is ever tried.
const publicAddress = '127.0.0.1';
const privateAddress = '127.0.0.9';
const names: Record<string, string[]> = {
  'public.test': [publicAddress],
  'api.public.test': [publicAddress],
  'private.test': [privateAddress],
  'both.test': [publicAddress, privateAddress],
  'nowhere.test': [],
};

const servers: Server[] = [];
let open: number;
let secret: number;
let reached = 0;

async function listen(
  port: number,
  host: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<number> {
  const server = createServer(answer).listen(port, host);
  servers.push(server);
  await once(server, 'listening');
  server.on('connection', () => (reached += host === privateAddress ? 1 : 0));
  const { port: bound } = server.address() as AddressInfo;
  return bound;
}

beforeAll(async () => {
  const leak = (_: IncomingMessage, response: ServerResponse): void => void response.end('the secret');
  secret = await listen(0, privateAddress, leak);
  await listen(secret, publicAddress, leak);
  await listen(secret, '::1', leak).catch(() => undefined);
  open = await listen(0, publicAddress, answerOpen);
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

function answerOpen(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const type = (value: string) => response.setHeader('content-type', value);
  const routes: Record<string, () => void> = {
    '/text': () => void response.end('hello'),
    '/json': () => void (type('application/problem+json; charset=utf-8'), response.end('{"a":[1]}')),
    '/broken-json': () => void (type('application/json'), response.end('{"a"')),
    '/latin': () => void (type('text/plain; charset=iso-8859-1'), response.end(Buffer.from([0xfc]))),
    '/image': () => void (type('image/png'), response.end(Buffer.alloc(5000))),
    '/large': () => void response.end('ü'.repeat(5000)),
    '/gzip': () => void (response.setHeader('content-encoding', 'gzip'), response.end(gzipSync('packed'))),
    '/bomb': () => {
      response.setHeader('content-encoding', 'gzip');
      const zip = createGzip();
      zip.pipe(response);
      const zeros = Buffer.alloc(1_000_000, 'x');
      const more = (): void => void (response.destroyed || zip.write(zeros, more));
      more();
    },
    '/drip': () => void response.write('a'),
    '/silent': () => undefined,
    '/reset': () => void request.socket.resetAndDestroy(),
    '/cut': () =>
      void (response.writeHead(200, { 'content-length': '100' }),
      response.write('x'),
      setImmediate(() => request.socket.destroy())),
    '/missing': () => void ((response.statusCode = 404), response.end('no')),
    '/cookie': () => void response.setHeader('set-cookie', 'session=1').end('x'),
    '/redirect': () =>
      void response
        .writeHead(Number(searchParams.get('status') ?? 302), { location: searchParams.get('to') ?? '' })
        .end('moved'),
    '/loop': () => void response.writeHead(302, { location: '/loop' }).end(),
    '/echo': () => void echo(request, response),
  };
  (routes[pathname] ?? (() => void response.end()))();
}

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ method: request.method, headers: request.headers, body }));
}

const guard: HttpToolsOptions = {
  isAllowed: (address) => address === publicAddress,
  lookup: async (hostname) => names[hostname] ?? expect.fail(`looked up ${hostname}`),
};

function tool(name: string, options: HttpToolsOptions = guard): Tool {
  return httpTools(options).find((each) => each.name === name) ?? expect.fail(name);
}
const at = (path: string, host = 'public.test', port = open): string => `http://${host}:${port}${path}`;
const get = (path: string, options: HttpToolsOptions = {}): Promise<Json> =>
  tool('http_get', { ...guard, ...options }).run(
    { url: path.startsWith('/') ? at(path) : path },
    recordingContext(),
  );
const send = (input: { [key: string]: Json }, options: HttpToolsOptions = {}): Promise<Json> =>
  tool('http_send', { ...guard, ...options }).run(input, recordingContext());

toolContract('http_get', async (): Promise<ToolCase> => ({
  tool: tool('http_get'),
  good: { url: at('/text') },
  slow: { url: at('/silent') },
  failing: [
    { input: { url: 'file:///etc/passwd' }, names: '`url`' },
    { input: { url: at('/', 'private.test') }, names: '`url`' },
    { input: { url: at('/', 'nowhere.test') }, names: '`url`' },
    { input: { url: at('/text'), headers: { 'x-a': 'b\r\nx-c: d' } }, names: '`headers`' },
  ],
  secrets: ['the secret'],
}));
toolContract('http_send', async () => ({
  tool: tool('http_send'),
  good: { url: at('/echo'), json: { a: 1 } },
  slow: { url: at('/silent') },
  failing: [{ input: { url: at('/echo'), json: 1, body: 'b' }, names: '`body`' }],
  secrets: ['the secret'],
}));

test.for([
  'file:///etc/passwd',
  'ftp://public.test/',
  'data:text/plain,x',
  'javascript:1',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'gopher://public.test/',
  'public.test',
  'http://',
  'http://user:password@public.test/',
  'http://public.test@private.test/',
  'blob:http://public.test/x',
])('[T50] [S25] %s is refused', async (url) => {
  expect((await failureFrom(get(url))).message).toMatch(/`url`/);
});

const literals = [
  '127.0.0.9',
  '127.9',
  '127.0.9',
  '2130706441',
  '0x7f000009',
  '0x7f.9',
  '0177.0.0.011',
  '0x7f.0x0.0x0.0x9',
  '127.0.0.9.',
  '127.0.0.%39',
  '①②⑦.⓪.⓪.⑨',
  '[::ffff:127.0.0.9]',
  '[::ffff:7f00:9]',
  '[0:0:0:0:0:ffff:7f00:0009]',
];

test.for(literals)(
  '[T51] [S21] the literal %s does not get through, and is not even connected to',
  async (host) => {
    const before = reached;
    const failure = await failureFrom(
      get(at('/', host, secret), { isAllowed: (address) => address === publicAddress }),
    );
    expect(failure.code).toBe('refused');
    expect(reached).toBe(before);
  },
);

test.for([...literals, '127.0.0.1', '0.0.0.0', '0', '[::]', '[::1]', '[::ffff:127.0.0.1]', 'localhost'])(
  '[T51] [S21] %s does not get through with the usual guard',
  async (host) => {
    const [http] = httpTools();
    const call = http?.run({ url: at('/', host, secret) }, recordingContext()) ?? expect.fail('no tool');
    expect((await failureFrom(call)).code).toBe('refused');
  },
);

test('[T51] [S21] the control: without the guard every literal leaks', async () => {
  for (const host of literals) {
    const result = await get(at('/', host, secret), { isAllowed: () => true });
    expect(result).toMatchObject({ body: 'the secret' });
  }
});

test.for(['127.0.0.9', '2130706441', '[::ffff:127.0.0.9]', 'private.test', 'both.test'])(
  '[T52] [S22] a redirect to %s is refused',
  async (host) => {
    const before = reached;
    const to = encodeURIComponent(at('/', host, secret));
    expect((await failureFrom(get(`/redirect?to=${to}`))).code).toBe('refused');
    expect(reached).toBe(before);
    const leaky = await get(`/redirect?to=${to}`, { isAllowed: () => true });
    expect(leaky).toMatchObject({ body: 'the secret' });
  },
);

test.for(['file:///etc/passwd', 'javascript:1', 'http://user:x@public.test/'])(
  '[T52] [S22] a redirect to %s is refused',
  async (to) => {
    expect((await failureFrom(get(`/redirect?to=${encodeURIComponent(to)}`))).code).toBe('refused');
  },
);

test('[T52] redirects are followed, relative ones too, but not for ever', async () => {
  expect(await get('/redirect?to=/redirect?to=/text')).toMatchObject({
    status: 200,
    url: at('/text'),
    body: 'hello',
  });
  expect((await failureFrom(get('/loop'))).message).toMatch(/more than 5 times/);
});

test('[T52] headers go to the host they were meant for and to no other', async () => {
  const headers = { authorization: 'Bearer secret', 'x-key': 'secret', accept: 'application/json' };
  const call = (to: string) =>
    tool('http_get').run({ url: at(`/redirect?to=${encodeURIComponent(to)}`), headers }, recordingContext());
  expect(await call('/echo')).toMatchObject({ body: { headers } });
  const elsewhere = JSON.stringify(await call(at('/echo', 'api.public.test')));
  expect(elsewhere).toContain('application/json');
  expect(elsewhere).not.toContain('secret');
});

test('[T53] [S23] a name is refused if any of its addresses is', async () => {
  expect((await failureFrom(get(at('/', 'both.test', secret)))).code).toBe('refused');
});

test('[T53] [S23] a name that changes its address between two requests is caught at the second', async () => {
  const answers = [[publicAddress], [privateAddress]];
  const before = reached;
  const call = get(`/redirect?to=${encodeURIComponent(at('/', 'rebind.test', secret))}`, {
    lookup: async () => answers.shift() ?? expect.fail('looked up too often'),
  });
  expect((await failureFrom(call)).code).toBe('refused');
  expect(reached).toBe(before);
});

test('[T53] [S23] the address that is connected in the end is checked too', async () => {
  const asked: string[] = [];
  const isAllowed = (address: string): boolean => asked.push(address) === 1;
  expect((await failureFrom(get('/text', { isAllowed }))).code).toBe('refused');
  expect(asked).toStrictEqual([publicAddress, publicAddress]);
});

test('[T55] hosts can be allowed and denied, also in a redirect', async () => {
  expect(await get('/text', { allow: ['public.test'] })).toMatchObject({ body: 'hello' });
  expect(
    await get(at('/text', 'PUBLIC.test.'), { allow: ['public.test'], lookup: async () => [publicAddress] }),
  ).toMatchObject({ body: 'hello' });
  expect(await get(at('/text', 'api.public.test'), { allow: ['*.public.test'] })).toMatchObject({
    body: 'hello',
  });
  for (const options of [
    { allow: [] },
    { allow: ['*.public.test'] },
    { allow: ['ublic.test'] },
    { deny: ['public.test'] },
    { allow: ['public.test'], deny: ['public.test'] },
    { ports: [443] },
  ]) {
    expect((await failureFrom(get('/text', options))).code).toBe('refused');
  }
  expect(await get('/text', { ports: [open] })).toMatchObject({ body: 'hello' });
  const to = encodeURIComponent(at('/text', 'api.public.test'));
  expect((await failureFrom(get(`/redirect?to=${to}`, { deny: ['api.public.test'] }))).code).toBe('refused');
});

test.for([
  ['x-a', 'b\r\nhost: evil'],
  ['x-a', 'b\nc'],
  ['x-a', 'b\0'],
  ['x-a', '\u0142'],
  ['x a', 'b'],
  ['x-a\r\nx-b', 'c'],
  ['', 'x'],
  ['Host', 'private.test'],
  ['content-length', '0'],
  ['Transfer-Encoding', 'chunked'],
  ['Connection', 'upgrade'],
  ['proxy-authorization', 'x'],
] as const)('[T56] [S25] the header %j: %j is refused', async ([name, value]) => {
  const call = tool('http_get').run({ url: at('/echo'), headers: { [name]: value } }, recordingContext());
  expect((await failureFrom(call)).message).toContain('`headers`');
});

test('[T57] an answer is cut at its limit, which counts what comes out of the compression', async () => {
  expect(await get('/large', { limits: { bytes: 9 } })).toMatchObject({
    body: 'üüüü',
    note: 'Only the first 9 bytes of the answer are given.',
  });
  expect(await get('/gzip')).toMatchObject({ body: 'packed' });
  expect(await get('/bomb', { limits: { bytes: 100_000 } })).toMatchObject({
    body: 'x'.repeat(100_000),
    note: expect.any(String),
  });
});

test.for(['/silent', '/drip'])('[T57] %s is given up after the time limit', async (path) => {
  expect((await failureFrom(get(path, { limits: { seconds: 0.2 } }))).code).toBe('timed-out');
});

test('[T58] the answer is JSON or text as its type says, and nothing else', async () => {
  expect(await get('/json')).toStrictEqual({
    status: 200,
    url: at('/json'),
    headers: { 'content-type': 'application/problem+json; charset=utf-8' },
    body: { a: [1] },
  });
  expect(await get('/broken-json')).toMatchObject({ body: '{"a"' });
  expect(await get('/latin')).toMatchObject({ body: 'ü' });
  expect(await get('/image')).toMatchObject({ body: null, note: expect.stringContaining('image/png') });
  expect(await get('/missing')).toMatchObject({ status: 404, body: 'no' });
  expect(JSON.stringify(await get('/cookie'))).not.toContain('session');
  const head = tool('http_get').run({ url: at('/text'), method: 'HEAD' }, recordingContext());
  expect(await head).toMatchObject({ status: 200, body: '' });
});

test('[T58] a failure says what failed, and that it may be tried again', async () => {
  for (const path of ['/reset', '/cut']) {
    expect(await failureFrom(get(path))).toMatchObject({
      code: 'unavailable',
      retryable: true,
      message: expect.stringContaining(`GET public.test:${open} failed`),
    });
  }
});

test('[T59] sending is done once, with a person agreeing, and with the key of the call', async () => {
  expect(tool('http_send')).toMatchObject({ effect: 'once', approval: 'always' });
  expect(tool('http_get')).toMatchObject({ effect: 'pure' });
  const [, asking] = httpTools({ ...guard, approval: 'never' });
  expect(asking?.approval).toBe('never');
  expect(await send({ url: at('/echo'), json: { a: 1 } })).toMatchObject({
    body: {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'key-1' },
    },
  });
  expect(
    await send({ url: at('/echo'), method: 'PUT', body: 'x', headers: { 'idempotency-key': 'mine' } }),
  ).toMatchObject({
    body: { method: 'PUT', body: 'x', headers: { 'idempotency-key': 'mine' } },
  });
});

test('[T59] sending follows no redirect, so nothing goes where nobody agreed to', async () => {
  const call = send({ url: at('/redirect?status=307&to=/echo'), body: 'x' });
  expect(await call).toMatchObject({ status: 307, headers: { location: '/echo' }, body: 'moved' });
});

test('[T59] a request that was sent and not answered is not said to have failed for certain', async () => {
  const failure = await failureFrom(send({ url: at('/reset') }));
  expect(failure.message).toMatch(/whether the request was carried out is not known/);
  expect(failure.retryable).toBe(false);
  const late = await failureFrom(send({ url: at('/silent') }, { limits: { seconds: 0.2 } }));
  expect(late.message).toMatch(/whether the request was carried out is not known/);
});
