import { expect, test } from 'vitest';
import { gate, vitrineIn } from '../../test/program.ts';
import { temporaryFolder } from '../../test/serving.ts';
import { terminalFor } from '../../test/terminal.ts';
import { openVitrine } from '../program/open-vitrine.ts';
import { cli } from './cli.ts';

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
