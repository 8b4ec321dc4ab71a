import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/serving.ts';
import { loadConfig, type LoadedConfig } from './config.ts';

async function load(name: string, text: string): Promise<LoadedConfig> {
  const folder = temporaryFolder();
  const file = join(folder, name);
  writeFileSync(file, text);
  return loadConfig({ folder, data: join(folder, 'data'), pace: 0 }, file);
}

test('a file may be JSON, or a program that gives a configuration or makes one', async () => {
  const settings = '{ "server": { "port": 4000 } }';
  for (const [name, text] of [
    ['a.json', settings],
    ['a.ts', `const port: number = 4000; export default { server: { port } };`],
    ['b.ts', `export default async (around: { data: string }) => (${settings});`],
  ] as const)
    expect((await load(name, text)).config.server.port).toBe(4_000);
});

test.for([
  ['a JSON file that breaks off', 'a.json', '{"apps": {', 'cannot be read'],
  ['a field there is not', 'a.json', '{"app": {}}', '«app» is not known here; remove or rename it'],
  ['a number in quotes', 'a.json', '{"server":{"port":"80"}}', 'server.port: must be a number, not a text'],
  ['a quota of nothing', 'a.json', '{"server":{"quotas":{"runs":0}}}', 'server.quotas.runs: '],
  [
    'a site with a path',
    'a.json',
    '{"server":{"origins":["https://a.example/"]}}',
    'server.origins[0]: write',
  ],
  ['a site without a scheme', 'a.json', '{"server":{"origins":["a.example"]}}', 'https://host, without'],
  [
    'a secret itself',
    'a.json',
    '{"models":{"m":{"baseUrl":"http://h","model":"m","key":"sk"}}}',
    'models.m.key: ',
  ],
  ['a model there is not', 'a.json', '{"agents":{"a":{"description":"d","model":"n"}}}', 'agents.a.model: '],
  ['an app there is not', 'a.json', '{"defaultApp":"z"}', 'defaultApp: there is no app «z»'],
  ['a list', 'a.json', '[]', 'the whole: must be an object, not a list'],
  ['a prototype', 'a.json', '{"__proto__":{"server":{"port":1}}}', 'has a field «__proto__»'],
  [
    'a prototype for an app',
    'a.json',
    '{"apps":{"__proto__":{"flow":"converse"}}}',
    'has a field «__proto__»',
  ],
  ['a field twice', 'a.json', '{"server":{"port":1,"port":2}}', 'the field «port» twice'],
  ['a token by nobody', 'a.json', '{"auth":{"jwt":{"algorithms":["none"]}}}', 'auth.jwt.algorithms[0]: '],
  ['a program without a default', 'a.ts', 'export const config = {}', 'write «export default'],
  ['a program that fails', 'a.ts', '\n\nthrow new Error("boom")', 'a.ts (line 3) cannot be read: boom.'],
  ['a program that misses another', 'a.ts', 'import "./nope.ts"; export default {}', 'Cannot find module'],
  ['a maker that fails', 'a.ts', 'export default () => { throw new Error("boom") }', 'cannot be read: boom.'],
  [
    'a maker that is refused',
    'a.ts',
    'export default async () => Promise.reject("no")',
    'cannot be read: no.',
  ],
  [
    'a flow without a version',
    'a.ts',
    'export default { apps: { x: { flow: { name: "x" } } } }',
    'apps.x.flow: ',
  ],
] as const)('[S44] %s is refused with the file, the field and the fix', async ([, name, text, why]) => {
  const loading = load(name, text);
  await expect(loading).rejects.toMatchObject({ failure: { code: 'malformed' } });
  await expect(loading).rejects.toThrow(why);
  await expect(loading).rejects.toThrow(name);
  expect(Reflect.get({}, 'server')).toBeUndefined();
});

test('a file that is not there is named', async () => {
  const folder = temporaryFolder();
  const loading = loadConfig({ folder, data: folder, pace: 0 }, join(folder, 'nope.ts'));
  await expect(loading).rejects.toThrow(/no configuration at .*nope\.ts: correct --config/);
});

test('one under another ending is named, and not passed over for the demo world', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'vitrine.config.mjs'), 'export default {};');
  await expect(loadConfig({ folder, data: folder, pace: 0 })).rejects.toThrow(
    'vitrine.config.mjs is not read under this name: call it vitrine.config.ts, vitrine.config.js, vitrine.config.json, or name it with --config.',
  );
});
