// Rows of the batteries whose rules are held inside, as people meet them: over HTTP, and at the terminal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ownProtocols } from '../../src/projections/own-protocols.ts';
import type { RunEvent } from '../../src/run/events.ts';
import type { Json } from '../../src/run/values.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { dial } from '../dial-frames.ts';
import { sized } from '../long.ts';
import { obeyingModel, order } from '../obeying-model.ts';
import type { ApprovalPage } from '../../src/wire/native/approvals.ts';
import { appWith, decideOn, serving, textAt, untilAnswer, type Answered, type Serving } from '../serving.ts';
import { openUpstream, sse } from '../upstream.ts';
import { vitrine } from '../vitrine.ts';
import { encodeAll } from '../../src/run/entries.ts';

/** A server with a tool that asks first, and what it did. */
async function paying(): Promise<{ at: Serving; paid: Json[] }> {
  const paid: Json[] = [];
  const pay: Tool = {
    name: 'pay',
    description: 'Pays.',
    schema: { type: 'object', properties: { to: { type: 'string' } } },
    effect: 'once',
    approval: 'always',
    run: async (input) => ({ receipt: paid.push(input) }),
  };
  const pays = appWith(
    async (scope, text) => (await scope.call('pay', { to: text }, { key: 'pay' })).outcome,
  );
  return { at: await serving({ config: { apps: { pays }, tools: [pay] } }), paid };
}

interface Question {
  readonly run: string;
  readonly path: string;
  readonly fingerprint: string;
}

async function question(at: Serving, text: string): Promise<Question> {
  const run = textAt(await at.ask('/api/runs', { json: { input: { text } } }), 'run');
  const list = await untilAnswer(
    () => at.ask(`/api/approvals?run=${run}`),
    (answer) => answer.text.includes('fingerprint'),
  );
  const fingerprint = textAt(list, 'approvals', 0, 'fingerprint');
  return { run, path: `/api/approvals/${textAt(list, 'approvals', 0, 'id')}`, fingerprint };
}

async function over(at: Serving, run: string): Promise<string> {
  const done = await untilAnswer(
    () => at.ask(`/api/runs/${run}`),
    (answer) => answer.text.includes('"endedAt"'),
  );
  return textAt(done, 'status');
}

const races = sized(60, 200);

test(`[R34] approve, reject, edit and stop at once over HTTP, ${races} times: one of them happens`, async () => {
  const { at, paid } = await paying();
  const won = new Map<string, number>();
  for (let i = 0; i < races; i += 1) {
    const { run, path, fingerprint } = await question(at, `${i}`);
    const before = paid.length;
    const asked: readonly (readonly [string, () => Promise<Answered>])[] = [
      ['approve', () => at.ask(path, { json: { decision: 'approve', fingerprint } })],
      ['edit', () => at.ask(path, { json: { decision: 'edit', fingerprint, arguments: { to: 'edited' } } })],
      ['reject', () => at.ask(path, { json: { decision: 'reject', fingerprint } })],
      ['stop', () => at.ask(`/api/runs/${run}/stop`, { json: {} })],
    ];
    // A stop needs fewer looks than a decision, and would win every race.
    const racing = i % 2 === 0 ? asked : asked.slice(0, 3);
    const turned = [...racing.slice(i % 3), ...racing.slice(0, i % 3)];
    const answers = await Promise.all(turned.map(async ([name, send]) => [name, await send()] as const));
    const decided = answers.filter(([name, { status }]) => name !== 'stop' && status < 300);
    expect(decided.length, JSON.stringify(answers.map(([name, { status }]) => [name, status]))).toBeLessThan(
      2,
    );
    for (const [name, { status }] of answers)
      if (name !== 'stop') expect([200, 404, 409], name).toContain(status);
    const status = await over(at, run);
    const [winner = 'stop'] = decided.map(([name]) => name);
    won.set(winner, (won.get(winner) ?? 0) + 1);
    const done = paid.slice(before);
    if (winner === 'reject' || winner === 'stop') expect(done, winner).toEqual([]);
    else expect([[], [{ to: winner === 'edit' ? 'edited' : `${i}` }]], status).toContainEqual(done);
  }
  expect([...won.keys()].toSorted()).toEqual(['approve', 'edit', 'reject', 'stop']);
});

