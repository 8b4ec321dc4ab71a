import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { appWith, keyIn, serving, temporaryFolder, textAt } from '../../../test/serving.ts';
import { streamViewer } from '../../../test/stream.ts';
import { quotasOf } from './quotas.ts';
import { route } from '../routes/route.ts';
import { openSockets } from '../http/sockets.ts';

const generous = {
  requests: 10,
  burst: 20,
  streams: 2,
  runs: 3,
  waiting: 3,
  sessions: 8,
  bytes: 1_000_000,
  file: 1_000,
};

const at = (now: number, bytes = 0): { now: number; bytes: number } => ({ now, bytes });

describe('the share of a tenant', () => {
  test('is so many requests at once, and then so many a second', () => {
    const quotas = quotasOf(generous, false);
    for (let i = 0; i < 20; i += 1) quotas.request('a', at(0));
    expect(() => quotas.request('a', at(0))).toThrow('slow down');
    quotas.request('b', at(0));
    quotas.request('a', at(100));
    expect(() => quotas.request('a', at(100))).toThrow('slow down');
    for (let i = 0; i < 20; i += 1) quotas.request('a', at(60_000));
    expect(() => quotas.request('a', at(60_000))).toThrow('slow down');
  });

  test('[GD18] has files of so many bytes, and says how many are too many', () => {
    const quotas = quotasOf(generous, false);
    quotas.file(1_000);
    expect(() => quotas.file(1_001)).toThrow(
      'The file has 1001 bytes and 1000 are allowed: send a smaller one, or raise «server.quotas.file».',
    );
  });

  test('is not counted for whoever sits at an open machine', () => {
    const quotas = quotasOf(generous, true);
    for (let i = 0; i < 1_000; i += 1) quotas.request('local', at(0));
  });

  test('of streams is given back when they end', () => {
    const quotas = quotasOf(generous, false);
    const giveBack = quotas.stream('a');
    quotas.stream('a');
    expect(() => quotas.stream('a')).toThrow('streams are open');
    giveBack();
    quotas.stream('a');
  });
});

test('[S49] who floods the server is slowed down, and nobody else', async () => {
  const data = temporaryFolder();
  const flooder = keyIn(data, { name: 'f', tenant: 'flood' });
  const calm = keyIn(data, { name: 'c', tenant: 'calm' });
  const apps = {
    asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: '?' })).decision, 'asks'),
  };
  const at = await serving({
    data,
    config: { apps, auth: { required: true }, server: { quotas: generous } },
  });
  const answers = await Promise.all(Array.from({ length: 60 }, () => at.ask('/api/runs', { key: flooder })));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(20);
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect((await at.ask('/api/runs', { key: calm })).status).toBe(200);

  const start = () => at.ask('/api/runs', { key: calm, json: { input: { text: 'x' } } });
  const runs = [await start(), await start(), await start()];
  const { dispatch } = at.server.context.home.store;
  await expect.poll(() => dispatch.unfinished('calm')).toEqual({ working: 0, waiting: 3 });
  const fourth = await start();
  expect(fourth.status).toBe(429);
  expect(textAt(fourth, 'error', 'message')).toContain('3 runs wait for something');
  const [run = ''] = runs.map((answer) => textAt(answer, 'run'));
  const headers = { authorization: `Bearer ${calm}` };
  const watch = () => streamViewer({ url: at.url, path: `/api/runs/${run}/events`, headers });
  const viewers = [watch(), watch()];
  await Promise.all(viewers.map((viewer) => viewer.until((body) => body.includes('id: 1'))));
  expect((await at.ask(`/api/runs/${run}/events`, { key: calm })).status).toBe(429);
  expect(await socketTo(`${at.url}/ws/runs/${run}`, headers)).toContain('429');
  viewers[0]?.socket.destroy();
  await vi.waitFor(async () => expect(await socketTo(`${at.url}/ws/runs/${run}`, headers)).toBe('open'));
  for (const { socket } of viewers) socket.destroy();
});

test('a large body counts as several requests, and so many bytes may be on their way', () => {
  const quotas = quotasOf(generous, false);
  quotas.request('a', at(0, 20 * 64 * 1024));
  expect(() => quotas.request('a', at(0))).toThrow('slow down');
  const half = 32 * 1024 * 1024;
  const giveBack = quotas.receive('a', half);
  quotas.receive('a', half);
  expect(() => quotas.receive('a', 1)).toThrow('are being sent at once');
  quotas.receive('b', half);
  quotas.receive('a', 0);
  giveBack();
  quotas.receive('a', 1);
});

test('[S49] whoever goes away before the socket is opened has used up nothing', async () => {
  const at = await serving({
    config: { apps: { says: appWith(async () => 'yes') }, server: { quotas: { streams: 2 } } },
  });
  const run = textAt(await at.ask('/api/runs', { json: { app: 'says', input: { text: 'x' } } }), 'run');
  for (let i = 0; i < 3; i += 1) {
    const raw = new PassThrough();
    const leaves = route({
      method: 'WS',
      path: '/ws/leaves',
      about: 'They leave.',
      tag: 'runs',
      role: 'viewer',
      addresses: 'tenant',
      answers: {},
      async handle() {
        raw.destroy();
        await once(raw, 'close');
        return { status: 101, stream: () => {} };
      },
    });
    const server = createServer();
    openSockets(server, {
      context: at.server.context,
      routes: [leaves],
      clean: String,
      hidden: [],
      ways: new WeakMap(),
      answering: new Set(),
      patience: 1,
    });
    const local = Object.defineProperty(new Socket(), 'remoteAddress', { value: '127.0.0.1' });
    const asked = { url: '/ws/leaves', headers: { host: 'localhost' } };
    const request = Object.assign(new IncomingMessage(local), asked);
    server.emit('upgrade', request, raw, Buffer.alloc(0));
    await once(raw, 'close');
  }
  await vi.waitFor(async () => expect(await socketTo(`${at.url}/ws/runs/${run}`, {})).toBe('open'));
});

/** What becomes of a socket; it is closed again. */
function socketTo(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers });
  return new Promise<string>((resolve) => {
    socket.on('open', () => resolve('open'));
    socket.on('error', ({ message }) => resolve(message));
  }).finally(() => socket.terminate());
}

test('[S49] runs that are started together find no more places than one after the other', async () => {
  const data = temporaryFolder();
  const key = keyIn(data, { name: 'c', tenant: 'calm' });
  // They work: what waits has a place of another kind.
  const over = Promise.withResolvers<string>();
  const apps = { works: appWith((scope) => scope.step({ key: 'w', title: 'Works' }, () => over.promise)) };
  const quotas = { ...generous, requests: 100, burst: 100 };
  const at = await serving({ data, config: { apps, auth: { required: true }, server: { quotas } } });
  const start = () => at.ask('/api/runs', { key, json: { input: { text: 'x' } } });
  const together = await Promise.all(Array.from({ length: 12 }, start));
  const begun = together.filter(({ status }) => status === 201);
  expect(begun.length).toBeGreaterThan(0);
  expect(begun.length).toBeLessThanOrEqual(quotas.runs);
  expect(together.filter(({ status }) => status === 429)).toHaveLength(12 - begun.length);
  while ((await start()).status === 201);
  const { json } = await at.ask('/api/runs?unfinished=true', { key });
  expect((json as { runs: unknown[] }).runs).toHaveLength(quotas.runs);
  over.resolve('done');
});
