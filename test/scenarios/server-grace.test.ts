import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';
import { served } from '../served.ts';

const runs = 60;
const restarts = 4;
const calls = 40;

/** Each call takes a moment, must not be repeated, and leaves a line. */
const config = `
import { appendFileSync } from 'node:fs';
export default {
  tools: [{
    name: 'charge',
    description: 'Takes a moment.',
    schema: { type: 'object' },
    effect: 'once',
    async run(input) {
      appendFileSync('ledger', JSON.stringify(input) + '\\n');
      await new Promise((resolve) => setTimeout(resolve, 60));
      return 'done';
    },
  }],
  apps: {
    busy: {
      limits: { calls: 1000, seconds: 3600 },
      flow: {
        name: 'busy',
        version: '1',
        async run(scope, { text }) {
          for (let i = 0; i < ${calls}; i += 1) await scope.call('charge', { text, i }, { key: 'c' + i });
          return 'done ' + text;
        },
      },
    },
  },
};
`;

test(`[R51] [R46] ${runs} runs with effects under way over ${restarts} restarts: nobody is asked anything`, async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'vitrine-grace-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(cwd, 'vitrine.config.js'), config);
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  // Nobody may have been charged yet.
  writeFileSync(join(cwd, 'ledger'), '');
  const ledger = (): string[] => readFileSync(join(cwd, 'ledger'), 'utf8').split('\n').slice(0, -1);
  let now = await served(cwd);
  const client = vitrineClient({ url: now.url });
  const names = Array.from({ length: runs }, (_, i) => `run ${i}`);
  const begun = await Promise.all(names.map((text) => client.start({ text })));
  for (let i = 0; i < restarts; i += 1) {
    const before = ledger().length;
    await expect.poll(() => ledger().length).toBeGreaterThan(before + runs);
    now.server.child.kill('SIGTERM');
    expect((await now.server.ended).code).toBe(0);
    now = await served(cwd);
  }
  const again = vitrineClient({ url: now.url });
  for (const [i, { run }] of begun.entries()) {
    const asked: string[] = [];
    let last: unknown;
    for await (const { event } of again.entries(run)) {
      if (event.type === 'approval.requested') asked.push(event.title);
      last = event;
    }
    expect(asked).toEqual([]);
    expect(last).toMatchObject({ type: 'run.ended', outcome: 'completed', answer: `done run ${i}` });
  }
  expect(ledger()).toHaveLength(runs * calls);
  expect(new Set(ledger()).size).toBe(runs * calls);
});

test('[R51] while what has begun comes to its end, a new connection hears that the server is going away', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'vitrine-grace-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(
    join(cwd, 'vitrine.config.js'),
    config.replace('setTimeout(resolve, 60)', 'setTimeout(resolve, 3_000)'),
  );
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  const now = await served(cwd);
  await vitrineClient({ url: now.url }).start({ text: 'slow' });
  await expect.poll(() => existsSync(join(cwd, 'ledger'))).toBe(true);
  now.server.child.kill('SIGTERM');
  const headers = { connection: 'close' };
  const ready = async (): Promise<number> => (await fetch(`${now.url}/readyz`, { headers })).status;
  await expect.poll(ready).toBe(503);
  expect((await now.server.ended).code).toBe(0);
  expect(readFileSync(join(cwd, 'ledger'), 'utf8').trim().split('\n')).toHaveLength(1);
});