test('[R35] an approval that is sent again, also at the same moment, is the same one, and its tool runs once', async () => {
  const { at, paid } = await paying();
  for (let i = 0; i < 20; i += 1) {
    const { run, path, fingerprint } = await question(at, `${i}`);
    const headers = { 'idempotency-key': `approve-${i}` };
    const approve = (): Promise<Answered> =>
      at.ask(path, { json: { decision: 'approve', fingerprint }, headers });
    const answers = [...(await Promise.all([approve(), approve(), approve()])), await approve()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await over(at, run)).toBe('completed');
    expect((await approve()).status).toBe(200);
  }
  expect(paid).toEqual(Array.from({ length: 20 }, (_, i) => ({ to: `${i}` })));
});

test('[S43] an agent that goes on speaking after a stop is hung up on, and nothing of it is heard', async () => {
  const upstream = await openUpstream();
  onTestFinished(() => upstream.close());
  upstream.answer([
    sse,
    { send: dial.role + dial.text('before the stop') },
    { endless: dial.text('for ever ') },
  ]);
  vi.stubEnv('ROGUE_KEY', 'a key of a rogue agent');
  const key = { env: 'ROGUE_KEY' };
  const at = await serving({
    config: {
      agents: { rogue: { dial: { baseUrl: upstream.url, deployment: 'd', key }, effect: 'pure' } },
      apps: { rogue: { flow: 'converse', settings: { agent: 'rogue' } } },
    },
  });
  const run = textAt(await at.ask('/api/runs', { json: { app: 'rogue', input: { text: 'go' } } }), 'run');
  await untilAnswer(
    () => at.ask(`/api/runs/${run}/entries`),
    ({ text }) => text.includes('before the stop'),
  );
  await at.ask(`/api/runs/${run}/stop`, { json: {} });
  expect(await over(at, run)).toBe('stopped');
  const { left } = await upstream.request(0);
  await left;
  const head = async (): Promise<unknown> =>
    ((await at.ask(`/api/runs/${run}`)).json as { readonly seq: unknown }).seq;
  const [last, asked] = [await head(), upstream.requests.length];
  await sleep(300);
  expect([await head(), upstream.requests.length]).toEqual([last, asked]);
});

test('[S21] [S24] a model that obeys gets nothing of this machine, nor of the cloud it runs in, by a tool that the configuration names', async () => {
  const reached: string[] = [];
  const inside = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.end('the secret');
  });
  inside.listen(0, '127.0.0.1');
  await once(inside, 'listening');
  onTestFinished(() => void inside.close());
  const { port } = inside.address() as AddressInfo;
  const hosts = ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', '0.0.0.0'];
  const clouds = ['169.254.169.254', '100.100.100.200', '[fd00:ec2::254]'];
  const addresses = [
    ...hosts.map((host) => `http://${host}:${port}/inside`),
    ...clouds.map((host) => `http://${host}/latest/meta-data/`),
  ];
  const at = await serving({
    config: {
      agents: { model: { gateway: obeyingModel(), effect: 'pure' } },
      tools: [{ http: { ports: [port, 80] } }],
      apps: { test: { flow: 'converse', settings: { agent: 'model' } } },
    },
  });
  for (const address of addresses) {
    const text = order('http_get', { url: address });
    const run = textAt(await at.ask('/api/runs', { json: { app: 'test', input: { text } } }), 'run');
    // Whoever is asked agrees to everything.
    const done = await untilAnswer(
      async () => {
        const { approvals } = (await at.ask(`/api/approvals?run=${run}`)).json as ApprovalPage;
        for (const { id } of approvals) await decideOn(at, id);
        return at.ask(`/api/runs/${run}`);
      },
      (answer) => answer.text.includes('"endedAt"'),
    );
    const { steps } = done.json as {
      readonly steps: readonly { readonly kind: string; readonly failure?: { readonly code: string } }[];
    };
    const [call] = steps.filter(({ kind }) => kind === 'call');
    expect(call?.failure?.code, address).toBe('refused');
  }
  expect(reached).toEqual([]);
});

