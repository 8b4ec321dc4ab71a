// A configuration is a program. It runs for those who want to run something, and for nobody else.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../serving.ts';
import { vitrine, type Finished } from '../vitrine.ts';

interface Folder {
  readonly type: (...words: string[]) => Promise<Finished>;
  /** Whether the configuration was run since this was last asked. */
  readonly wasLoaded: () => boolean;
}

/** A folder whose configuration leaves a trace when it is loaded. */
function folder(): Folder {
  const cwd = temporaryFolder();
  const loaded = join(cwd, 'loaded');
  writeFileSync(
    join(cwd, 'vitrine.config.ts'),
    `import { writeFileSync } from 'node:fs';
     writeFileSync(${JSON.stringify(loaded)}, '');
     const flow = { name: 'asks', version: '1', run: async (scope: any) =>
       (await scope.ask({ key: 'q', title: 'May I?', allowed: ['approve', 'reject', 'edit'] })).decision };
     export default { apps: { asks: { flow } } };`,
  );
  return {
    type: (...words) => vitrine(words, { cwd }),
    wasLoaded() {
      const isThere = existsSync(loaded);
      rmSync(loaded, { force: true });
      return isThere;
    },
  };
}

async function waitingRun({ type, wasLoaded }: Folder): Promise<string> {
  expect((await type('run', 'x', '--app', 'asks')).code).toBe(3);
  expect(wasLoaded()).toBe(true);
  const [newest = '{}'] = (await type('runs', '--json')).out.split('\n');
  return (JSON.parse(newest) as { run: string }).run;
}

test('[V33] looking at runs, deciding, pausing, telling and stopping load no configuration', async () => {
  const here = folder();
  const { type, wasLoaded } = here;
  const [one, two] = [await waitingRun(here), await waitingRun(here)];
  const all: readonly (readonly string[])[] = [
    ['runs'],
    ['show', one],
    ['approvals'],
    ['keys', 'list'],
    ['pause', one],
    ['message', one, 'hurry'],
    ['approve', `${one}.a1`],
    ['reject', `${two}.a1`],
    ['stop', two],
    ['follow', two],
    ['resume', '--help'],
  ];
  for (const words of all) {
    const { error } = await type(...words);
    expect(wasLoaded(), `${words.join(' ')}: ${error}`).toBe(false);
  }
  const shown = JSON.parse((await type('show', one, '--json')).out) as { status: string };
  expect(shown.status).toBe('paused');
  expect((await type('show', two)).out).toContain('stopped');
  // What was decided meanwhile holds when somebody who may run something goes on with it.
  const resumed = await type('resume', one);
  expect([resumed.code, resumed.out.trimEnd().split('\n').at(-1)]).toEqual([0, 'approve']);
  expect(wasLoaded()).toBe(true);
  // There is nothing left to work on, so there is nothing to load.
  expect((await type('resume')).error).toContain('There is nothing to resume.');
  expect(wasLoaded()).toBe(false);
});

test('[V33] what was typed is recorded at once, and it is said how to go on', async () => {
  const here = folder();
  const run = await waitingRun(here);
  const approved = await here.type('approve', run, '--why', 'fine');
  expect([approved.code, approved.out]).toEqual([0, `${run}.a1: approve.\n`]);
  expect(approved.error).toContain(`vitrine resume ${run}`);
  const again = await here.type('reject', `${run}.a1`);
  expect([again.code, again.error]).toEqual([1, expect.stringContaining('decided «approve» at')]);
});

test('[V33] an MCP command of a folder is not started to stop a run there', async () => {
  const cwd = temporaryFolder();
  expect((await vitrine(['run', 'x', '--app', 'tour'], { cwd })).code).toBe(3);
  const started = join(cwd, 'started');
  const touch = `require('node:fs').writeFileSync(${JSON.stringify(started)}, '')`;
  const mcp = { name: 'm', command: ['node', '-e', touch] };
  writeFileSync(join(cwd, 'vitrine.config.json'), JSON.stringify({ tools: [{ mcp }] }));
  const [newest = '{}'] = (await vitrine(['runs', '--json'], { cwd })).out.split('\n');
  const { run } = JSON.parse(newest) as { run: string };
  expect(await vitrine(['stop', run], { cwd })).toMatchObject({ code: 0, out: `Run ${run} is stopped.\n` });
  expect(existsSync(started)).toBe(false);
});
