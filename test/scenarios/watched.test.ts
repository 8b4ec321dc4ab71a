// What is left of a run that was watched. With `LONG=1`, as many as it takes to see that no more is left of any.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { Measured } from '../watched/child.ts';

const runs = 6_000;
const every = 500;

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