const second = 1_000;
const holding = 5 * second;

test('[R47] another process has the database for 5 s: nobody gets a 5xx, and what was asked for happens', async () => {
  const apps = { says: appWith(async (scope, text) => (scope.say(text), text)) };
  const at = await serving({ config: { apps } });
  const start = (text: string): Promise<Answered> => at.ask('/api/runs', { json: { input: { text } } });
  const before = textAt(await start('before'), 'run');
  await over(at, before);
  const holder = spawn(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '-e',
    `const { DatabaseSync } = require('node:sqlite');
     const database = new DatabaseSync(process.argv[1]);
     database.exec('PRAGMA busy_timeout = 20000; BEGIN IMMEDIATE');
     process.stdout.write('held');
     process.stdin.on('end', () => { database.exec('COMMIT'); process.exit(); }).resume();`,
    join(at.data, 'vitrine.db'),
  ]);
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  let isOver = false;
  const starts = Array.from({ length: 10 }, (_, i) => start(`during ${i}`));
  const all = Promise.all(starts).then((answers) => ((isOver = true), answers));
  const until = performance.now() + holding;
  let reads = 0;
  while (performance.now() < until) {
    const answers = await Promise.all(
      [`/api/runs/${before}`, '/api/runs', '/readyz', `/api/runs/${before}/events`].map((path) =>
        at.ask(path),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    reads += 1;
  }
  expect([isOver, reads > 0]).toEqual([false, true]);
  holder.stdin.end();
  for (const answer of await all) {
    expect(answer.status).toBe(201);
    expect(await over(at, textAt(answer, 'run'))).toBe('completed');
  }
});

/** What an event that only a later version knows says. */
const future = 'what nobody knows yet';

test('[R55] an event of a later version is told by every protocol, and shown by the terminal, and breaks nothing', async () => {
  const at = await serving();
  const flow = { name: 'made-up', version: '1' };
  const names = { tenant: 'local', who: 'me', app: 'app', conversation: 'c-later' };
  const events: readonly (
    | RunEvent
    | { readonly type: 'step.dreamt'; readonly step: number; readonly words: string }
  )[] = [
    { type: 'run.started', ...names, input: { text: 'go' }, flow, limits: {}, labels: {} },
    { type: 'step.opened', step: 1, parent: 0, key: 'a', title: 'A step', kind: 'step', started: true },
    { type: 'step.dreamt', step: 1, words: future },
    { type: 'step.closed', step: 1, outcome: 'completed' },
    { type: 'run.ended', outcome: 'completed', answer: 'The answer.', usage: { input: 0, output: 0 } },
  ];
  const entries = events.map((event, i) => ({ seq: i + 1, at: 1_000 + i, event: event as RunEvent }));
  const { store } = at.server.context.home;
  const run = 'run_later00000000000000';
  await store.dispatch.create({
    run,
    tenant: 'local',
    conversation: 'c-later',
    app: 'app',
    title: 'go',
    flow: 'made-up@1',
    last: 1,
    frames: encodeAll(entries.slice(0, 1)),
    claim: { worker: 'test', lease: 60_000 },
  });
  await store.journal.append({
    fence: { run, epoch: 1 },
    head: 1,
    last: events.length,
    frames: encodeAll(entries.slice(1)),
    summary: { status: 'completed', approvals: 0 },
    ends: true,
  });
  for (const as of Object.keys(ownProtocols)) {
    const { status, text } = await at.ask(`/api/runs/${run}/events?as=${as}`);
    expect(status, as).toBe(200);
    expect(text, as).toContain('The answer.');
  }
  expect((await at.ask(`/api/runs/${run}/entries`)).text).toContain(future);
  expect((await at.ask(`/api/runs/${run}/events`)).text).toContain(future);
  const tree = await at.ask(`/api/runs/${run}`);
  expect(tree.json).toMatchObject({ status: 'completed', seq: events.length });
  expect(tree.text).toContain('step.dreamt');
  const shown = await vitrine(['show', run, '--data', at.data], { cwd: at.data });
  expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('The answer.')]);
  expect(shown.out + shown.error).toContain('step.dreamt');
  expect(at.problems).toEqual([]);
});
