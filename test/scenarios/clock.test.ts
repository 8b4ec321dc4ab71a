import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';
import type { Entry } from '../../src/run/events.ts';
import { foldAll } from '../../src/run/entries.ts';
import type { RunTree } from '../../src/run/tree.ts';
import { served } from '../served.ts';

/** Debian's faketime, which lets a test set the clock of one process. */
const [faketime] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');
if (faketime === undefined)
  process.stderr.write('Clock steps of a process are not tested: install faketime.\n');

function folder(config: string): string {
  const cwd = mkdtempSync(join(tmpdir(), 'vitrine-clock-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(cwd, 'vitrine.config.js'), config);
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  return cwd;
}

async function treeAt(url: string, run: string): Promise<{ tree: RunTree; entries: Entry[] }> {
  const entries: Entry[] = [];
  for await (const entry of vitrineClient({ url }).entries(run)) entries.push(entry);
  return { tree: foldAll(entries), entries };
}

/** An app whose runs charge three times, each of which takes a while. */
const slowCharges = (limit: number, milliseconds: number): string => `
import { appendFileSync } from 'node:fs';
export default {
  limits: { seconds: ${limit} },
  tools: [{
    name: 'charge',
    description: 'Takes a while.',
    schema: { type: 'object' },
    effect: 'once',
    async run(input) {
      appendFileSync('ledger', JSON.stringify(input) + '\\n');
      await new Promise((resolve) => setTimeout(resolve, ${milliseconds}));
      return 'done';
    },
  }],
  apps: { slow: { flow: { name: 'slow', version: '1', async run(scope, { text }) {
    for (let i = 0; i < 3; i += 1) await scope.call('charge', { text, i }, { key: 'c' + i });
    return 'done';
  } } } },
};
`;

test.for([
  { name: 'an hour ahead', offset: '+1h' },
  { name: 'a year ahead', offset: '+365d' },
  { name: 'an hour back', offset: '-1h' },
])(
  '[R08] [Q11] a server whose clock is set $name keeps its 20 runs and asks nobody',
  async ({ offset }, { skip }) => {
    skip(faketime === undefined, 'faketime is not installed');
    const cwd = folder(slowCharges(600, 1_500));
    const clock = join(cwd, 'clock');
    writeFileSync(clock, '+0');
    const { url } = await served(cwd, [], {
      LD_PRELOAD: faketime ?? '',
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    });
    const client = vitrineClient({ url });
    const names = Array.from({ length: 20 }, (_, i) => `run ${i}`);
    const begun = await Promise.all(names.map((text) => client.start({ text })));
    const ledger = (): string[] => readFileSync(join(cwd, 'ledger'), 'utf8').trim().split('\n');
    await expect.poll(() => ledger().length).toBeGreaterThanOrEqual(20);
    writeFileSync(clock, offset);
    for (const { run } of begun) {
      const { tree, entries } = await treeAt(url, run);
      expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'done' });
      expect([tree.takeovers, tree.approvals.size]).toEqual([0, 0]);
      expect(tree.spent.milliseconds).toBeLessThan(120_000);
      const times = entries.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
    expect(new Set(ledger()).size).toBe(60);
    expect(ledger()).toHaveLength(60);
  },
);

const pastTheLease = 17_000;

test('[E65 E68] [R08] [R39] [R41] a server stopped past its lease goes on where it was, and asks nobody', async () => {
  const cwd = folder(slowCharges(15, 1_000));
  const ledger = (): string[] => readFileSync(join(cwd, 'ledger'), 'utf8').trim().split('\n');
  const { server, url } = await served(cwd);
  const { run } = await vitrineClient({ url }).start({ text: 'go' });
  await expect.poll(() => ledger().length).toBeGreaterThanOrEqual(1);
  server.child.kill('SIGSTOP');
  await sleep(pastTheLease);
  server.child.kill('SIGCONT');
  const { tree } = await treeAt(url, run);
  expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'done' });
  expect([tree.takeovers, tree.approvals.size, ledger().length]).toEqual([0, 0, 3]);
  expect(tree.spent.milliseconds).toBeLessThan(15_000);
});

test('[E96] a model that hangs up in mid-answer is asked again, and everyone sees that it was', async () => {
  let asked = 0;
  const model = createServer((request, response) => {
    request.resume();
    asked += 1;
    const chunk = (delta: object, finish: string | null = null): string =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: `try ${asked}` }), () => {
      if (asked < 3) response.destroy();
      else response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void model.close());
  const { port } = model.address() as AddressInfo;
  const cwd = folder(`export default {
    models: { m: { baseUrl: 'http://127.0.0.1:${port}/v1', model: 'm' } },
    agents: { thinker: { model: 'm' } },
    apps: { chat: { flow: 'converse', settings: { agent: 'thinker' } } },
  };`);
  const { url } = await served(cwd);
  const { run } = await vitrineClient({ url }).start({ text: 'Hello' });
  const { tree, entries } = await treeAt(url, run);
  expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'try 3' });
  const retried = entries.flatMap(({ event }) => (event.type === 'step.retried' ? [event.attempt] : []));
  expect(retried).toEqual([2, 3]);
  expect(asked).toBe(3);
});
