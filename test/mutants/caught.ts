import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants.ts';
import type { Asked, Ended } from './runner.ts';

const runnerPath = fileURLToPath(new URL('./runner.ts', import.meta.url));

/** A mutant that only hangs is not caught: nobody would wait for it. Milliseconds. */
const patience = 240_000;

export const shards = 4;

/** Each mutant of a share must be caught. Shares are files of their own, so that they run at the same time. */
export function mutantsAreCaught(share: number): void {
  const mine = byTest().filter((_, i) => i % shards === share - 1);
  const runner = openRunner();
  afterAll(() => runner.close());

  test.for(mine)('[mutant] $name: is caught', { timeout: patience + 30_000 }, async (mutant) => {
    expect(readFileSync(mutant.file, 'utf8'), `${mutant.file} has the line`).toContain(mutant.find);
    const { failed, errors } = await runner.run({ of: mutant.name, mutant: mutant.name });
    expect(failed, `what failed of ${mutant.test}; beside it: ${errors.join('\n')}`).not.toEqual([]);
  });

  test('no mutant is left behind', { timeout: patience + 30_000 }, async () => {
    const last = mine.at(-1) ?? expect.fail('a share without mutants');
    const { passed, failed, errors } = await runner.run({ of: last.name, mutant: undefined });
    expect({ failed, errors }).toEqual({ failed: [], errors: [] });
    expect(passed).toBeGreaterThan(0);
  });
}

/** Those that the same test catches stand together: its process is kept. */
function byTest(): readonly Mutant[] {
  return mutants.toSorted((one, other) => (one.test < other.test ? -1 : one.test > other.test ? 1 : 0));
}

/** One process for all, and another one after somebody did not come back. */
function openRunner(): { run(asked: Asked): Promise<Ended>; close(): Promise<void> } {
  let runner: Runner | undefined;
  const kill = (): void => {
    // With its workers: one that spins would take a core from all tests that follow.
    if (runner?.child.exitCode === null && runner.child.pid !== undefined)
      process.kill(-runner.child.pid, 'SIGKILL');
    runner = undefined;
  };
  return {
    async run(asked) {
      try {
        runner ??= await startRunner();
        runner.child.send(asked);
        return (await answerOf(runner)) as Ended;
      } catch (error) {
        kill();
        throw error;
      }
    },
    async close() {
      runner?.child.disconnect();
      await runner?.gone.catch(() => undefined);
    },
  };
}

interface Runner {
  readonly child: ChildProcess;
  /** Rejects when the process has ended. */
  readonly gone: Promise<never>;
}

async function startRunner(): Promise<Runner> {
  const child = fork(runnerPath, {
    env: { ...process.env, SCHEDULES: '40000', IMPATIENT: '1', CI: '1' },
    execArgv: [],
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`The process that runs the tests of mutants ended with ${code}.`);
  });
  const runner = { child, gone };
  await answerOf(runner);
  return runner;
}

async function answerOf({ child, gone }: Runner): Promise<unknown> {
  const answer = once(child, 'message', { signal: AbortSignal.timeout(patience) });
  const [told] = (await Promise.race([answer, gone])) as [unknown];
  return told;
}
