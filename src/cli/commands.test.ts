import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allCommands, commandNames } from './commands.ts';

/** Says which modules a process has loaded, as its last line to stderr. */
const telling = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  process.on('exit', () => console.error(JSON.stringify(loaded)));
`)}`;

function loadedBy(...words: readonly string[]): readonly string[] {
  const bin = join(import.meta.dirname, '../../bin/vitrine.js');
  const { stderr } = spawnSync(process.execPath, ['--import', telling, bin, ...words], { encoding: 'utf8' });
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as string[];
}

describe('commands', () => {
  test('each is listed by its own name', async () => {
    expect((await allCommands()).map(({ name }) => name)).toEqual(commandNames);
  });

  test('one that only reads loads neither the engine nor what works, serves or listens', () => {
    const data = mkdtempSync(join(tmpdir(), 'vitrine-commands-'));
    const loaded = loadedBy('runs', '--data', data);
    rmSync(data, { recursive: true });
    expect(loaded.some((url) => url.endsWith('/src/cli/commands/runs.ts'))).toBe(true);
    const heavy = [
      '/worker/worker.ts',
      '/engine/execution.ts',
      '/flows/workflow.ts',
      '/cli/commands/serve.ts',
      '/server/host.ts',
      '/server/routes/table.ts',
      '/server/compose/compose.ts',
    ];
    expect(loaded.filter((url) => heavy.some((end) => url.endsWith(end)))).toEqual([]);
  });
});
