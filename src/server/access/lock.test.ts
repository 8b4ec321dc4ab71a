import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { appWith, keyIn, serving, temporaryFolder, textAt, type Serving } from '../../../test/serving.ts';

const apps = {
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};

type Headers = Readonly<Record<string, string>>;

/** Who somebody is who comes with these headers and no key, and what they are told. */
function strangerAt({ url }: Serving, headers: Headers): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(`${url}/api/me`, { headers: { ...headers } }, (answer) => {
      const { statusCode: status = 0 } = answer;
      answer.toArray().then((pieces) => resolve({ status, text: pieces.join('') }), reject);
    });
    asking.on('error', reject);
    asking.end();
  });
}

describe('[V17] a server that others may reach asks for a key', () => {
  test('[S60] as the guide of proxies sets it up: a host is named, the request was forwarded', async () => {
    const at = await serving({ config: { apps, server: { hosts: ['vitrine.example'] } } });
    const forwarded = { host: 'vitrine.example', 'x-forwarded-for': '203.0.113.9' };
    expect(await strangerAt(at, forwarded)).toMatchObject({ status: 401 });
    expect(await strangerAt(at, {})).toMatchObject({ status: 401 });
    const authorization = `Bearer ${keyIn(at.data)}`;
    expect(await strangerAt(at, { ...forwarded, authorization })).toMatchObject({ status: 200 });
  });

  test.for([
    ['a host', { hosts: ['vitrine.example'] }],
    ['a host beside local ones', { hosts: ['localhost', '10.1.2.3'] }],
    ['a name that only looks local', { hosts: ['localhost.example'] }],
    ['a web site', { origins: ['https://app.example'] }],
    ['a proxy', { proxies: ['127.0.0.1'] }],
  ] as const)('where %s is named', async ([, server]) => {
    const at = await serving({ config: { apps, server: structuredClone(server) as object } });
    expect((await at.ask('/api/me')).status).toBe(401);
    expect((await at.ask('/api/me', { key: keyIn(at.data) })).status).toBe(200);
  });

  test('and one that names this machine alone does not', async () => {
    const server = {
      hosts: ['localhost', '127.0.0.2', '[::1]'],
      origins: ['http://localhost:5173', 'http://127.0.0.1:5173'],
    };
    const at = await serving({ config: { apps, server } });
    expect((await at.ask('/api/me')).json).toMatchObject({ role: 'operator' });
  });
});

const forwardings: readonly Headers[] = [
  { 'x-forwarded-for': '203.0.113.9' },
  { 'x-forwarded-host': 'vitrine.example' },
  { 'x-forwarded-proto': 'https' },
  { 'X-Forwarded-Anything': '' },
  { forwarded: 'for=203.0.113.9' },
  { via: '1.1 proxy' },
  { 'x-real-ip': '203.0.113.9' },
  { 'true-client-ip': '203.0.113.9' },
  { 'cf-connecting-ip': '203.0.113.9' },
];

describe('[V26] where no key is asked for, what was forwarded is refused', () => {
  test.for(forwardings.map((headers) => ({ name: JSON.stringify(headers), headers })))(
    '$name, with a sentence that says what to do',
    async ({ headers }) => {
      const at = await serving({ config: { apps } });
      const { status, text } = await strangerAt(at, headers);
      expect(status).toBe(403);
      expect(text).toMatch(/forwarded.*server\.hosts.*server\.proxies/);
    },
  );

  test('also on a socket', async () => {
    const at = await serving({ config: { apps } });
    const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const status = await new Promise((resolve) => {
      const headers = { ...upgrade, via: '1.1 proxy' };
      const asking = request(`${at.url}/ws/runs/${run}`, { headers });
      asking.on('response', ({ statusCode }) => resolve(statusCode));
      asking.on('upgrade', (_, socket) => {
        socket.destroy();
        resolve(101);
      });
      asking.end();
    });
    expect(status).toBe(403);
  });

  test('and where one is, it comes in with a key', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    const at = await serving({ data, config: { apps, auth: { required: true } } });
    for (const headers of forwardings)
      expect((await at.ask('/api/me', { key, headers })).status, JSON.stringify(headers)).toBe(200);
  });
});
