import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { moduleFacts } from '../../test/module-facts.ts';
import { appWith, serving, temporaryFolder, textAt, untilAnswer } from '../../test/serving.ts';
import { terminalFor } from '../../test/terminal.ts';
import { openUpstream } from '../../test/upstream.ts';
import { framed, wires } from '../../test/model-wires.ts';
import { openFolder } from '../server/compose/compose.ts';
import { demoWorld, loadConfig } from '../server/compose/config.ts';
import { defaultAppOf } from '../server/folder/home.ts';
import { cli } from './cli.ts';
import { greet } from './commands/serve.ts';

interface Typed {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

async function typed(...words: string[]): Promise<Typed> {
  const [out, error]: [string[], string[]] = [[], []];
  const code = await cli(words, terminalFor(out, error));
  return { code, out: out.join('\n'), error: error.join('\n') };
}

const demoConfig = async () => {
  const data = temporaryFolder();
  return { data, ...(await loadConfig({ folder: data, data, pace: 0 })) };
};

test('[V100] without a configuration everything starts the demo world, and its default app is one', async () => {
  const { config, where } = await demoConfig();
  expect(where).toBe(demoWorld);
  expect(defaultAppOf(config)).toBe('demo');
  const at = await serving({ config });
  const run = textAt(
    await at.ask('/api/runs', { json: { input: { text: 'Which links are down?' } } }),
    'run',
  );
  expect((await at.ask('/api/runs')).json).toMatchObject({ runs: [{ run, app: 'demo' }] });
  const folder = temporaryFolder();
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => void vi.restoreAllMocks());
  const { out, code } = await typed('run', 'Which links are down?', '--json', '--data', join(folder, 'd'));
  expect([code, JSON.parse(out.split('\n')[0] ?? '')]).toMatchObject([0, { event: { app: 'demo' } }]);
});

test('[V101] nothing of the demo is in a server of somebody else', async () => {
  const mine = appWith(async (scope) => JSON.stringify(await scope.call('mine', {})), 'mine');
  const at = await serving({ config: { apps: { mine } } });
  expect((await at.ask('/api/apps')).json).toMatchObject({ apps: [{ name: 'mine' }] });
  const { apps } = (await at.ask('/api/apps')).json as { apps: object[] };
  expect(apps).toHaveLength(1);
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
  const { text } = await untilAnswer(
    () => at.ask(`/api/runs/${run}`),
    (answer) => answer.text.includes('"status":"completed","'),
  );
  expect(text).toContain('There is no tool «mine»');
  expect(text).not.toMatch(/demo_|tour_/);
  const { context } = at.server;
  expect(context.home.catalog.agents).toEqual([]);
  const empty = await openFolder({ data: temporaryFolder() });
  onTestFinished(() => empty.close());
  expect(empty.apps).toEqual([]);
});

test('[V103] the scripted model says so: to whoever starts it, and in the tree', async () => {
  const { config } = await demoConfig();
  const at = await serving({ config });
  expect(at.server.context.home.notices[0]).toContain('The model of the demo is a script');
  const [out, error]: [string[], string[]] = [[], []];
  greet(at.server, terminalFor(out, error));
  expect(error[0]).toContain('The model of the demo is a script');
  const run = textAt(
    await at.ask('/api/runs', { json: { input: { text: 'Which links are down?' } } }),
    'run',
  );
  const { text } = await untilAnswer(
    () => at.ask(`/api/runs/${run}`),
    (answer) => answer.text.includes('"agent":"demo-model"'),
  );
  expect(text).toContain('"model":"vitrine-scripted"');
  const folder = temporaryFolder();
  const { error: said } = await typed('run', 'hello', '--files', folder, '--data', join(folder, 'data'));
  expect(said).toContain('The model is a script');
});

test('[V102] --model works with a key alone, and says what is missing', async () => {
  const upstream = await openUpstream();
  onTestFinished(() => upstream.close());
  const [openai] = wires;
  if (!openai) throw new Error('no wire');
  upstream.answer(framed(openai, openai.answers));
  const folder = temporaryFolder();
  for (const name of ['ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENAI_API_KEY']) vi.stubEnv(name, '');
  onTestFinished(() => void vi.unstubAllEnvs());
  const words = ['run', 'How is Perth?', '--model', 'gpt-5.2', '--data', join(folder, 'data')];
  expect(await typed(...words)).toMatchObject({
    code: 2,
    error: expect.stringContaining('set OPENAI_API_KEY'),
  });
  vi.stubEnv('OPENAI_API_KEY', 'a-key-of-some-length');
  vi.stubEnv('OPENAI_BASE_URL', upstream.url);
  const { code, out, error } = await typed(...words);
  expect([code, error]).toEqual([0, '']);
  expect(out).toContain('It is sunny in Perth.');
  expect(upstream.requests[0]?.headers['authorization']).toBe('Bearer a-key-of-some-length');
});

test.for([
  ['--files', 'nope', 'is not there: name a folder'],
  ['--files', 'a-file', 'is a file: name the folder it is in'],
  ['--data', 'a-file', 'is a file: name a folder with --data'],
] as const)('[V102] [Z12] %s %s is refused in a sentence', async ([option, name, sentence]) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a-file'), '');
  const data = option === '--data' ? [] : ['--data', join(folder, 'data')];
  const { code, error } = await typed('run', 'x', option, join(folder, name), ...data);
  expect([code, error]).toEqual([2, expect.stringContaining(sentence)]);
  if (option === '--data')
    for (const command of ['runs', 'approvals', 'serve'])
      expect((await typed(command, '--data', join(folder, name))).error).toContain(sentence);
});

