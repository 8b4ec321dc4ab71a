import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';
import { done, link, listening, packed, type Packed } from '../packed.ts';

let it: Packed;

/** Three compilers and a bundler, which a busy machine has at once with all else. */
beforeAll(() => {
  it = packed();
  writeFileSync(join(it.home, 'package.json'), '{"type":"module","private":true}');
  writeFileSync(join(it.home, 'vitrine.config.js'), config);
  for (const name of ['own-app', 'in-a-program'])
    cpSync(join(examples, name), join(it.home, name), { recursive: true });
  return () => it.remove();
}, 900_000);

const examples = join(import.meta.dirname, '../../examples');

const config = `
import { defineConfig, functionTool } from 'vitrine';
import { z } from 'zod';

const double = functionTool({
  name: 'double',
  description: 'Twice as much.',
  input: z.strictObject({ number: z.number() }),
  effect: 'pure',
  run: ({ number }) => ({ number: number * 2 }),
});

export default defineConfig({
  tools: [double],
  apps: {
    twice: {
      flow: {
        name: 'twice',
        version: '1',
        async run(scope, { text }) {
          const done = await scope.call('double', { number: Number(text) });
          return 'failure' in done ? done.failure.message : \`twice \${text} is \${done.result.number}\`;
        },
      },
    },
  },
});
`;

/** Imports everything by its published name, and follows a run of a server to its end. */
const program = `
import assert from 'node:assert/strict';
import * as main from 'vitrine';
import { vitrineClient } from 'vitrine/client';
import { playRun } from 'vitrine/testing';

for (const name of ['defineConfig', 'functionTool', 'mcpServer', 'openAiChatGateway', 'RunError'])
  assert.equal(typeof main[name], 'function', name);
const { tree: played } = await playRun({
  flow: { name: 'f', version: '1', run: async (_, { text }) => text + '!' },
  text: 'played',
});
assert.equal(played.answer, 'played!');
const client = vitrineClient({ url: process.argv[2] });
const { run } = await client.start({ text: '21' });
let last;
for await (const tree of client.follow(run)) last = tree;
assert.equal(last.status, 'completed');
console.log(last.answer);
`;

test('the package has what runs, what types it, and nothing else', () => {
  const known = [/^(package\.json|README\.md|LICENSE|bin\/vitrine\.js)$/, /^dist\/(src|demo|web\/dist)\//];
  expect(it.files.filter((path) => !known.some((pattern) => pattern.test(path)))).toEqual([]);
  const needless = /\.(test|contract)\.|\.map$|(?<!\.d)\.ts$|\.tsbuildinfo$|(^|\/)(test|bench|examples)\//;
  expect(it.files.filter((path) => needless.test(path))).toEqual([]);
  expect(it.files.length).toBeGreaterThan(300);
});

test('a program without a line of TypeScript defines an app, runs it, serves it and follows it', async () => {
  const answer = done(it.home, process.execPath, [it.bin, 'run', '21', '--data', 'first']);
  expect(answer.trimEnd().split('\n').at(-1)).toBe('twice 21 is 42');
  writeFileSync(join(it.home, 'program.js'), program);
  const { url } = await listening(it.home, [it.bin, 'serve', '--port', '0', '--data', 'second']);
  expect(done(it.home, process.execPath, ['program.js', url])).toBe('twice 21 is 42\n');
  expect(await (await fetch(url)).text()).toContain('Vitrine');
  const described = (await (await fetch(`${url}/openapi.json`)).json()) as object;
  expect(described).toMatchObject({ info: { version: expect.stringMatching(/^\d+\.\d+\.\d+/) } });
});

test('the demo world that comes with it answers', () => {
  const words = ['run', 'Which tickets are about Perth?', '--app', 'demo', '--yes', '--data', 'demo'];
  const elsewhere = join(it.home, 'elsewhere');
  mkdirSync(elsewhere);
  expect(done(elsewhere, process.execPath, [it.bin, ...words])).toMatch(/Perth/);
  const version = done(elsewhere, process.execPath, [it.bin, '--version']);
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
});

test('its types compile in a strict project that checks them, and so does the example', () => {
  link(it.home, '@types/node');
  writeFileSync(join(it.home, 'typed.ts'), typed);
  const options = {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
  };
  writeFileSync(
    join(it.home, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...options, exactOptionalPropertyTypes: true },
      files: ['typed.ts'],
    }),
  );
  const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
  expect(done(it.home, process.execPath, [tsc, '-p', '.'])).toBe('');
});

test('[V109] the examples compile under plain «strict», as most projects have it', () => {
  linkPeers();
  const compilerOptions = {
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
  };
  const file = join(it.home, 'tsconfig.examples.json');
  writeFileSync(file, JSON.stringify({ compilerOptions, include: ['own-app/*.ts', 'in-a-program/*.ts'] }));
  const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
  const listed = done(it.home, process.execPath, [tsc, '-p', file, '--listFiles']);
  for (const name of ['own-app/flow.ts', 'in-a-program/shop.ts']) expect(listed).toContain(name);
});

function linkPeers(): void {
  for (const name of ['zod', '@types/node', '@modelcontextprotocol/server'])
    if (!existsSync(join(it.home, 'node_modules', name))) link(it.home, name);
}

