import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testWorld, until } from '../../test/world.ts';
import type { Agent } from '../../src/catalog/agent.ts';
import { Engine } from '../../test/engine.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { undecidedApprovals, type RunTree } from '../../src/run/tree.ts';
import { memoryStore, type Commit } from '../../src/stores/memory.ts';
import { tourFlow } from './flow.ts';
import { tourScript } from './model.ts';
import { tourTools } from './tools.ts';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'vitrine-demo-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const agents = (['planner', 'analyst', 'writer'] as const).map((role): Agent => ({
  name: `tour-${role}`,
  description: role,
  gateway: scriptedGateway(tourScript(role, 0)),
  model: 'scripted',
  effect: 'pure',
}));

interface Told {
  readonly tree: RunTree;
  readonly appends: number;
  readonly ledger: readonly string[];
}

/** Tell the story; after so many appends the worker is gone, and another one takes over. */
async function tell(lastAppend = Infinity): Promise<Told> {
  let offset = 0;
  let appends = 0;
  let isGone = false;
  const gone = Promise.withResolvers<void>();
  const commit: Commit = async (apply, operation) => {
    await Promise.resolve();
    if (operation === 'append') appends += 1;
    const result = apply();
    if (appends !== lastAppend || isGone) return result;
    isGone = true;
    offset = 60_000;
    gone.resolve();
    return new Promise(() => {});
  };
  const store = memoryStore({ now: () => Date.now() + offset, commit });
  const world = testWorld(
    { flows: [tourFlow], agents, tools: tourTools({ data: folder, pace: 0 }) },
    { store },
  );
  const over = new AbortController();
  const { run } = await new Engine(world, 'first').start({
    app: 'tour',
    flow: tourFlow,
    input: { text: 'go' },
  });
  const second = new Engine(world, 'second');
  const working = second.work(over.signal);
  void gone.promise.then(() => second.claim(run));
  const answered = new Set<string>();
  const tree = await until(store, run, (folded) => {
    for (const { approval, fingerprint } of undecidedApprovals(folded)) {
      if (answered.has(approval)) continue;
      answered.add(approval);
      void second.send(run, { type: 'decide', by: 'ann', approval, fingerprint, decision: 'approve' });
    }
    return folded.ended !== undefined;
  });
  over.abort();
  await working;
  const file = join(folder, 'tour-ledger.txt');
  const made = readdirSync(folder, { recursive: true, withFileTypes: true });
  const open = made.filter(({ parentPath, name }) => (statSync(join(parentPath, name)).mode & 0o077) !== 0);
  expect(open.map(({ name }) => name)).toEqual([]);
  const ledger = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  rmSync(file, { force: true });
  return { tree, appends, ledger };
}

test('the story has three levels, two branches, tools of all three effects and one approval', async () => {
  const { tree, ledger } = await tell();
  const steps = [...tree.steps.values()];
  expect(tree.ended).toMatchObject({ outcome: 'completed' });
  expect(tree.ended?.answer).toContain('3 people were told. This was the tour of the demo');
  expect(Math.max(...steps.map(({ depth }) => depth))).toBeGreaterThanOrEqual(3);
  expect(steps.filter(({ kind }) => kind === 'branch').length).toBe(2);
  expect(new Set(steps.flatMap(({ call }) => call?.effect ?? []))).toEqual(
    new Set(['pure', 'idempotent', 'once']),
  );
  expect(tree.approvals.size).toBe(1);
  expect(tree.notices).toEqual([]);
  expect(ledger.length).toBe(1);
});

test('whenever its worker dies, it ends, and nobody is told twice', async () => {
  const { appends } = await tell();
  for (let last = 1; last < appends; last += 3) {
    const { tree, ledger } = await tell(last);
    expect(tree.ended, `cut off after append ${last}`).toMatchObject({ outcome: 'completed' });
    expect(tree.notices).toEqual([]);
    // Cut off between the intent and the deed: a person was asked, and said that it counts as done.
    const isDoubted = tree.approvals.size === 2;
    expect(ledger.length).toBeLessThanOrEqual(1);
    if (!isDoubted) expect(ledger.length).toBe(1);
  }
});
