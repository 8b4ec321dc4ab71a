import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { appWith, keyIn, serving, temporaryFolder, textAt, type Serving } from '../../../test/serving.ts';
import { addressIn, tenantHeader } from './reach-folder.ts';
import { socketPath } from './socket-path.ts';

const asks = appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks');

/** What the owner of a folder is answered through the socket in it. */
async function own(
  { data }: Serving,
  path: string,
  { json, tenant, headers = {} }: { json?: unknown; tenant?: string; headers?: Record<string, string> } = {},
): Promise<{ readonly status: number; readonly json: unknown; readonly text: string }> {
  const { url, fetch } = addressIn(data, tenant);
  const asked = json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) };
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(`${url}${path}`, { ...asked, headers: { ...type, ...headers } });
  const text = await answer.text();
  return { status: answer.status, text, json: text === '' ? undefined : JSON.parse(text) };
}

test('[V184] [V60] the socket of a folder has the same API, and whoever comes by it is its owner', async () => {
  const at = await serving({
    config: { apps: { asks: { ...asks, approvals: 'second-person' } }, auth: { required: true } },
  });
  expect((await at.ask('/api/me')).status).toBe(401);
  const claims = { authorization: 'Bearer nonsense', origin: 'https://evil.example' };
  expect((await own(at, '/api/me', { headers: claims })).json).toEqual({
    tenant: 'local',
    who: 'local',
    role: 'operator',
  });
  const { json } = await own(at, '/api/holder');
  expect(json).toEqual({ process: process.pid, url: at.url, apps: [{ name: 'asks', flow: 'asks@1' }] });
  const begun = await own(at, '/api/runs', { json: { input: { text: 'x' } } });
  const run = (begun.json as { run: string }).run;
  const stopped = await own(at, `/api/runs/${run}/stop`, { json: {} });
  expect([begun.status, stopped.status]).toEqual([201, 200]);
  const { text } = await own(at, `/api/runs/${run}/entries`);
  expect(text).toContain('"who":"local"');
});

test('[V184] at an address nobody is the owner, whatever they say, and the holder is nobody’s business', async () => {
  const data = temporaryFolder();
  const key = keyIn(data, { name: 'ann', role: 'operator' });
  const at = await serving({ data, config: { apps: { asks }, auth: { required: true } } });
  const headers = { [tenantHeader]: 'acme' };
  expect(textAt(await at.ask('/api/me', { key, headers }), 'tenant')).toBe('local');
  for (const path of ['/api/holder', '/api/holder/tenants'])
    expect((await at.ask(path, { key })).status).toBe(403);
});

test('[V184] [V171] the owner stops and erases what others keep there', async () => {
  const data = temporaryFolder();
  const key = keyIn(data, { name: 'ann', tenant: 'acme' });
  const at = await serving({ data, config: { apps: { asks }, auth: { required: true } } });
  const begun = await at.ask('/api/runs', { key, json: { input: { text: 'x' } } });
  const run = textAt(begun, 'run');
  expect((await own(at, `/api/runs/${run}`)).status).toBe(404);
  expect((await own(at, '/api/holder/tenants')).json).toEqual({ tenants: [{ tenant: 'acme', runs: 1 }] });
  expect((await own(at, `/api/runs/${run}/stop`, { json: {}, tenant: 'acme' })).status).toBe(200);
});

const inThread = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData.module)
    .then(({ listenInFolder }) => listenInFolder(workerData.folder, (socket) => socket.end('here')))
    .then((close) => {
      parentPort.once('message', () => close().then(() => process.exit()));
      parentPort.postMessage('open');
    });`;

test.skipIf(process.platform === 'win32')(
  '[V184] a program that has Vitrine in a thread of its own has the socket, for its owner alone',
  async () => {
    const folder = temporaryFolder();
    const module = new URL('./folder-socket.ts', import.meta.url).href;
    const thread = new Worker(inThread, { eval: true, workerData: { folder, module } });
    await once(thread, 'message');
    expect(statSync(socketPath(folder)).mode & 0o777).toBe(0o600);
    expect(await text(createConnection(socketPath(folder)))).toBe('here');
    expect(readdirSync(folder)).toEqual(['control.sock']);
    thread.postMessage('close');
    await once(thread, 'exit');
    expect(readdirSync(folder)).toEqual([]);
  },
);
