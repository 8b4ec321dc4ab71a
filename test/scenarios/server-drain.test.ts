import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';
import { served } from '../served.ts';
import { streamViewer } from '../stream.ts';

const runs = 30;

/** Works for a while, a step at a time, and says what it does. */
const config = `
export default {
  apps: {
    slow: {
      flow: {
        name: 'slow',
        version: '1',
        async run(scope, { text }) {
          for (let i = 0; i < 30; i += 1)
            await scope.step({ key: 'step' + i, title: text + ' ' + i }, () => new Promise((resolve) => setTimeout(resolve, 100, i)));
          return 'done ' + text;
        },
      },
    },
  },
};
`;

test('[R51] a server that is told to end hands its runs back, sends its viewers away, and the next one finishes', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'vitrine-drain-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(cwd, 'vitrine.config.js'), config);
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  const first = await served(cwd);
  const client = vitrineClient({ url: first.url });
  const names = Array.from({ length: runs }, (_, i) => `run ${i}`);
  const begun = await Promise.all(names.map((text) => client.start({ text })));
  const viewers = begun.map(({ run }) => streamViewer({ url: first.url, path: `/api/runs/${run}/events` }));
  await Promise.all(viewers.map((viewer) => viewer.until((body) => body.includes('step.closed'))));
  first.server.child.kill('SIGTERM');
  const { code } = await first.server.ended;
  expect(code).toBe(0);
  await Promise.all(viewers.map(({ closed }) => closed));
  for (const viewer of viewers) {
    expect(viewer.isWhole).toBe(true);
    expect(viewer.body).toMatch(/\n\n: .*\nretry: 1000\n\n$/);
  }

  const second = await served(cwd);
  const again = vitrineClient({ url: second.url });
  for (const [i, { run }] of begun.entries()) {
    const entries = [];
    for await (const entry of again.entries(run)) entries.push(entry);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, at) => at + 1));
    expect(entries.at(-1)?.event).toMatchObject({
      type: 'run.ended',
      outcome: 'completed',
      answer: `done run ${i}`,
    });
    const opened = entries.filter(({ event }) => event.type === 'step.opened');
    expect(opened).toHaveLength(30);
    // Handed back, not lost: nobody is told of a takeover.
    expect(entries.some(({ event }) => event.type === 'worker.took' && event.reason === 'recovered')).toBe(
      false,
    );
  }
  second.server.child.kill('SIGTERM');
  expect((await second.server.ended).code).toBe(0);
});
