import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { framed, told, weather, wires, type Wire } from '../../../test/model-wires.ts';
import { openUpstream } from '../../../test/upstream.ts';
import { readConfig, type Config } from '../../catalog/config.ts';
import type { Flow } from '../../engine/scope.ts';
import { playRun } from '../../testing.ts';
import { agentsOf } from './agents.ts';
import { loadConfig } from './config.ts';

const guide = readFileSync(new URL('../../../docs/guides/models.md', import.meta.url), 'utf8');
const sections = guide.split(/^## /m).slice(1);
const offer = {
  name: 'weather',
  description: 'The weather of a city.',
  schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

/** Asks, calls what it is asked to call, and hands the result back. */
const flow: Flow = {
  name: 'asks',
  version: '1',
  async run(scope, { text }) {
    const asked = { role: 'user' as const, text };
    const first = await scope.turn('helper', { messages: [asked], tools: [offer] });
    const [call] = first.calls;
    if (!call) return 'it called nothing';
    const answers = [
      { role: 'assistant' as const, text: first.text, calls: first.calls },
      { role: 'tool' as const, text: `{"weather":"sunny in ${call.arguments}"}`, call: call.id },
    ];
    return (await scope.turn('helper', { messages: [asked, ...answers], tools: [offer] })).text;
  },
};

/** The configuration a section shows, with the stand-in in place of the provider. */
async function shown({ name, base }: Wire, url: string): Promise<Config> {
  const section = sections.find((text) => text.startsWith(`${name}\n`)) ?? '';
  const [, block = ''] = /```ts\n([^]*?)```/.exec(section) ?? [];
  expect(block).toContain(base.said);
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-models-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'vitrine.config.ts');
  const resolved = block
    .replace(base.said, new URL(url).origin)
    .replace(`'vitrine'`, `'${new URL('../../index.ts', import.meta.url).href}'`)
    .replaceAll(/'(@ai-sdk\/[\w-]+)'/g, (_, specifier: string) => `'${import.meta.resolve(specifier)}'`);
  writeFileSync(file, resolved);
  return (await loadConfig({ folder, data: folder, pace: 0 }, file)).config;
}

test.for(wires)('[V108] the configuration for $name calls a tool, and reads its result', async (wire) => {
  const upstream = await openUpstream();
  onTestFinished(() => upstream.close());
  if (wire.env !== undefined) vi.stubEnv(wire.env, 'a-key-of-some-length');
  onTestFinished(() => void vi.unstubAllEnvs());
  upstream.answer(framed(wire, wire.calls), framed(wire, wire.answers));
  const config = await shown(wire, upstream.url);
  expect(Object.keys(readConfig(config, 'the guide').apps)).toEqual(['chat']);
  const { tree, entries } = await playRun({ flow, text: 'How is Perth?', agents: await agentsOf(config) });
  expect(tree.answer).toBe(told);
  const [asked, again] = upstream.requests;
  expect(asked?.path).toMatch(wire.path);
  if (asked && wire.env !== undefined)
    expect([`a-key-of-some-length`, `Bearer a-key-of-some-length`]).toContain(wire.key(asked));
  expect(JSON.stringify(asked?.body)).toContain('The weather of a city.');
  expect(JSON.stringify(again?.body)).toContain('sunny in');
  const calls = entries.flatMap(({ event }) =>
    event.type === 'text.appended' && event.channel === 'arguments' ? [event.text] : [],
  );
  expect(JSON.parse(calls.join(''))).toEqual(weather);
  if (wire.thinks !== undefined)
    expect(entries.map(({ event }) => ('text' in event ? event.text : ''))).toContain(wire.thinks);
});

test('[V108] every section with a configuration is tried', () => {
  const configured = sections.filter((text) => text.includes('```ts')).map((text) => text.split('\n', 1)[0]);
  expect(new Set(configured)).toEqual(new Set(wires.map(({ name }) => name)));
});
