// What is left of a run that was watched. With `LONG=1`, as many as it takes to see that no more is left of any.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bytesIn } from '../heap-snapshot.ts';
import { tell } from '../long.ts';
import type { Measured } from '../watched/child.ts';

const runs = 6_000;
const every = 500;
const [few, more] = [100, 200];
/** Bytes: its page stays on the shelf, of which all pages together have a bound (below). */
const mostOfARun = 32 * 1024;

test('[R49] a heap snapshot shows what is left of a run that was watched', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-heap-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = fork(new URL('../watched/child.ts', import.meta.url), [String(more), String(few), folder], {
    execArgv: ['--expose-gc'],
  });
  expect(await once(child, 'exit')).toEqual([0, null]);
  const [before, after] = [few, more].map((done) => bytesIn(join(folder, `${done}.heapsnapshot`)));
  const left = [...(after ?? [])]
    .map(([what, bytes]) => ({ what, bytes: (bytes - (before?.get(what) ?? 0)) / (more - few) }))
    .toSorted((one, other) => other.bytes - one.bytes);
  const all = left.reduce((sum, { bytes }) => sum + bytes, 0);
  tell('watched', { 'bytes left of a run': Math.round(all) });
  expect(all, JSON.stringify(left.slice(0, 8))).toBeLessThan(mostOfARun);
});

test.runIf(process.env['LONG'] !== undefined)(
  '[R49] memory does not grow with the number of runs that were watched',
  { timeout: 1_200_000 },
  async () => {
    const child = fork(new URL('../watched/child.ts', import.meta.url), [String(runs), String(every)], {
      execArgv: ['--expose-gc'],
    });
    const measured: Measured[] = [];
    child.on('message', (told: Measured) => measured.push(told));
    const [code] = (await once(child, 'exit')) as [number];
    expect([code, measured.length]).toEqual([0, runs / every]);
    const [earlier, last] = [measured.at(-4), measured.at(-1)];
    expect((last?.external ?? Infinity) / (earlier?.external ?? 0)).toBeLessThan(1.05);
    expect((last?.heap ?? Infinity) / (earlier?.heap ?? 0)).toBeLessThan(1.05);
  },
);
