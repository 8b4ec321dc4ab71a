import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

/** A mutant that only hangs is not caught: nobody would wait for it. Milliseconds. */
const patience = 240_000;

export const shards = 4;

/** Each mutant of a share must be caught. Shares are files of their own, so that they run at the same time. */
export function mutantsAreCaught(share: number): void {
  const mine = mutants.filter((_, i) => i % shards === share - 1);
  test.for(mine)('[mutant] $name: is caught', { timeout: patience + 30_000 }, async (mutant) => {
    expect(readFileSync(mutant.file, 'utf8'), `${mutant.file} has the line`).toContain(mutant.find);
    const { code, output } = await runTest(mutant);
    expect(output, 'the test itself ran').toMatch(/Tests .*failed/);
    expect(code, output).not.toBe(0);
  });
}

async function runTest(mutant: Mutant): Promise<{ code: number | null; output: string }> {
  const only = mutant.only === undefined ? [] : ['-t', mutant.only];
  const soon = ['--testTimeout', mutant.hangs ? '15000' : '60000'];
  const args = [vitest, 'run', '--bail', '1', '--no-color', ...soon, mutant.test, ...only];
  const child = spawn(process.execPath, args, {
    env: {
      ...process.env,
      SCHEDULES: '40000',
      CI: '1',
      MUTANT: mutant.name,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // With its workers: one that spins would take a core from all tests that follow.
  const tooLong = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), patience);
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(tooLong);
  return { code, output };
}
