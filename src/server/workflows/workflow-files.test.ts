import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { vitrineClient } from '../../client/client.ts';
import { failureOf } from '../../run/failure.ts';
import { serving, temporaryFolder } from '../../../test/serving.ts';
import { loadConfig } from '../compose/config.ts';
import { graphIn, readGraphFile } from './workflow-files.ts';

const greeting = `
title: Greeting
nodes:
  - { id: start, type: start }
  - id: say
    type: template
    value: Hello {{input.text}}
  - { id: end, type: end, output: '{{nodes.say.output}}' }
edges:
  - { from: start, to: say }
  - { from: say, to: end }
`;

function configured(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'workflows'));
  writeFileSync(join(folder, 'vitrine.config.json'), '{}');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'workflows', name), text);
  return folder;
}

function load(folder: string) {
  return loadConfig({ folder, data: folder, pace: 0 });
}

test('[WR5] graphs in the folder beside a configuration are published read-only, called like their files', async () => {
  const other = `name: other\n${greeting.replace('type: template', 'type: workflow').replace('value: Hello {{input.text}}', 'workflow: greeting')}`;
  const folder = configured({ 'a.yml': other, 'greeting.yaml': greeting, 'notes.txt': 'no graph' });
  const { config } = await load(folder);
  expect(Object.keys(config.workflows)).toEqual(['other', 'greeting']);
  const data = join(folder, 'data');
  const at = await serving({ data, config });
  const { workflows } = vitrineClient({ url: at.url });
  const list = await workflows.list();
  expect(list.workflows).toMatchObject([
    { name: 'greeting', title: 'Greeting', readOnly: true, published: { version: 1 }, versions: 1 },
    { name: 'other', readOnly: true },
  ]);
  const refused = await workflows.save('greeting', {}).catch((thrown: unknown) => failureOf(thrown));
  expect(refused).toMatchObject({ code: 'rejected', message: expect.stringContaining('clone it') });
  expect(await workflows.clone('greeting', { name: 'mine' })).toMatchObject({ name: 'mine', problems: [] });
  await at.close();

  const fewer = await serving({
    data,
    config: { workflows: { greeting: config.workflows['greeting'] ?? {} } },
  });
  const again = vitrineClient({ url: fewer.url }).workflows;
  expect((await again.versions('other')).versions).toMatchObject([{ version: 1, state: 'archived' }]);
  expect((await again.versions('greeting')).versions).toMatchObject([{ version: 1, state: 'published' }]);
});

test('[WR5] a file that is no graph, or one with problems, is refused with its place and the fix', async () => {
  await expect(load(configured({ 'a.yaml': 'nodes: [' }))).rejects.toThrow(
    /a\.yaml cannot be read: .* line 1/,
  );
  expect(() => readGraphFile('no-such.yaml')).toThrow(
    'no-such.yaml cannot be read: it is not there, give the path of a graph in YAML or JSON.',
  );
  await expect(load(configured({ 'a.yaml': 'just words' }))).rejects.toThrow('is no graph: write «name»');
  await expect(load(configured({ 'a.yaml': 'name: x', 'b.json': '{"name":"x"}' }))).rejects.toThrow(
    'another file has a workflow «x»',
  );
  const { config } = await load(configured({ 'a.yaml': greeting.replace('nodes.say', 'nodes.sy') }));
  const failed = await serving({ config }).catch((thrown: unknown) => failureOf(thrown));
  expect(failed).toMatchObject({
    code: 'malformed',
    message: expect.stringContaining('The workflow «a» cannot be used: end.output'),
    problems: [{ node: 'end', field: 'output' }],
  });
});

test('[WR5] YAML is data: no types of its own, and no aliases that grow', () => {
  expect(graphIn('a: yes\nb: 2026-11-17\nc: 0o7\n<<: 1', 'f')).toEqual({
    a: 'yes',
    b: '2026-11-17',
    c: 7,
    '<<': 1,
  });
  const lines = Array.from(
    { length: 9 },
    (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`,
  );
  expect(() => graphIn(`a0: &a0 x\n${lines.join('\n')}`, 'f')).toThrow('f cannot be read: Excessive alias');
  expect(() => graphIn(`a: ${'['.repeat(80)}${']'.repeat(80)}`, 'f')).toThrow('nested deeper');
});

test('[V327] an alias that leads to itself is said to, with its file', async () => {
  const circle = '{ id: start, type: start, value: &deep [*deep] }';
  await expect(
    load(configured({ 'a.yaml': greeting.replace('{ id: start, type: start }', circle) })),
  ).rejects.toThrow(/a\.yaml cannot be read: an alias in it leads to itself/);
});
