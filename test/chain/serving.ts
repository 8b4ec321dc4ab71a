// The servers of a chain in this process, the inmost first.
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { serving, temporaryFolder, textAt, type Serving } from '../serving.ts';
import { inmost, ledgerIn, relay, type Link } from './scene.ts';

export interface Chain {
  readonly servers: readonly Serving[];
  readonly inmost: Serving;
  readonly root: Serving;
  readonly ledger: () => string[];
  /** Start a run at the root. */
  readonly begin: (text: string) => Promise<string>;
  /** What the run asks, once it does. */
  readonly asked: (run: string) => Promise<{ readonly id: string; readonly fingerprint: string }>;
  /** The run at the root, once it has come to this. */
  readonly until: (run: string, status: FlatTree['status']) => Promise<FlatTree>;
}

/** Milliseconds; only what hangs takes this long. */
const patience = { timeout: 120_000, interval: 20 };

export async function chainOf(...links: readonly Link[]): Promise<Chain> {
  process.env['CHAIN_KEY'] = 'chain-key-1';
  const ledger = join(temporaryFolder(), 'ledger');
  const servers = [await serving({ config: inmost(ledger) })];
  for (const [i, link] of links.entries()) {
    const { url = '' } = servers.at(-1) ?? {};
    servers.push(await serving({ config: relay(link, url, `level-${links.length - i + 1}`) }));
  }
  const [first, last] = [servers[0], servers.at(-1)];
  if (!first || !last) throw new Error('a chain without servers');
  return { servers, inmost: first, root: last, ledger: () => ledgerIn(ledger), ...at(last) };
}

function at({ ask }: Pick<Serving, 'ask'>): Pick<Chain, 'begin' | 'asked' | 'until'> {
  return {
    begin: async (text) => textAt(await ask('/api/runs', { json: { input: { text } } }), 'run'),
    asked: (run) =>
      vi.waitFor(async () => {
        const answer = await ask(`/api/approvals?run=${run}`);
        expect(textAt(answer, 'approvals', 0, 'title')).toBe('Pay');
        return {
          id: textAt(answer, 'approvals', 0, 'id'),
          fingerprint: textAt(answer, 'approvals', 0, 'fingerprint'),
        };
      }, patience),
    until: (run, status) =>
      vi.waitFor(async () => {
        const { json } = await ask(`/api/runs/${run}`);
        expect(json).toMatchObject({ status });
        return json as FlatTree;
      }, patience),
  };
}
