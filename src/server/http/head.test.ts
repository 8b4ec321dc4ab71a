import { expect, test } from 'vitest';
import { appWith, keyIn, serving, temporaryFolder, type Serving } from '../../../test/serving.ts';
import { routeTable } from '../routes/table.ts';

const echo = appWith(async (_, text) => text, 'echo');

async function headOf({ url }: Serving, path: string, key?: string): Promise<Response> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const head = await fetch(`${url}${path}`, { method: 'HEAD', headers });
  expect(await head.text()).toBe('');
  return head;
}

test.for(['/v1/models', '/api/runs', '/healthz', '/openapi.json', '/v1/models/nope'])(
  '[PR67] HEAD %s is what GET answers, without its body',
  async (path) => {
    const at = await serving({ config: { apps: { echo } } });
    const [got, head] = [await at.ask(path), await headOf(at, path)];
    expect(head.status).toBe(got.status);
    for (const name of ['content-type', 'cache-control', 'content-length'])
      expect(head.headers.get(name), name).toBe(got.headers.get(name));
  },
);

test('[PR67] HEAD of a stream is its head: nothing is opened, and nobody waits for its end', async () => {
  const asks = appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks');
  const at = await serving({ config: { apps: { asks } } });
  const { headers } = await at.ask('/v1/chat/completions', {
    json: { model: 'asks', messages: [{ role: 'user', content: 'Hello' }] },
  });
  const path = `/api/runs/${headers.get('x-run-id')}/events?as=execution`;
  const head = await headOf(at, path);
  expect(head.status).toBe(200);
  expect(head.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(at.server.context.streams.size).toBe(0);
});

test('[PR67] HEAD finds nothing that GET would not', async () => {
  const data = temporaryFolder();
  const key = keyIn(data);
  const at = await serving({ data, isPrivate: true, config: { apps: { echo } } });
  expect((await headOf(at, '/v1/models')).status).toBe(401);
  expect((await headOf(at, '/v1/models', key)).status).toBe(200);
  const posts = routeTable.filter(
    ({ method, path }) =>
      method === 'POST' && !routeTable.some((other) => other.method === 'GET' && other.path === path),
  );
  expect((await headOf(at, posts[0]?.path ?? '', key)).status).toBe(405);
});
