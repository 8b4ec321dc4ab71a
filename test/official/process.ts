// The team behind a server that is a process of its own, so that it can be killed in the middle of anything.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { ownPort } from '../own-port.ts';
import { start, type Running } from '../vitrine.ts';
import { ordersIn, standStill } from './team.ts';

export interface OfficialServer {
  readonly url: string;
  readonly folder: string;
  /** What was really ordered. */
  orders(): string[];
  /** Whether the writer stands still in the middle of its answer from now on, over crashes too. */
  still(isStill: boolean): void;
  /** End the process without a word, and begin another at the same address. */
  crash(): Promise<void>;
  /** A run as it is recorded. */
  tree(run: string): Promise<FlatTree>;
  /** The runs there are, newest first. */
  runs(): Promise<readonly { readonly run: string; readonly status: string }[]>;
}

const team = fileURLToPath(new URL('./team.ts', import.meta.url));

export async function officialServer(more = ''): Promise<OfficialServer> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-official-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const config = `import { team } from ${JSON.stringify(team)};\nconst config = team(${JSON.stringify(folder)});\n${more}\nexport default config;\n`;
  writeFileSync(join(folder, 'vitrine.config.js'), config);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const port = await ownPort();
  let { running, url } = await begun(folder, port);
  const ask = async <T>(path: string): Promise<T> => (await (await fetch(`${url}${path}`)).json()) as T;
  return {
    url,
    folder,
    orders: () => ordersIn(folder),
    still: (isStill) => standStill(folder, isStill),
    async crash() {
      running.child.kill('SIGKILL');
      await running.ended;
      ({ running, url } = await begun(folder, port));
    },
    tree: (run) => ask(`/api/runs/${run}`),
    runs: async () => (await ask<{ runs: { run: string; status: string }[] }>('/api/runs')).runs,
  };
}

async function begun(
  folder: string,
  port: number,
): Promise<{ readonly running: Running; readonly url: string }> {
  const running = start(['serve', '--port', String(port), '--data', 'data'], { cwd: folder });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  const out = await running.until('listens on http');
  const [, url = ''] = /listens on (http\S+)\n/.exec(`${out}\n`) ?? [];
  return { running, url };
}
