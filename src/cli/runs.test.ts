import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { gate, vitrineIn } from '../../test/program.ts';
import { temporaryFolder } from '../../test/serving.ts';
import { terminalFor } from '../../test/terminal.ts';
import { openVitrine } from '../program/open-vitrine.ts';
import type { Flow } from '../engine/scope.ts';
import { functionTool } from '../tools/function.ts';
import { cli } from './cli.ts';
import { exit } from './command.ts';

async function listed(...words: readonly string[]): Promise<readonly string[]> {
  const out: string[] = [];
  await cli(['runs', ...words], terminalFor(out, []));
  return out;
}

test('[DF20] a run whose flow is not here any more is listed as stranded', async () => {
  const data = temporaryFolder();
  const waits = gate();
  const before = await openVitrine({ data, config: { apps: { waits: waits.app }, server: { grace: 0 } } });
  const { run } = await before.start({ app: 'waits', text: 'on it' });
  await waits.reached;
  await before.close();
  await vitrineIn({ data, config: { apps: { waits: { flow: { ...waits.app.flow, version: '2' } } } } });
  expect(await listed('--data', data)).toEqual([expect.stringMatching(`◌ ${run} +stranded .*on it`)]);
  const [row] = await listed('--data', data, '--json');
  expect(JSON.parse(row ?? '')).toMatchObject({ run, stranded: expect.stringContaining('bring it back') });
});

test('[DF20] whoever looks at a run without its flow, or asks something of it, is told what to do', async () => {
  const data = temporaryFolder();
  const asks = (version: string): Flow => ({
    name: 'asks',
    version,
    run: async (scope) => (await scope.ask({ title: 'Go on?' })).decision,
  });
  const before = await openVitrine({ data, config: { apps: { asks: { flow: asks('1') } } } });
  const { run } = await before.start({ app: 'asks', text: 'on it' });
  for await (const { status } of before.follow(run)) if (status === 'waiting') break;
  await before.close();
  await vitrineIn({ data, config: { apps: { asks: { flow: asks('2') } } } });
  const told = expect.stringContaining('asks@1 that it began with is not here: bring it back');
  for (const words of [
    ['runs'],
    ['show', run],
    ['pause', run],
    ['resume', run],
    ['message', run, 'and hurry'],
    ['approve', run],
    ['show', run],
  ]) {
    const error: string[] = [];
    await cli([...words, '--data', data], terminalFor([], error));
    expect(error, words.join(' ')).toContainEqual(told);
  }
});

test('[Z16] what a run has used is said below its tree, also of steps that are not shown, and the answer last', async () => {
  const data = temporaryFolder();
  const look = functionTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    effect: 'pure',
    run: () => 'seen',
  });
  const flow: Flow = {
    name: 'looks',
    version: '1',
    run: (scope) =>
      scope.step({ key: 'around', title: 'Around' }, async (inner) => {
        await inner.call('look', {});
        return 'done';
      }),
  };
  const vitrine = await vitrineIn({ data, config: { tools: [look], apps: { looks: { flow } } } });
  const { run } = await vitrine.start({ app: 'looks', text: 'look' });
  await Array.fromAsync(vitrine.follow(run));
  for (const more of [[], ['--depth', '1']]) {
    const out: string[] = [];
    await cli(['show', run, '--data', data, ...more], terminalFor(out, []));
    expect(out.slice(-3)).toEqual(['Used: 1 call', '', 'done']);
    expect(out.join('\n').includes('look {}')).toBe(more.length === 0);
  }
});

test('[Q16] a folder of an older Vitrine is brought up to date by who resumes there', async () => {
  const data = temporaryFolder();
  const database = new DatabaseSync(join(data, 'vitrine.db'));
  database.exec(readFileSync(new URL('../../test/golden/folder-7.sql', import.meta.url), 'utf8'));
  database.close();
  const config = join(data, 'config.json');
  writeFileSync(config, '{}');
  const error: string[] = [];
  expect(await cli(['runs', '--data', data], terminalFor([], error))).not.toBe(exit.completed);
  expect(error.at(-1)).toContain('let one work there (vitrine serve, run or resume)');
  await cli(['resume', '--data', data, '--config', config], terminalFor([], []));
  expect(await listed('--data', data, '--tenant', 't')).toHaveLength(2);
});
