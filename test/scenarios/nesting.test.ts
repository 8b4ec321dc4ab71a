import { expect, onTestFinished, test, vi } from 'vitest';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { expectMirrored } from '../chain/contract.ts';
import { askAt, fiveLevels, processChain, type ProcessChain } from '../chain/processes.ts';
import { toldAt } from '../chain/told.ts';

const patience = { timeout: 200_000, interval: 50 };

async function chain(): Promise<ProcessChain> {
  const begun = await processChain();
  onTestFinished(() => begun.close(), 60_000);
  return begun;
}

async function begin({ root }: ProcessChain, text: string): Promise<string> {
  return (await askAt<{ run: string }>(root, '/api/runs', { input: { text } })).run;
}

const treeAt = (url: string, run: string): Promise<FlatTree> => askAt(url, `/api/runs/${run}`);

async function statuses({ urls }: ProcessChain): Promise<readonly string[]> {
  const lists = urls.map((url) => askAt<{ runs: { status: string }[] }>(url, '/api/runs'));
  return (await Promise.all(lists)).map(({ runs }) => runs[0]?.status ?? '');
}

async function asked({ root }: ProcessChain, run: string): Promise<{ id: string; fingerprint: string }> {
  return vi.waitFor(async () => {
    const { approvals } = await askAt<{ approvals: { id: string; fingerprint: string }[] }>(
      root,
      `/api/approvals?run=${run}`,
    );
    return approvals[0] ?? expect.fail('nothing is asked yet');
  }, patience);
}

const everyone = (status: string): readonly string[] => [...fiveLevels, ''].map(() => status);

test('[NE4] [NE5] five servers, each a process, over three protocols: every step reaches the root, and an approval the inmost, once', async () => {
  const it = await chain();
  expect(new Set(fiveLevels).size).toBe(3);
  const run = await begin(it, 'tea');
  const { id, fingerprint } = await asked(it, run);
  expect(it.ledger()).toEqual([]);
  expect(await statuses(it)).toEqual(everyone('waiting'));
  await askAt(it.root, `/api/approvals/${id}`, { decision: 'approve', fingerprint });
  await vi.waitFor(async () => expect(await statuses(it)).toEqual(everyone('completed')), patience);
  const tree = await treeAt(it.root, run);
  expect(tree.answer).toBe('Paid for «tea».');
  expect(it.ledger()).toEqual(['tea']);
  expectMirrored(tree);
  expectLevels(tree);

  // The same chain, so that its processes begin once.
  const stopped = await begin(it, 'coffee');
  await asked(it, stopped);
  await askAt(it.root, `/api/runs/${stopped}/stop`, {});
  await vi.waitFor(async () => expect(await statuses(it)).toEqual(everyone('stopped')), patience);
  expect((await treeAt(it.root, stopped)).notices).toEqual([]);

  const working = await begin(it, 'wait');
  await vi.waitFor(async () => {
    const { steps } = await treeAt(it.root, working);
    expect(steps.map(({ title }) => title)).toContain('wait');
  }, patience);
  await askAt(it.root, `/api/runs/${working}/stop`, {});
  await vi.waitFor(async () => expect(await statuses(it)).toEqual(everyone('stopped')), patience);
  await vi.waitFor(() => expect(it.ledger()).toEqual(['tea', 'stopped']), patience);

  const tokens = 200;
  const [one, other] = [await toldAt(it.root, tokens), await toldAt(it.root, tokens * 2)];
  // What a run costs besides is in the first one, too: 200 tokens more are told by less than 150 bytes each.
  expect((other.bytes - one.bytes) / tokens).toBeLessThan(150);
}, 600_000);

/** Each level is in the one before it. */
function expectLevels({ steps }: FlatTree): void {
  const around = steps.find(({ title }) => title === 'Look around');
  const agents: (string | undefined)[] = [];
  for (let at = around; at !== undefined; at = steps.find(({ id }) => id === at?.parent))
    agents.push(at.agent);
  expect(agents).toEqual([undefined, 'level-5', 'level-4', 'level-3', 'level-2']);
}
