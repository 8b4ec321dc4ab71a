import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import type { ConfigInput } from '../../src/catalog/config.ts';
import { redacted } from '../../src/guards/guard.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { appWith, serving, temporaryFolder, textAt, type Serving } from '../serving.ts';
import { vitrine } from '../vitrine.ts';

const secret = 'sk-kept-0123456789abcdef';
const halves = [secret.slice(0, 9), secret.slice(9)] as const;

function bytesIn(folder: string): Buffer {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return Buffer.concat(paths.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path)));
}

function knowing(config: ConfigInput = {}): ConfigInput {
  vi.stubEnv('KEPT_SECRETS_TEST', secret);
  const key = { env: 'KEPT_SECRETS_TEST' };
  return { models: { m: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm', key } }, ...config };
}

async function heardOn(at: Serving, path: string): Promise<string> {
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}${path}`);
  const heard: string[] = [];
  socket.on('message', (data: Buffer) => heard.push(data.toString()));
  await new Promise((resolve, reject) => socket.on('close', resolve).on('error', reject));
  return heard.join('\n');
}

const echo = appWith(async (_, text) => text, 'echo');

test('[H24] a secret used as an idempotency key is kept as its hash, and two keys stay two', async () => {
  const at = await serving({ config: knowing({ apps: { echo } }) });
  const begin = async (key: string): Promise<string> => {
    const headers = { 'idempotency-key': key };
    return textAt(
      await at.ask('/api/runs', { json: { app: 'echo', input: { text: 'go' } }, headers }),
      'run',
    );
  };
  const runs = [await begin(`${secret}-1`), await begin(`${secret}-2`), await begin(`${secret}-1`)];
  expect(runs[2]).toBe(runs[0]);
  expect(runs[1]).not.toBe(runs[0]);
  for (const run of runs) await at.ask(`/api/runs/${run}/events`);
  await at.close();
  expect(bytesIn(at.data).includes(secret)).toBe(false);
});

test('[H24] a secret in the name of a file is not kept, and its bytes come back', async () => {
  const at = await serving({ config: knowing() });
  const headers = { 'content-type': 'text/plain' };
  const kept = await at.ask(`/api/files?name=${secret}.txt`, { body: 'mine', headers });
  expect(textAt(kept, 'name')).toBe(`${redacted}.txt`);
  const got = await at.ask(`/api/files/${textAt(kept, 'file')}`);
  expect(got.text).toBe('mine');
  expect(got.headers.get('content-disposition')).toContain(encodeURIComponent(`${redacted}.txt`));
  await at.close();
  expect(bytesIn(at.data).includes(secret)).toBe(false);
});

test('[H23] [H26] what a tool gives in two blocks is not recorded, and a notice at its step says so', async () => {
  const tool: Tool = {
    name: 't',
    description: 'Gives a secret in two blocks.',
    schema: { type: 'object' },
    effect: 'pure',
    run: async () => ({ content: halves.map((text) => ({ type: 'text', text })) }),
  };
  const calls = appWith(async (scope) => {
    const { result } = { result: undefined, ...(await scope.call('t', {})) };
    return JSON.stringify(result);
  }, 'calls');
  const at = await serving({ config: knowing({ apps: { calls }, tools: [tool] }) });
  const json = { app: 'calls', input: { text: 'go' } };
  const run = textAt(await at.ask('/api/runs', { json }), 'run');
  const { text } = await at.ask(`/api/runs/${run}/events`);
  for (const half of halves) expect(text).not.toContain(half);
  const entries = await at.ask(`/api/runs/${run}/entries`);
  expect(entries.text).toMatch(/"code":"SECRET_REDACTED","message":"What «t» gave held a secret/);
  await at.close();
  for (const half of halves) expect(bytesIn(at.data).includes(half)).toBe(false);
});

test('[H25] of an old journal no way out tells either half of a secret that was cut', async () => {
  const cwd = temporaryFolder();
  const data = join(cwd, '.vitrine');
  const says = appWith(async (scope) => {
    await scope.step({ key: 'a', title: 'step' }, async (step) => {
      for (const half of halves) step.say(half);
      for (const half of halves) step.say(half, 'reasoning');
    });
    for (const half of halves) scope.say(half);
    return 'done';
  }, 'says');
  const before = await serving({ data, config: { apps: { says } } });
  const json = { app: 'says', input: { text: 'go' } };
  const run = textAt(await before.ask('/api/runs', { json }), 'run');
  expect((await before.ask(`/api/runs/${run}/events`)).text).toContain(halves[1]);
  await before.close();

  const after = await serving({ data, config: knowing({ apps: { says } }) });
  const paths = [
    ...['steps', 'console', 'console-dotted', 'execution'].map((as) => `/api/runs/${run}/events?as=${as}`),
    // From the middle, between the halves, too.
    ...[3, 4, 5, 6, 7, 8, 9].map((seq) => `/api/runs/${run}/events?after=${seq}`),
    ...[3, 4, 5, 6, 7, 8, 9].map((seq) => `/api/runs/${run}/entries?after=${seq}`),
    `/api/runs/${run}`,
    `/workflows/execution/${run}/steps`,
  ];
  const ways = await Promise.all(paths.map(async (path) => (await after.ask(path)).text));
  for (const path of [`/ws/runs/${run}`, `/ws/execution/${run}`]) ways.push(await heardOn(after, path));
  await after.close();
  const surroundings = { cwd, env: { KEPT_SECRETS_TEST: secret } };
  for (const words of [
    ['show', run],
    ['show', run, '--json'],
    ['export', run, '--jsonl'],
  ]) {
    const told = await vitrine(words, surroundings);
    expect(told.code, told.error).toBe(0);
    ways.push(told.out);
  }
  for (const [i, way] of ways.entries())
    for (const half of halves) expect(way, `${paths[i] ?? 'terminal'}`).not.toContain(half);
  expect(ways.join('')).toContain(redacted);
});
