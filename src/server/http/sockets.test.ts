import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { appWith, serving, shareServing, type Serving } from '../../../test/serving.ts';

let at: Serving;

beforeAll(() =>
  shareServing(async () => {
    at = await serving({ config: { apps: { echo: appWith(async (_, said) => said, 'echo') } } });
  }),
);

interface Asking {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: Agent;
}

/** `fetch` sends no such headers. */
async function asked({ path, headers, body, agent }: Asking): Promise<{ status: number; text: string }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const method = body === undefined ? 'GET' : 'POST';
    const asking = request(`${at.url}${path}`, { method, headers: { ...headers, ...json }, agent });
    asking.on('response', resolve).on('error', reject).end(body);
  });
  return { status: answer.statusCode ?? 0, text: await text(answer) };
}

const settings = { connection: 'Upgrade, HTTP2-Settings', 'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA' };

test.for([
  { path: '/healthz', headers: { ...settings, upgrade: 'h2c' }, status: 200 },
  { path: '/healthz', headers: { connection: 'Upgrade', upgrade: 'TLS/1.0' }, status: 200 },
  { path: '/healthz', headers: { connection: 'Upgrade', upgrade: 'h2c, websocket' }, status: 200 },
  { path: '/api/nothing', headers: { ...settings, upgrade: 'h2c' }, status: 404 },
  {
    path: '/api/runs',
    headers: { ...settings, upgrade: 'h2c' },
    body: '{"app":"echo","input":{"text":"Hello."}}',
    status: 201,
  },
])(
  '[V331] $path answers as if nothing else had been offered: $headers.upgrade',
  async ({ status, ...asking }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    // The connection goes on, with whatever comes after it.
    for (let i = 0; i < 2; i += 1) expect(await asked({ ...asking, agent })).toMatchObject({ status });
    expect(await asked({ path: '/healthz', headers: {}, agent })).toMatchObject({ status: 200 });
  },
);

test.for(['websocket', 'WebSocket'])('[V331] a socket of an unknown address is 404: %s', async (upgrade) => {
  const headers = {
    connection: 'Upgrade',
    upgrade,
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  expect(await asked({ path: '/ws/nothing', headers })).toMatchObject({
    status: 404,
    text: expect.stringContaining('There is nothing at this address.'),
  });
});
