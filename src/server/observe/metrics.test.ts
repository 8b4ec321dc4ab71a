import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scriptedGateway } from '../../gateways/scripted/scripted.ts';
import { functionTool } from '../../tools/function.ts';
import { z } from 'zod';
import { appWith, serving, textAt, untilAnswer } from '../../../test/serving.ts';
import { streamViewer } from '../../../test/stream.ts';

const apps = {
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What Prometheus would read, and a complaint about all that it would not. */
function read(text: string): readonly Sample[] {
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, kind, about, rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (kind === 'TYPE') types.set(about ?? '', rest);
    if (kind !== undefined) continue;
    const [, name = '', labels = '', value = ''] =
      /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/.exec(line) ?? [];
    expect(name, line).not.toBe('');
    // Its own words for infinite and for none; what Node measures has none before there is anything to measure.
    expect(/^(nan|[+-]inf)$/i.test(value) || Number.isFinite(Number(value)), line).toBe(true);
    const family = types.get(name) ?? types.get(name.replace(/_(bucket|sum|count)$/, ''));
    expect(family, line).toBeDefined();
    const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)];
    samples.push({
      name,
      labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])),
      value: Number(value),
    });
  }
  const series = samples.map(({ name, labels }) => JSON.stringify([name, labels]));
  expect(new Set(series).size).toBe(series.length);
  return samples;
}

test('what is counted is what Prometheus reads, and names no tenant, no run and no address', async () => {
  const at = await serving({ config: { apps } });
  const ask = async (): Promise<readonly Sample[]> =>
    read((await at.ask('/metrics')).text).filter(({ name }) => /^(vitrine|http)_/.test(name));
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
  const walk = async (name: string): Promise<void> => {
    for (const path of [
      `/${name}`,
      `/api/runs/${name}`,
      `/api/files/${name}?a=${name}`,
      `/api/runs/${run}?${name}`,
    ])
      for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) await at.ask(path, { method });
  };
  await walk('first');
  await ask();
  const before = await ask();
  for (let i = 0; i < 20; i += 1) await walk(`name${i}`);
  const after = await ask();
  // However many addresses are asked for, there are no more series than before.
  expect(after.length).toBe(before.length);
  const text = JSON.stringify(after);
  for (const word of [run, 'name3', 'local']) expect(text).not.toContain(word);
  const total = (samples: readonly Sample[]): number =>
    samples
      .filter(({ name }) => name === 'http_request_duration_seconds_count')
      .reduce((sum, { value }) => sum + value, 0);
  expect(total(after) - total(before)).toBe(20 * 16 + 1);
  for (const name of ['vitrine_viewers', 'vitrine_runs_in_hand', 'vitrine_deliveries_total'])
    expect(after.map((sample) => sample.name)).toContain(name);
});

test('a stream is counted when it has begun, by how long that took, and its viewer while it is there', async () => {
  const at = await serving({ config: { apps } });
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
  const viewer = streamViewer({ url: at.url, path: `/api/runs/${run}/events` });
  await viewer.until((body) => body.includes('May I?'));
  const value = async (name: string): Promise<number> => {
    const samples = read((await at.ask('/metrics')).text);
    const of = samples.filter(
      ({ labels }) => labels['route'] === undefined || labels['route'].endsWith('/events'),
    );
    return of.find((sample) => sample.name === name)?.value ?? 0;
  };
  expect(await value('http_request_duration_seconds_count')).toBe(1);
  expect(await value('vitrine_viewers')).toBe(1);
  const took = await value('http_request_duration_seconds_sum');
  viewer.socket.destroy();
  await untilAnswer(
    () => at.ask('/metrics'),
    ({ text }) => text.includes('vitrine_viewers 0'),
  );
  // Neither counted again when it is over, nor by how long somebody looked.
  expect(await value('http_request_duration_seconds_count')).toBe(1);
  expect(await value('http_request_duration_seconds_sum')).toBe(took);
});

