import { randomBytes, randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGeneralAgent } from '../../demo/general-agent/server.ts';
import type { DemoServer } from '../../demo/loopback-server.ts';
import { startModel } from '../../demo/model/server.ts';
import { startUserService } from '../../demo/user-service/server.ts';
import { readConfig } from '../../src/catalog/config.ts';
import { appsOf } from '../../src/server/compose/configured-apps.ts';
import { vitrine, type Finished } from '../vitrine.ts';

const folder = mkdtempSync(join(tmpdir(), 'vitrine-json-'));
const elsewhere = join(folder, 'elsewhere');
const file = join(folder, 'vitrine.config.json');
const word = randomBytes(6).toString('hex');
const sentence = `The lighthouse of ${word} burns seaweed on even days.`;
const servers: DemoServer[] = [];

beforeAll(async () => {
  const model = await startModel({ pace: 0 });
  const thinking = { baseUrl: `${model.url}/v1`, model: 'vitrine-scripted' };
  const general = await startGeneralAgent({ model: thinking });
  const users = await startUserService({ model: thinking, database: join(folder, 'users.db') });
  servers.push(model, general, users);
  mkdirSync(join(folder, 'papers'));
  mkdirSync(elsewhere);
  writeFileSync(join(folder, 'papers', 'design.md'), `# The design\n\n${sentence} It has a red door.\n`);
  writeFileSync(file, JSON.stringify(configOf(thinking, { general: general.url, users: users.url })));
});

afterAll(async () => {
  for (const server of servers) await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function configOf(thinking: object, { general, users }: Readonly<Record<string, string>>): unknown {
  const everything = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-everything/package.json',
  );
  const command = [process.execPath, join(everything, '../dist/index.js'), 'stdio'];
  const dial = { baseUrl: general, deployment: 'general-purpose-agent', key: { env: 'GENERAL_KEY' } };
  return {
    models: { thinking },
    agents: {
      thinker: { model: 'thinking' },
      general: { dial, state: 'restore', effect: 'idempotent' },
      people: { conversation: { baseUrl: users, records: 'before' }, state: 'conversation-id' },
    },
    tools: [
      { files: './papers' },
      { documents: './papers' },
      { code: true },
      { mcp: { name: 'every', command } },
    ],
    apps: {
      assistant: { flow: 'converse', settings: { agent: 'thinker' } },
      team: {
        flow: 'coordinate',
        settings: {
          router: 'thinker',
          writer: 'thinker',
          fallback: 'general',
          agents: [
            { name: 'general', description: 'calculation, code, documents' },
            { name: 'people', description: 'users: list, search, delete people' },
          ],
        },
      },
    },
    defaultApp: 'assistant',
  };
}

function ask(text: string, more: readonly string[] = [], env = { GENERAL_KEY: 'k' }): Promise<Finished> {
  const words = ['run', text, '--config', file, '--data', join(folder, 'data'), ...more];
  return vitrine(words, { cwd: elsewhere, env });
}

test('files, documents and MCP tools come from the file, and its folders are seen from where it lies', async () => {
  const { code, out, error } = await ask('summarise the design document in ./papers');
  expect(code, error).toBe(0);
  expect(out).toContain(sentence);
  const hello = await ask('hello');
  expect(hello.out).toContain('every__echo');
  expect(hello.out).toContain('search_documents');
});

test('agents that speak DIAL, and agents that keep conversations, are reached as the file says', async () => {
  const n = randomInt(2, 60);
  const numbers = await ask(`Calculate fibonacci(${n})`, ['--app', 'team']);
  expect(numbers.out, numbers.error).toContain(`fibonacci(${n}) =`);
  const people = await ask('List users named John', ['--app', 'team']);
  expect(people.out, people.error).toContain('John');
});

test('[K46] a key that is in no variable is missed by field and name, before the run begins', async () => {
  const { code, error } = await ask('Calculate fibonacci(3)', ['--app', 'team'], { GENERAL_KEY: '' });
  expect(error).toContain('agents.general.dial.key: set the environment variable GENERAL_KEY');
  expect(code).toBe(2);
});

test('tools of one name from two places are refused before the run begins', async () => {
  const twice = join(folder, 'twice.json');
  const config = {
    models: { m: { baseUrl: 'http://127.0.0.1:1/v1', model: 'm' } },
    agents: { a: { model: 'm' } },
    apps: { talk: { flow: 'converse', settings: { agent: 'a' } } },
    tools: [{ files: '.' }, { files: './papers' }],
  };
  writeFileSync(twice, JSON.stringify(config));
  const words = ['run', 'hello', '--config', twice, '--data', join(folder, 'other')];
  const { code, error } = await vitrine(words, { cwd: elsewhere });
  expect(error).toContain('two of its tools are called «list_files»');
  expect(code).toBe(2);
});

test('the example of the guide is a configuration whose apps can be chosen', () => {
  const guide = readFileSync(new URL('../../docs/guides/configuration.md', import.meta.url), 'utf8');
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
  const apps = appsOf(readConfig(JSON.parse(example), 'the guide'), 'the guide');
  expect(apps.map(({ name }) => name)).toEqual(['assistant', 'team']);
});
