import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { serving } from '../../test/serving.ts';
import { terminalFor } from '../../test/terminal.ts';
import { loadConfig } from '../server/compose/config.ts';
import { vitrineClient } from '../client/client.ts';
import { cli } from './cli.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-workflow-'));
  mkdirSync(join(folder, 'workflows'));
  writeFileSync(join(folder, 'vitrine.config.json'), '{}');
  writeFileSync(join(folder, 'workflows', 'greeting.yaml'), graph('Hello {{input.text}}'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const graph = (value: string): string => `
title: Greeting
nodes:
  - { id: start, type: start }
  - { id: say, type: template, value: '${value}' }
  - { id: end, type: end, output: '{{nodes.say.output}}' }
edges: [{ from: start, to: say }, { from: say, to: end }]
`;

async function typed(...words: readonly string[]) {
  const out: string[] = [];
  const error: string[] = [];
  const code = await cli(words, terminalFor(out, error));
  return { code, out: out.join('\n'), error: error.join('\n') };
}

function here(...words: readonly string[]) {
  const config = ['--config', join(folder, 'vitrine.config.json')];
  return typed(...words, ...config, '--data', join(folder, 'data'));
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('[WR6] a graph in a file is checked, published and run; workflows are listed', async () => {
  const own = file('own.yaml', graph('Own {{input.text}} {{input.?n.orValue(0)}}'));
  expect(await here('workflow', 'check', own)).toMatchObject({ code: 0, out: '«own» has no problems.' });
  const ran = await here('workflow', 'run', own, 'words');
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Own words 0') });
  expect(await here('workflow', 'publish', own)).toMatchObject({
    code: 0,
    out: expect.stringContaining('«own» is published as version 1.'),
  });
  const input = JSON.stringify({ text: 'data', n: 3 });
  expect((await here('workflow', 'run', 'own', '--input', input)).out).toContain('Own data 3');
  expect((await here('workflow', 'try', 'own', 'say')).out).toContain('Own data 3');
  expect((await here('workflow', 'try', 'own', 'say', 'tried', 'alone')).out).toContain('Own tried alone 0');
  const { out } = await here('workflows');
  expect(out).toMatch(/^greeting +version 1, of the configuration: Greeting$/m);
  expect(out).toMatch(/^own +version 1, draft 2 by \S+: Greeting$/m);
});

test('[WR46] the list says what a published workflow names that is not there any more', async () => {
  const at = await serving({ config: {} });
  const calls = graph('x').replace("type: template, value: 'x'", 'type: workflow, workflow: own');
  for (const path of [file('own.yaml', graph('x')), file('calls.yaml', calls)])
    await typed('workflow', 'publish', path, '--server', at.url);
  await vitrineClient({ url: at.url }).workflows.archive('own');
  expect((await typed('workflows', '--server', at.url)).out).toMatch(
    /^calls +version 1, .*\n {2}cannot be done now: say: There is no workflow «own»\.$/m,
  );
});

test('[WR6] what is wrong is told line by line, and by the exit code', async () => {
  const broken = file('broken.yaml', graph('{{nodes.later.output}} {{input.').replace('to: say', 'to: sy'));
  const checked = await here('workflow', 'check', broken);
  expect(checked.code).toBe(2);
  expect(checked.out).toContain('sy.edges.0: There is no node «sy» here.');
  expect(await here('workflow', 'publish', broken)).toMatchObject({ code: 2, out: checked.out });
  expect(await here('workflow', 'run', broken)).toMatchObject({ code: 2, out: checked.out });
  const [line = ''] = (await here('workflow', 'check', broken, '--json')).out.split('\n');
  expect(JSON.parse(line)).toMatchObject({ node: 'sy', field: 'edges.0' });
});

test.for([
  [
    'an action there is not',
    ['workflow', 'draw', 'x'],
    'Say «workflow check», «publish», «run», «try» or «go-on», not «draw».',
  ],
  ['no node', ['workflow', 'try', 'greeting'], 'Say which node: «workflow try <file or name> <node>».'],
  ['a run there is not', ['workflow', 'go-on', 'run_none'], 'There is no run «run_none».'],
  ['a workflow there is not', ['workflow', 'run', 'none'], 'There is no published workflow «none».'],
  [
    'JSON said as text',
    ['workflow', 'run', 'greeting', '{"text": "you"}'],
    'That is JSON: give it as --input',
  ],
  ['input that is no JSON', ['workflow', 'run', 'greeting', '--input', '{'], '--input is no JSON'],
  ['a version that is none', ['workflow', 'run', 'greeting', '--version', 'x'], '--version is «x»'],
] as const)('[WR6] %s is answered in a sentence', async ([, words, sentence]) => {
  const { code, error } = await here(...words);
  expect(code).toBe(2);
  expect(error).toContain(sentence);
});

test('[WR6] at a server the same is asked of the server', async () => {
  const { config } = await loadConfig({ folder, data: folder, pace: 0 });
  const at = await serving({ config });
  const ran = await typed('workflow', 'run', 'greeting', 'you', '--server', at.url);
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Hello you') });
  expect((await typed('workflows', '--json', '--server', at.url)).out).toContain('"readOnly":true');
});

test('[WR6] what is wrong with another workflow of the configuration is told with its name', async () => {
  file('workflows/broken.yaml', 'nodes: [{ id: start, type: start }]\nedges: []\n');
  const { code, out, error } = await here('workflow', 'check', join(folder, 'workflows', 'greeting.yaml'));
  expect([code, out, error]).toEqual([2, '', expect.stringContaining('The workflow «broken»')]);
});
