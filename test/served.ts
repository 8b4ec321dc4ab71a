// A server as a process of its own, in a folder that has a configuration.
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { start, type Running } from './vitrine.ts';

export interface Served {
  readonly server: Running;
  readonly url: string;
}

/** Start it, and wait until it listens. It is gone when the test is. */
export async function served(
  cwd: string,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const server = start(['serve', '--port', '0', '--data', join(cwd, 'data'), ...words], { cwd, env });
  onTestFinished(() => void server.child.kill('SIGKILL'));
  const { promise, resolve } = Promise.withResolvers<string>();
  let out = '';
  server.child.stdout?.on('data', (piece: string) => {
    out += piece;
    const [, url] = /listens on (\S+)\n/.exec(out) ?? [];
    if (url !== undefined) resolve(url);
  });
  const failed = server.ended.then(({ error }) => Promise.reject(new Error(error)));
  return { server, url: await Promise.race([promise, failed]) };
}
