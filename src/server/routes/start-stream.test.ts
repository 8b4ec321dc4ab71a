import { beforeAll, describe, expect, test } from 'vitest';
import { vitrineClient } from '../../client/client.ts';
import {
  appWith,
  idsIn,
  keyIn,
  serving,
  shareServing,
  temporaryFolder,
  textAt,
  type Serving,
} from '../../../test/serving.ts';

const accept = { accept: 'text/event-stream' };
let at: Serving;
const gates = new Map<string, () => void>();

beforeAll(() =>
  shareServing(async () => {
    const apps = {
      talks: appWith(async (scope, text) => {
        await scope.step({ key: 's', title: 'Talk' }, async (step) => {
          for (let i = 0; i < 50; i += 1) step.say(`${text} ${i} `);
        });
        return `answer to ${text}`;
      }, 'talks'),
      waits: appWith(async (scope, text) => {
        await scope.step(
          { key: 's', title: 'Wait' },
          () => new Promise<string>((resolve) => gates.set(text, () => resolve('x'))),
        );
        return 'done';
      }, 'waits'),
    };
    at = await serving({ config: { apps, defaultApp: 'talks' } });
  }),
);

const body = (text: string, more: object = {}): object => ({ input: { text }, ...more });
const count = async (): Promise<number> =>
  ((await at.ask('/api/runs?limit=200')).json as { readonly runs: readonly unknown[] }).runs.length;

describe('[N9] a run that is started with its stream', () => {
  test.for(['steps', 'console', 'console-dotted', 'execution'])(
    'has as %s the frames, to the byte, of a viewer who came later',
    async (as) => {
      const started = await at.ask(`/api/runs?as=${as}`, { json: body('hello'), headers: accept });
      expect(started.status).toBe(200);
      expect(started.headers.get('content-type')).toContain('text/event-stream');
      const place = started.headers.get('location') ?? '';
      expect(place).toMatch(/^\/api\/runs\/run_/);
      expect(Number(started.headers.get('vitrine-head'))).toBeGreaterThan(0);
      const { text } = await at.ask(`${place}/events?as=${as}`);
      expect(started.text).toBe(text);
      const [first = 0, ...rest] = idsIn(text);
      expect(rest.length).toBeGreaterThan(0);
      const later = await at.ask(`${place}/events?as=${as}&after=${first}`);
      expect(text.endsWith(later.text)).toBe(true);
    },
  );

  test('is one run for one idempotency key, told from its beginning each time', async () => {
    const before = await count();
    const headers = { ...accept, 'idempotency-key': 'one-stream' };
    const [first, second] = [
      await at.ask('/api/runs', { json: body('once'), headers }),
      await at.ask('/api/runs', { json: body('once'), headers }),
    ];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(await count()).toBe(before + 1);
    const other = await at.ask('/api/runs', { json: body('something else'), headers });
    expect(other).toMatchObject({ status: 409, json: { error: { code: 'rejected' } } });
  });

  test.for([
    ['another app', '/api/runs', body('x', { app: 'nope' }), 404],
    ['no text', '/api/runs', { input: {} }, 400],
    ['no such protocol', '/api/runs?as=nope', body('x'), 400],
    ['no such conversation', '/api/runs', body('x', { conversation: 'conversation_nope' }), 404],
    ['what is not known there', '/api/runs?after=3', body('x'), 400],
  ] as const)(
    'is refused as any request is, before anything has begun: %s',
    async ([, path, json, status]) => {
      const before = await count();
      const refused = await at.ask(path, { json, headers: accept });
      expect(refused.status).toBe(status);
      expect(textAt(refused, 'error', 'message')).toMatch(/\.$/);
      expect(await count()).toBe(before);
    },
  );

  test('goes on when its viewer leaves', async () => {
    const leave = new AbortController();
    const response = await fetch(`${at.url}/api/runs`, {
      method: 'POST',
      headers: { ...accept, 'content-type': 'application/json' },
      body: JSON.stringify(body('left', { app: 'waits' })),
      signal: leave.signal,
    });
    const place = response.headers.get('location') ?? '';
    leave.abort();
    await expect.poll(() => gates.has('left')).toBe(true);
    gates.get('left')?.();
    expect((await at.ask(`${place}/events`)).text).toContain('run.ended');
  });

  test('is as it was for those who ask for no stream', async () => {
    const plain: Record<string, string>[] = [{}, { accept: '*/*' }, { accept: 'application/json' }];
    for (const headers of plain) {
      const answer = await at.ask('/api/runs', { json: body('plain'), headers });
      expect(answer).toMatchObject({ status: 201, json: { events: expect.stringContaining('/events') } });
    }
  });
});

test('[N9] a run is not begun for whom no stream is left', async () => {
  const data = temporaryFolder();
  const key = keyIn(data);
  const apps = { waits: appWith(() => new Promise(() => {}), 'waits') };
  const quotas = { streams: 1 };
  const here = await serving({ data, config: { apps, auth: { required: true }, server: { quotas } } });
  const start = (signal: AbortSignal): Promise<Response> =>
    fetch(`${here.url}/api/runs`, {
      method: 'POST',
      headers: { ...accept, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body('x'.repeat(100_000))),
      signal,
    });
  const leave = new AbortController();
  expect((await start(leave.signal)).status).toBe(200);
  expect(await (await start(leave.signal)).json()).toMatchObject({ error: { code: 'over-budget' } });
  const { runs } = (await here.ask('/api/runs', { key })).json as { readonly runs: readonly unknown[] };
  expect(runs).toHaveLength(1);
  leave.abort();
  await expect
    .poll(async () => (await here.ask('/api/usage', { key })).json)
    .toMatchObject({ streams: { open: 0 } });
});

test('[N9] the client starts and watches with one request, and comes back to its cursor', async () => {
  const asked: string[] = [];
  let isCut = false;
  const cutOnce: typeof fetch = async (address, request) => {
    asked.push(`${request?.method} ${new URL(new Request(address).url).pathname.replace(/run_\w+/, ':run')}`);
    const response = await fetch(address, request);
    if (isCut) return response;
    isCut = true;
    let left = 700;
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        controller.enqueue(bytes.subarray(0, Math.max(0, left)));
        left -= bytes.length;
        if (left <= 0) controller.error(new TypeError('terminated'));
      },
    });
    return new Response(response.body?.pipeThrough(cut) ?? null, response);
  };
  const client = vitrineClient({ url: at.url, fetch: cutOnce });
  const store = await client.startAndWatch({ text: 'both' });
  await expect.poll(() => store.connection.getSnapshot().is).toBe('over');
  expect(asked).toEqual(['POST /api/runs', 'GET /api/runs/:run/events']);
  expect(store.getSnapshot().tree).toEqual(await vitrineClient({ url: at.url }).tree(store.run));
  expect(store.getSnapshot().tree).toMatchObject({ status: 'completed', answer: 'answer to both' });
});
