import { beforeAll, expect, test } from 'vitest';
import { appWith, serving, shareServing, type Serving } from '../../../test/serving.ts';
import { routeTable } from '../routes/table.ts';

let at: Serving;

beforeAll(() =>
  shareServing(async () => {
    at = await serving({ config: { apps: { echo: appWith(async (_, text) => text, 'echo') } } });
  }),
);

const native = {
  error: {
    code: 'malformed',
    message: expect.stringMatching(/^«[A-Z]+» does nothing .*: use [A-Z]+( or [A-Z]+)*\.$/),
  },
};

test.for([
  ['PUT', '/api/runs', 'POST, GET, HEAD, OPTIONS', native],
  ['POST', '/api/runs/some%2Frun', 'GET, HEAD, OPTIONS', native],
  ['PATCH', '/api/approvals/a', 'GET, HEAD, POST, OPTIONS', native],
  [
    'GET',
    '/v1/chat/completions',
    'POST, OPTIONS',
    { error: { type: 'invalid_request_error', message: expect.stringContaining('use POST') } },
  ],
  ['DELETE', '/v1/responses', 'POST, OPTIONS', { error: { message: expect.stringContaining('use POST') } }],
  [
    'GET',
    '/openai/deployments/echo/chat/completions',
    'POST, OPTIONS',
    { error: { code: '405', message: expect.stringContaining('use POST') } },
  ],
  ['PUT', '/ag-ui/echo', 'POST, OPTIONS', { error: { message: expect.stringContaining('use POST') } }],
  ['PUT', '/a2a/echo', 'POST, OPTIONS', { error: { message: expect.stringContaining('use POST') } }],
] as const)('[V247] %s %s is refused with what can be done there', async ([method, path, allow, body]) => {
  const sent = method === 'GET' ? {} : { body: '<x/>', headers: { 'content-type': 'text/xml' } };
  const answer = await at.ask(path, { method, ...sent });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  expect(answer.json).toMatchObject(body);
});

test('[V247] at every address of the table, and nowhere else', async () => {
  const paths = new Set(routeTable.filter(({ method }) => method !== 'WS').map(({ path }) => path));
  for (const path of paths) {
    const there = routeTable.filter((route) => route.path === path).map(({ method }) => method);
    const method =
      ['PATCH', 'PUT', 'DELETE', 'POST'].find((each) => !there.includes(each as 'PUT')) ?? 'PATCH';
    const { status, headers } = await at.ask(path.replaceAll(/:\w+/g, 'x'), { method });
    expect([path, status], method).toEqual([path, 405]);
    for (const each of there) expect(headers.get('allow')?.split(', ')).toContain(each);
  }
  for (const nowhere of ['/api/nothing', '/api/runs/', '/api/runs/r/nothing', '/ws/runs/r'])
    expect((await at.ask(nowhere, { method: 'PUT' })).status, nowhere).toBe(404);
});

test('[V247] HEAD, and whoever asks what they may ask, are answered as before', async () => {
  const head = (path: string) => fetch(`${at.url}${path}`, { method: 'HEAD' });
  expect((await head('/api/runs')).status).toBe(200);
  expect((await head('/api/runs/r/stop')).headers.get('allow')).toBe('POST, OPTIONS');
  for (const path of ['/api/runs', '/api/nothing'])
    expect((await at.ask(path, { method: 'OPTIONS' })).status, path).toBe(204);
});
