// The servers of a chain, each a process of its own, the inmost first.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start, type Running } from '../vitrine.ts';
import { ledgerIn, type Link } from './scene.ts';

export interface ProcessChain {
  /** Where each can be reached, the inmost first. */
  readonly urls: readonly string[];
  readonly root: string;
  readonly ledger: () => string[];
  readonly close: () => Promise<void>;
}

const scene = fileURLToPath(new URL('./scene.ts', import.meta.url));

/** Five levels over three protocols. */
export const fiveLevels: readonly Link[] = ['dial', 'a2a', 'ag-ui', 'dial'];

export async function processChain(links: readonly Link[] = fiveLevels): Promise<ProcessChain> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-chain-'));
  const ledger = join(folder, 'ledger');
  const begun: { readonly running: Running; readonly url: string }[] = [];
  const close = async (): Promise<void> => {
    for (const { running } of begun) running.child.kill('SIGKILL');
    await Promise.all(begun.map(({ running }) => running.ended));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    begun.push(await serverOf(folder, `inmost(${JSON.stringify(ledger)})`, 0));
    for (const [i, link] of links.entries()) {
      const given = [link, begun.at(-1)?.url, `level-${links.length - i + 1}`];
      begun.push(
        await serverOf(folder, `relay(${given.map((one) => JSON.stringify(one)).join(', ')})`, i + 1),
      );
    }
  } catch (thrown) {
    await close();
    throw thrown;
  }
  const urls = begun.map(({ url }) => url);
  return { urls, root: urls.at(-1) ?? '', ledger: () => ledgerIn(ledger), close };
}

async function serverOf(folder: string, config: string, level: number) {
  const cwd = join(folder, `level-${level}`);
  mkdirSync(cwd);
  const text = `import { inmost, relay } from ${JSON.stringify(scene)};\nexport default ${config};\n`;
  writeFileSync(join(cwd, 'vitrine.config.js'), text);
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  const words = ['serve', '--port', '0', '--data', 'data'];
  const running = start(words, { cwd, env: { CHAIN_KEY: 'chain-key-1' } });
  const out = await running.until('listens on http');
  const [, url = ''] = /listens on (http\S+)\n/.exec(`${out}\n`) ?? [];
  return { running, url };
}

/** Ask, and read the answer. */
export async function askAt<T>(url: string, path: string, json?: unknown): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    ...(json === undefined
      ? {}
      : { method: 'POST', body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
