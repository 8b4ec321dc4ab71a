// A server that is asked for many runs, each watched to its end, and tells what memory it has after every so many of them;
// with a folder, it leaves a heap snapshot there each time.
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { writeHeapSnapshot } from 'node:v8';
import { serve } from '../../src/server/serve.ts';

export interface Measured {
  readonly runs: number;
  /** Bytes, after all garbage is gone. */
  readonly heap: number;
  readonly external: number;
}

const [runs, every] = [Number(process.argv[2]), Number(process.argv[3])];
const snapshots = process.argv[4];
const data = mkdtempSync(join(tmpdir(), 'vitrine-watched-'));
const server = await serve({
  data,
  port: 0,
  config: {
    apps: {
      says: {
        flow: {
          name: 'says',
          version: '1',
          async run(scope: { say(text: string): void }): Promise<string> {
            for (let i = 0; i < 10; i += 1) scope.say(`${i} `.repeat(50));
            return 'said';
          },
        },
      },
    },
  },
});

async function watch(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ app: 'says', input: { text: 'x' } });
  const started = await fetch(`${server.url}/api/runs`, { method: 'POST', headers, body });
  const { run } = (await started.json()) as { run: string };
  for (const as of ['steps', 'console']) {
    const [stream] = (await once(get(`${server.url}/api/runs/${run}/events?as=${as}`), 'response')) as [
      IncomingMessage,
    ];
    for await (const _ of stream);
  }
}

/** What is kept for a moment after its last viewer must not count. */
async function measure(done: number): Promise<Measured> {
  server.context.channels.sweep();
  for (let i = 0; i < 3; i += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (snapshots !== undefined) writeHeapSnapshot(join(snapshots, `${done}.heapsnapshot`));
  const { heapUsed, external } = process.memoryUsage();
  return { runs: done, heap: heapUsed, external };
}

for (let done = 0; done < runs; done += every) {
  for (let i = 0; i < every; i += 10) await Promise.all(Array.from({ length: 10 }, watch));
  process.send?.(await measure(done + every));
}
await server.close();
rmSync(data, { recursive: true, force: true });
process.exit(0);
