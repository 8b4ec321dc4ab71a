// A server that works for a while, in a process of its own: runs with turns and calls, each watched by somebody who leaves.
// Tells after each round, once the garbage is collected, what the process holds.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { serve } from '../../src/server/serve.ts';
import { functionTool } from '../../src/tools/function.ts';
import { appWith } from '../serving.ts';

export interface Round {
  readonly minutes: number;
  readonly events: number;
  /** Bytes. */
  readonly heap: number;
  readonly external: number;
  readonly files: number;
  readonly handles: number;
}

const [rounds = 0, runs = 0, leastMinutes = 0] = process.argv.slice(2).map(Number);
const data = mkdtempSync(join(tmpdir(), 'vitrine-soak-'));
const double = functionTool({
  name: 'double',
  description: 'Doubles a number.',
  effect: 'pure',
  input: z.object({ n: z.number().describe('The number.') }),
  run: ({ n }) => Promise.resolve(n * 2),
});
const server = await serve({
  data,
  port: 0,
  config: {
    tools: [double],
    apps: {
      work: appWith(async (scope, text) => {
        for (let i = 0; i < 20; i += 1) scope.say(`${text} ${i} `);
        await scope.step({ key: 'inner' }, async (inner) => {
          for (let n = 0; n < 5; n += 1) await inner.call('double', { n });
        });
        return text;
      }, 'work'),
    },
  },
});
const began = performance.now();
const minutesOf = (): number => (performance.now() - began) / 60_000;

async function oneRun(n: number): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ app: 'work', input: { text: `run ${n}` } });
  const started = await fetch(`${server.url}/api/runs`, { method: 'POST', headers, body });
  const { run } = (await started.json()) as { run: string };
  const told = await (await fetch(`${server.url}/api/runs/${run}/events`)).text();
  return told.split('\n\n').length - 1;
}

function measured(events: number): Round {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return {
    minutes: minutesOf(),
    events,
    heap: heapUsed,
    external,
    files: readdirSync('/proc/self/fd').length,
    handles: process.getActiveResourcesInfo().length,
  };
}

const told: Round[] = [];
for (let round = 0; round < rounds || minutesOf() < leastMinutes; round += 1) {
  let events = 0;
  for (let i = 0; i < runs; i += 10) {
    const counts = await Promise.all(Array.from({ length: 10 }, (_, n) => oneRun(round * runs + i + n)));
    events += counts.reduce((sum, count) => sum + count, 0);
  }
  told.push(measured(events));
}
await server.close();
rmSync(data, { recursive: true, force: true });
process.stdout.write(JSON.stringify(told));
process.exit(0);
