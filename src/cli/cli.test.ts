import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { terminalFor } from '../../test/terminal.ts';
import { cli } from './cli.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'vitrine-cli-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** What is typed is not shown anywhere but here. */
async function typed(...words: string[]): Promise<{ code: number; out: string[]; error: string[] }> {
  const out: string[] = [];
  const error: string[] = [];
  return { code: await cli(words, terminalFor(out, error)), out, error };
}

const data = (): string => join(folder, 'data');

test.for([
  ['an unknown command', ['rnu', 'x'], 'vitrine has no command «rnu»: did you mean «run»?'],
  ['an unknown option', ['run', 'x', '--jsno'], 'did you mean --json?'],
  ['no text', ['run'], 'vitrine run needs more'],
  ['a folder that is not there [V266]', ['runs'], 'There are no runs in'],
  ['a folder to index that is not there [V266]', ['reindex'], 'There are no runs in'],
  ['a run where there are none', ['show', 'zzz'], 'There are no runs in'],
  ['an app that is not there', ['run', 'x', '--app', 'y'], 'There is no app «y»; known: '],
  [
    'a configuration that is not there',
    ['run', 'x', '--config', '/no/such.ts'],
    'There is no configuration at',
  ],
  ['an edit that is not JSON', ['edit', 'x', '{'], 'What shall run instead must be JSON: '],
  [
    'a time that is none',
    ['keys', 'create', 'ana', '--expires', 'soon'],
    '--expires is «soon»: give a number and m, h, d or w, as 90m, 12h, 30d or 8w.',
  ],
  ['a role that is none', ['keys', 'create', 'ana', '--role', 'god'], 'viewer, member, approver, operator'],
  ...['ann ', ' ann', 'a  b', 'a b', 'an\u200bn', ''].map(
    (name) =>
      [
        `«${name}» as the name of a person [V121]`,
        ['keys', 'create', name],
        'Names of keys and tenants are up to 64 letters, digits, ., @, _ and -.',
      ] as const,
  ),
  [
    'serving without working, in a folder [V183]',
    ['serve', '--no-work'],
    'To serve without working takes a store that processes share, and the data folder',
  ],
  [
    'working without serving, in a folder [V183]',
    ['work'],
    'To work without serving takes a store that processes share, and the data folder',
  ],
  ['a number that is none', ['runs', '--limit', 'x'], '--limit is «x»: give a whole number from 1 on.'],
] as const)('%s is answered in a sentence, and nothing is changed', async ([, words, sentence]) => {
  const isPlaced = words[0] !== 'rnu';
  const { code, error, out } = await typed(...words, ...(isPlaced ? ['--data', data()] : []));
  expect([code, out, error.length]).toEqual([2, [], 1]);
  expect(error[0]).toContain(sentence);
  expect(existsSync(data())).toBe(false);
});

test('help about help is what there is', async () => {
  expect(await typed('help', 'help')).toEqual(await typed('help'));
});

test.for([
  ['config.json', '{ "apps": ', 'cannot be read: Unexpected end of JSON input'],
  [
    'config.json',
    '{ "apps": { "a": { "flow": "fly" } } }',
    'apps.a.flow: there is no flow «fly»; known: converse, coordinate',
  ],
  [
    'config.js',
    'export default { limits: { turns: "many" } };',
    'limits.turns: must be a number, not a text',
  ],
  ['config.mjs', 'export const x = 1;', 'exports no configuration'],
  ['config.mjs', 'throw new Error("no way")', 'cannot be read: no way. Nothing was changed.'],
] as const)('%s with %s is refused by file, field and fix', async ([name, text, sentence]) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  const { code, error } = await typed('run', 'x', '--config', file, '--data', data());
  expect(code).toBe(2);
  expect(error.join('\n')).toContain(file);
  expect(error.join('\n')).toContain(sentence);
  expect(existsSync(data())).toBe(false);
});

test('the configuration of the guide can be used', async () => {
  const guide = readFileSync(new URL('../../docs/guides/terminal.md', import.meta.url), 'utf8');
  const [, shown = ''] = /```ts\n(import { defineConfig }[^]*?)```/.exec(guide) ?? [];
  const entry = new URL('../index.ts', import.meta.url).href;
  const file = join(folder, 'config.ts');
  writeFileSync(file, shown.replace(`'vitrine'`, `'${entry}'`));
  const { code, error } = await typed('run', 'x', '--app', 'none', '--config', file, '--data', data());
  expect([code, error]).toEqual([2, ['There is no app «none»; known: ask.']]);
});

test('every command has its help', async () => {
  const { out } = await typed('--help');
  const names = [...(out[0] ?? '').matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThanOrEqual(13);
  for (const name of names) {
    const { code, out: help } = await typed(name, '--help');
    expect([code, help[0]?.split('\n')[0]?.startsWith(`vitrine ${name} `)]).toEqual([0, true]);
  }
});

test('an empty folder has no runs and nothing to approve', async () => {
  mkdirSync(data());
  expect(await typed('runs', '--json', '--data', data())).toEqual({ code: 0, out: [], error: [] });
  expect((await typed('approvals', '--data', data())).error).toEqual(['Nothing waits for a person.']);
});

test('[V28] keys may have an end, which the list shows', async () => {
  const made = await typed('keys', 'create', 'ana', '--expires', '30d', '--data', data());
  expect(made.error[0]).toMatch(/good until \d{4}-\d\d-\d\dT\d\d:\d\dZ/);
  await typed('keys', 'create', 'bo', '--data', data());
  const { out } = await typed('keys', 'list', '--data', data());
  const inThirtyDays = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  expect(out[0]).toContain(`ana  local  member  made`);
  expect(out[0]).toContain(`expires ${inThirtyDays}`);
  expect(out[1]).not.toContain('expire');
});

test('[V323] a list that is narrowed down to nothing does not say that there are no runs', async () => {
  mkdirSync(data());
  const { code, error } = await typed('runs', '--app', 'other', '--data', data());
  expect([code, error]).toEqual([0, [expect.stringMatching(/^No run in .* fits\.$/)]]);
});
