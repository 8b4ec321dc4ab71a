import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';
import { foldAll } from '../../src/run/fold.ts';
import { served } from '../served.ts';

const pastTheLease = 17_000;

const config = `
import { appendFileSync } from 'node:fs';
export default {
  limits: { seconds: 15 },
  tools: [{
    name: 'charge',
    description: 'Takes a while.',
    schema: { type: 'object' },
    effect: 'once',
    async run(input) {
      appendFileSync('ledger', JSON.stringify(input) + '\\n');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return 'done';
    },
  }],
  apps: { slow: { flow: { name: 'slow', version: '1', async run(scope) {
    for (let i = 0; i < 3; i += 1) await scope.call('charge', { i }, { key: 'c' + i });
    return 'done';
  } } } },
};
`;

test('[E65 E68] [R08] [R39] [R41] a server stopped past its lease goes on where it was, and asks nobody', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'vitrine-freeze-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(cwd, 'vitrine.config.js'), config);
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  const ledger = (): string[] => readFileSync(join(cwd, 'ledger'), 'utf8').trim().split('\n');
  const { server, url } = await served(cwd);
  const client = vitrineClient({ url });
  const { run } = await client.start({ text: 'go' });
  await expect.poll(() => ledger().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(1);
  server.child.kill('SIGSTOP');
  await sleep(pastTheLease);
  server.child.kill('SIGCONT');
  const entries = [];
  for await (const entry of client.entries(run)) entries.push(entry);
  const tree = foldAll(entries);
  expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'done' });
  expect([tree.takeovers, tree.approvals.size, ledger().length]).toEqual([0, 0, 3]);
  expect(tree.spent.milliseconds).toBeLessThan(15_000);
}, 90_000);