test('[V104] a server says what it has, and what is away', async () => {
  const tool = { name: 'mine', description: '', schema: {}, effect: 'pure' as const, run: async () => null };
  const mcp = { name: 'none', command: ['/nowhere/at/all'] };
  const two = { one: appWith(async () => '', 'one'), two: appWith(async () => '', 'two') };
  const at = await serving({ config: { apps: two, defaultApp: 'two', tools: [tool, { mcp }] } });
  const [out, error]: [string[], string[]] = [[], []];
  greet(at.server, terminalFor(out, error));
  expect(out).toEqual([
    `Vitrine listens on ${at.url}`,
    '  apps    one, two (unless said)',
    '  agents  none',
    '  tools   mine',
    '  away    none',
    `  process ${process.pid}`,
  ]);
  expect(error.join('\n')).toContain('The MCP server none is away');
});

test.for([
  [{ a: 1 }, '{\n  "a": 1\n}'],
  [undefined, ''],
  [null, 'null'],
  [7, '7'],
] as const)('[V106] a flow that returns %o is answered with text', async ([returned, text]) => {
  const folder = temporaryFolder();
  const file = join(folder, 'vitrine.config.mjs');
  const value = JSON.stringify(returned) ?? 'undefined';
  writeFileSync(
    file,
    `export default { apps: { it: { flow: { name: 'it', version: '1', run: async () => (${value}) } } } };`,
  );
  const { code, out } = await typed('run', 'x', '--config', file, '--data', join(folder, 'data'));
  expect([code, out.split('\n\n').slice(1).join('\n\n')]).toEqual([0, text]);
});

const talking = { talk: appWith(async (_, text) => `heard ${text}`, 'talk') };

test('[V107] a conversation is erased from the terminal, by itself and beside a server', async () => {
  const at = await serving({ config: { apps: talking } });
  const say = (text: string) => at.ask('/api/runs', { json: { conversation: 'c1', input: { text } } });
  const run = textAt(await say('swordfish'), 'run');
  await say('again');
  await at.ask(`/api/runs/${run}`);
  const asked = await typed('erase', run, '--data', at.data);
  expect([asked.code, asked.error]).toEqual([
    2,
    'This would erase conversation c1 with 2 runs, for good: say --yes to do it.',
  ]);
  const gone = await typed('erase', 'c1', '--yes', '--data', at.data);
  expect([gone.code, gone.out]).toEqual([0, 'Conversation c1 is gone, with 2 runs.']);
  expect((await at.ask(`/api/runs/${run}`)).status).toBe(404);
  const other = textAt(
    await at.ask('/api/runs', { json: { conversation: 'c2', input: { text: 'x' } } }),
    'run',
  );
  expect((await typed('erase', other, '--yes', '--server', at.url)).out).toContain('c2 is gone, with 1 run.');
  await at.close();
  expect(readFileSync(join(at.data, 'vitrine.db')).includes('swordfish')).toBe(false);
  expect((await typed('erase', 'c1', '--data', at.data)).error).toContain('There is no run «c1» here');
});

test('[V170] what the log says of an erased run goes with it, and nothing else does', async () => {
  const folder = temporaryFolder();
  const [data, file] = [join(folder, 'data'), join(folder, 'mine.config.ts')];
  const breaking = 'async (_, { text }) => { throw new Error(`no customer «${text}»`); }';
  writeFileSync(
    file,
    `export default { apps: { it: { flow: { name: 'it', version: '1', run: ${breaking} } } } };`,
  );
  const say = (...words: string[]) => typed(...words, '--config', file, '--data', data);
  await say('run', 'Jane Roe');
  await say('run', 'John Doe');
  const log = () => readFileSync(join(data, 'vitrine.log'), 'utf8');
  expect(log()).toContain('Jane Roe');
  const { out } = await typed('runs', '--json', '--data', data);
  const jane = out.split('\n').find((line) => line.includes('Jane')) ?? '';
  const { run } = JSON.parse(jane) as { run: string };
  expect((await typed('erase', run, '--yes', '--data', data)).code).toBe(0);
  expect(log()).not.toContain('Jane Roe');
  expect(log()).toContain('John Doe');
});

test('[Z11] nothing is loaded before the first line is written', () => {
  const path = 'src/cli/main.ts';
  const { imports } = moduleFacts({ path, text: readFileSync(path, 'utf8') });
  const text = readFileSync(path, 'utf8');
  expect(text).not.toMatch(/^import /m);
  expect(imports.length).toBeGreaterThan(2);
  expect(text.indexOf('Vitrine is starting')).toBeLessThan(text.indexOf('import('));
});

test('[V100] the tour shows the rows of its table', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  vi.stubEnv('VITRINE_PACE', '0');
  onTestFinished(() => void vi.unstubAllEnvs());
  const words = ['run', 'x', '--app', 'tour', '--yes', '--config', demoWorld, '--data', join(folder, 'data')];
  const { code, out } = await typed(...words);
  expect(code).toBe(0);
  expect(out).toContain('+ table: 3 rows');
  expect(out).toMatch(/Sun 03:00–05:00 +4\n/);
});