const working = appWith(async (scope) => {
  await scope.turn('model', { messages: [{ role: 'user', text: 'x' }] });
  await scope.call('double', { number: 2 });
  await scope.call('nobody_has_this', {});
  return (await scope.ask({ key: 'q', title: 'May I?' })).decision;
}, 'works');
const config = {
  apps: { works: working, breaks: appWith(() => Promise.reject(new Error('no')), 'breaks') },
  defaultApp: 'works',
  agents: {
    model: {
      gateway: scriptedGateway([
        [
          { type: 'say', text: 'hi' },
          { type: 'usage.reported', usage: { input: 30, output: 12 } },
        ],
      ]),
      effect: 'pure' as const,
    },
  },
  tools: [
    functionTool({
      name: 'double',
      description: 'Twice as much.',
      input: z.strictObject({ number: z.number() }),
      effect: 'pure',
      run: ({ number }) => ({ number: number * 2 }),
    }),
  ],
};

test('[V105] runs by outcome, tokens, turns, tool time, waiting questions and commits are counted', async () => {
  const at = await serving({ config });
  const value = async (name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> =>
    read((await at.ask('/metrics')).text).find(
      (sample) =>
        sample.name === name && Object.entries(labels).every(([label, of]) => sample.labels[label] === of),
    )?.value ?? 0;
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
  await at.ask('/api/runs', { json: { app: 'breaks', input: { text: 'x' } } });
  const asked = await untilAnswer(
    () => at.ask(`/api/approvals?run=${run}`),
    ({ text }) => text.includes('May I?'),
  );
  expect(await value('vitrine_questions_waiting')).toBe(1);
  expect(await value('vitrine_tokens_total', { direction: 'input' })).toBe(30);
  expect(await value('vitrine_tokens_total', { direction: 'output' })).toBe(12);
  const turned = { agent: 'model', outcome: 'completed' };
  expect(await value('vitrine_turn_duration_seconds_count', turned)).toBe(1);
  const called = { tool: 'double', outcome: 'completed' };
  expect(await value('vitrine_tool_duration_seconds_count', called)).toBe(1);
  expect((await at.ask('/metrics')).text).not.toContain('nobody_has_this');
  expect(await value('vitrine_commit_duration_seconds_count')).toBeGreaterThan(2);
  const [{ id, fingerprint }] = (asked.json as { approvals: [{ id: string; fingerprint: string }] })
    .approvals;
  await at.ask(`/api/approvals/${id}`, { json: { decision: 'approve', fingerprint } });
  await untilAnswer(
    () => at.ask('/metrics'),
    ({ text }) => text.includes('vitrine_runs_total{outcome="completed"} 1'),
  );
  await expect.poll(() => value('vitrine_runs_total', { outcome: 'failed' })).toBe(1);
  await expect.poll(() => value('vitrine_questions_waiting')).toBe(0);
});

test('[V105] outcomes that nobody has seen yet are counted from nothing on, so that the first has a rate', async () => {
  const at = await serving({ config });
  const { text } = await at.ask('/metrics');
  for (const outcome of ['completed', 'failed', 'stopped'])
    expect(text).toContain(`vitrine_runs_total{outcome="${outcome}"} 0`);
});

test('[V105] names are conventional, those of before are gone, and the guide has each', async () => {
  const at = await serving({ config });
  await at.ask('/healthz');
  const { text } = await at.ask('/metrics');
  const [, labels] = /http_request_duration_seconds_count\{(.*)\}/.exec(text) ?? [];
  expect(labels).toBe('method="GET",route="/healthz",status="200"');
  expect(text).not.toMatch(/vitrine_request_seconds|vitrine_requests_total|vitrine_viewers_held /);
  const guide = readFileSync(new URL('../../../docs/guides/operating.md', import.meta.url), 'utf8');
  const families = [...text.matchAll(/^# TYPE ((?:vitrine|http)_\w+)/gm)].map(([, name = '']) => name);
  expect(families.length).toBeGreaterThan(12);
  expect(families.filter((name) => !guide.includes(`\`${name}`))).toEqual([]);
});
