import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cli } from './cli.ts';
import { shells } from './completion.ts';
import type { Terminal } from './terminal/terminal.ts';

async function typed(...words: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  const out: string[] = [];
  const error: string[] = [];
  const terminal = { say: (text: string) => out.push(text), warn: (text: string) => error.push(text) };
  const code = await cli(words, terminal as unknown as Terminal);
  return { code, out: out.join('\n'), error: error.join('\n') };
}

test('help of a command is its help, however it is asked for', async () => {
  const { out } = await typed('run', '--help');
  expect(await typed('help', 'run')).toEqual({ code: 0, out, error: '' });
  expect(await typed('--help', 'run')).toEqual({ code: 0, out, error: '' });
  expect((await typed('help', 'rum')).error).toContain('did you mean «run»?');
  expect((await typed('help')).out).toEqual((await typed('--help')).out);
});

test('the version is told, however it is asked for', async () => {
  const { out } = await typed('--version');
  expect(out).toMatch(/^\d+\.\d+\.\d+/);
  expect([(await typed('-v')).out, (await typed('version')).out]).toEqual([out, out]);
});

test('a shell that is not known is named with those that are', async () => {
  const { code, error } = await typed('completion', 'tcsh');
  expect([code, error]).toEqual([2, 'There is no completion for «tcsh»: bash, zsh, fish.']);
});

test.for([
  ['vitrine ap', 'apps approvals approve'],
  ['vitrine help sho', 'show'],
  ['vitrine runs --da', '--data'],
  ['vitrine run --proto', '--protocol'],
])('bash completes «%s» to «%s»', async ([line = '', expected]) => {
  const { out } = await typed('completion', 'bash');
  const words = line.split(' ');
  const asking = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _vitrine; echo "\${COMPREPLY[*]}"`;
  expect(execFileSync('bash', ['-c', `${out}\n${asking}`], { encoding: 'utf8' }).trim()).toBe(expected);
});

test.for(shells)('%s reads its completion', async (shell, { skip }) => {
  if (spawnSync(shell, ['-c', 'exit 0']).error) skip(`${shell} is not installed`);
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-completion-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'completion');
  writeFileSync(file, (await typed('completion', shell)).out);
  const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
