// How often the disk is written: each commit costs an fsync, whatever is in it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Agent } from '../../src/catalog/agent.ts';
import { Engine } from '../engine.ts';
import type { Flow } from '../../src/engine/scope.ts';
import { channelled } from '../../src/gateways/http/event-channel.ts';
import { Secrets } from '../../src/guards/secrets.ts';
import { approval, budget } from '../../src/policies/standard.ts';
import { sqliteStore, type SqliteStore } from '../../src/stores/sqlite.ts';
import { flowOf, toolOf } from '../world.ts';
import { newId, sha256, systemClock } from '../../src/loop/machine.ts';

let folder: string;
let store: SqliteStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-commits-'));
  store = await sqliteStore({ folder });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const commits = (): number => Number(readFileSync(join(folder, 'high-water'), 'latin1').slice(0, 16));

/** It has said all at once: what comes later is in a later commit, and how many those are depends on how busy a machine is. */
const model: Agent = {
  name: 'model',
  description: '',
  effect: 'pure',
  gateway: {
    takeTurn: (_, signal) =>
      channelled(signal, async (channel) => {
        channel.push([{ type: 'text.appended', text: 'yes' }]);
        channel.push([{ type: 'turn.finished', reason: 'stop' }]);
      }),
  },
};

function engineOf(flow: Flow): Engine {
  const catalog = {
    flows: [flow],
    agents: [model],
    tools: [toolOf('echo', (given) => given)],
  };
  const log = { error: ({ cause }: { readonly cause: unknown }) => expect.unreachable(String(cause)) };
  const policies = [budget, approval];
  return new Engine(
    { store, clock: systemClock, catalog, policies, log, newId, hash: sha256, secrets: new Secrets() },
    'worker',
  );
}

/** How many commits a run makes that takes so many turns, each followed by a call. */
async function commitsOf(steps: number): Promise<number> {
  const flow = flowOf(async (scope) => {
    for (let i = 0; i < steps; i += 1) {
      await scope.turn('model', { key: `t${i}`, messages: [{ role: 'user', text: String(i) }] });
      await scope.call('echo', { i });
    }
    return 'done';
  });
  const engine = engineOf(flow);
  const before = commits();
  await engine.start({ app: 'test', flow, input: { text: 'go' } });
  await engine.idle();
  return commits() - before;
}

test('[E244] a run begins with two commits, and ends with one; a turn with its call takes two', async () => {
  expect(await commitsOf(0)).toBeLessThanOrEqual(2);
  // Before its end a run asks for commands: what was told before may be written meanwhile.
  expect((await commitsOf(10)) - 3).toBeLessThanOrEqual(20);
});

test('[Q71] a worker that has nothing to do writes nothing', async () => {
  const engine = engineOf(flowOf(async () => 'done'));
  const over = new AbortController();
  const working = engine.work(over.signal);
  const before = commits();
  expect(await engine.claim()).toBe(0);
  await sleep(0);
  expect(await engine.claim()).toBe(0);
  expect(commits()).toBe(before);
  over.abort();
  await working;
});
