// `vitrine serve` as a process of its own, with a configuration, for tests in which it may die or stand still.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { start, type Running } from './vitrine.ts';

export interface ServedConfig extends Running {
  readonly url: string;
  /** Ask, and read the answer. Fails if none comes: a process that stands still must not keep the test. */
  ask<T>(path: string, json?: unknown, key?: string): Promise<T>;
}

/** Milliseconds within which a process that is well answers, however busy the machine is. */
const patience = 20_000;

/** A folder with a configuration. It is erased with the test. */
export function configured(config: string): string {
  const cwd = mkdtempSync(join(tmpdir(), 'vitrine-config-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(cwd, 'vitrine.config.js'), config);
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  return cwd;
}

export async function servedConfig(cwd: string): Promise<ServedConfig> {
  const running = start(['serve', '--port', '0', '--data', 'data'], { cwd });
  onTestFinished(() => void running.child.kill('SIGKILL'));
  let out = '';
  const url = await new Promise<string>((resolve, reject) => {
    running.child.stdout?.on('data', (piece: string) => {
      out += piece;
      const [, found] = /listens on (\S+)\n/.exec(out) ?? [];
      if (found !== undefined) resolve(found);
    });
    void running.ended.then(({ error }) => reject(new Error(error)));
  });
  return { ...running, url, ask: (path, json, key) => ask(`${url}${path}`, json, key) };
}

async function ask<T>(url: string, json: unknown, key: string | undefined): Promise<T> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(patience),
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Look again until it is there. */
export async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const until = Date.now() + 60_000; ;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > until) throw new Error('it never came');
    await new Promise((again) => setTimeout(again, 20));
  }
}