test('[IP1] [IP2] the shop of the guide has Vitrine in it: for itself, and for its users', async () => {
  linkPeers();
  const { child, url } = await listening(join(it.home, 'in-a-program'), ['shop.ts'], { PORT: '0' });
  expect(await (await fetch(url)).text()).toBe('the shop\n');
  expect((await fetch(`${url}/agents/api/runs`)).status).toBe(401);
  const ada = vitrineClient({
    url: `${url}/agents`,
    fetch: (address, init) =>
      fetch(address, { ...init, headers: { ...(init?.headers as Record<string, string>), 'x-user': 'ada' } }),
  });
  expect((await ada.runs()).runs).toEqual([]);
  const { run } = await ada.start({ text: 'Dracula' });
  expect((await Array.fromAsync(ada.follow(run))).at(-1)?.answer).toBe('There is no «Dracula» now.');
  child.kill('SIGTERM');
  const said = (await Array.fromAsync(child.stdout ?? [])).join('');
  expect(said).toContain('closed');
});

const typed = `
import { defineConfig, functionTool, type Flow, type Scope } from 'vitrine';
import { vitrineClient, type FlatTree } from 'vitrine/client';
import { playRun, scriptedGateway } from 'vitrine/testing';
import { z } from 'zod';

const tool = functionTool({
  name: 'double',
  description: '',
  input: z.strictObject({ number: z.number() }),
  effect: 'pure',
  run: ({ number }) => ({ number: number * 2 }),
});
const flow: Flow = {
  name: 'f',
  version: '1',
  async run(scope: Scope, { text }): Promise<string> {
    const { text: said } = await scope.turn('a', { messages: [{ role: 'user', text }] });
    return said;
  },
};
export default defineConfig({ tools: [tool], apps: { f: { flow } } });
// @ts-expect-error a flow has a version
defineConfig({ apps: { f: { flow: { name: 'f', run: async () => '' } } } });

export async function main(): Promise<string> {
  const client = vitrineClient({ url: 'http://127.0.0.1:4177' });
  const { run } = await client.start({ text: 'x' });
  let last: FlatTree | undefined;
  for await (const tree of client.follow(run)) last = tree;
  // @ts-expect-error there is no such decision
  await client.decide('a', { decision: 'maybe' });
  const { tree } = await playRun({
    flow,
    text: 'x',
    agents: [{ name: 'a', description: '', gateway: scriptedGateway([[{ type: 'say', text: 'y' }]]), effect: 'pure' }],
  });
  return \`\${last?.seq} \${tree.status}\`;
}
`;

test('the client needs nothing of Node: all it imports is its own and zod', () => {
  const seen = new Set<string>();
  const outside = new Set<string>();
  const walk = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    expect(text, file).not.toMatch(/\b(process|Buffer|require|__dirname)\b[.(]/);
    for (const [, name = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      if (name.startsWith('.')) walk(resolve(dirname(file), name));
      else outside.add(name);
    }
  };
  walk(join(it.installed, 'dist/src/client/client.js'));
  expect([...outside]).toEqual(['zod']);
  const folders = [...seen].map((file) => relative(join(it.installed, 'dist/src'), file).split('/')[0]);
  expect(new Set(folders)).toEqual(new Set(['client', 'run', 'wire']));
});

describe('the example of an app of one’s own', () => {
  test('runs: a function tool, an MCP server, a remote agent and a flow', async () => {
    const home = join(it.home, 'own-app');
    const reviewer = await listening(home, ['reviewer.ts'], { REVIEWER_PORT: '0' });
    const words = [it.bin, 'serve', '--port', '0'];
    const { child, url } = await listening(home, words, { REVIEWER_URL: reviewer.url });
    const client = vitrineClient({ url });
    const { run } = await client.start({ app: 'books', text: 'I want Frankenstein' });
    for await (const tree of client.follow(run)) {
      if (tree.status !== 'waiting') continue;
      const [approval] = (await client.approvals({ run })).approvals;
      expect(approval).toMatchObject({
        title: 'place_order',
        arguments: { isbn: '9780486282114', copies: 1, euros: 7.5 },
      });
      const { id = '', fingerprint = '' } = approval ?? {};
      await client.decide(id, { decision: 'approve', fingerprint });
    }
    const tree = await client.tree(run);
    expect(tree.answer).toBe(
      '«Frankenstein», 7.5 euros with shipping, ordered as B-2114-1.\n\nI have read Frankenstein twice. Buy it before the winter.',
    );
    expect(tree.steps.map(({ title, status }) => [title, status])).toEqual(
      expect.arrayContaining([
        ['Find the book', 'completed'],
        ['library__find_book', 'completed'],
        ['price', 'completed'],
        ['Reviewer', 'completed'],
        ['place_order', 'completed'],
      ]),
    );
    child.kill('SIGTERM');
    const code = await new Promise<number | null>((tell) => child.once('exit', tell));
    expect(code).toBe(0);
  });

  test('tests its flow with what is published for that', () => {
    const said = done(join(it.home, 'own-app'), process.execPath, ['--test', 'flow.test.ts']);
    expect(said).toContain('pass 2');
  });
});
