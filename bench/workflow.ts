// What a node of a graph costs beside a bare step, whether it costs more in a long run, and what it costs others.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Flow } from '../src/engine/scope.ts';
import { workflow } from '../src/flows/workflow/workflow.ts';
import { Secrets } from '../src/guards/secrets.ts';
import { approval, budget } from '../src/policies/standard.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { sqliteStore } from '../src/stores/sqlite.ts';
import type { Store } from '../src/stores/store.ts';
import { Engine } from '../test/engine.ts';
import { graphOf, partOf, runOf } from '../test/workflow/world.ts';
import { costOf, fetchPeers, peers, type Chain } from './workflow/peers.ts';
import { newId, sha256, systemClock } from '../src/loop/machine.ts';

const rounds = 5;
const short = 50;
const long = 5_000;
const perRound = 10;

const graphs = workflow({
  flow: () => {
    throw new Error('nobody works in a team here');
  },
});

/** As many steps in rounds as the graph has nodes. */
const bare: Flow = {
  name: 'bare',
  version: '1',
  async run(scope, { text }) {
    for (let round = 1; round <= Number(text) / perRound; round += 1)
      await scope.step({ key: `round ${round}` }, async (inner) => {
        for (let i = 0; i < perRound; i += 1)
          await inner.step({ key: `n${i}` }, async () => ({ output: `${i}` }));
        return round;
      });
    return 'done';
  },
};

const chain: Chain = { nodes: 50, runs: 20 };

export async function workflowBench(): Promise<void> {
  await growth();
  await besidePeers();
}

async function growth(): Promise<void> {
  const costs = { step: [] as number[], node: [] as number[], few: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    costs.step.push(await perStep(bare, long, 1));
    costs.node.push(await perStep(graphs, long, 1));
    costs.few.push(await perStep(graphs, short, long / short));
  }
  const [step, node, few] = [median(costs.step), median(costs.node), median(costs.few)];
  console.log(`\nworkflow: CPU per executed node, memory store, median of ${rounds}`);
  for (const [what, cost, ratio] of [
    ['a bare step', step, 1],
    [`a node of a graph, ${long} executed`, node, node / step],
    [`a node of a graph, ${short} executed (with its start)`, few, node / few],
  ] as const)
    console.log(row(what, cost, ratio));
}

/** One after the other in each round, so that whatever else the machine does is shared. */
async function besidePeers(): Promise<void> {
  console.log(`\nworkflow: CPU per node of a chain of ${chain.nodes}, run ${chain.runs} times, on disk`);
  const isThere = fetchPeers();
  const own: number[] = [];
  const others = peers.map((): number[] => []);
  for (let round = 0; round < 3; round += 1) {
    own.push(await ownChain());
    if (isThere) peers.forEach((peer, i) => others[i]?.push(costOf(peer, chain)));
  }
  const cost = median(own);
  console.log(row('Vitrine, SQLite', cost, 1));
  if (!isThere) return;
  peers.forEach(({ name }, i) => {
    const theirs = median(others[i] ?? []);
    console.log(row(name, theirs, cost / theirs));
  });
  console.log('  (x: what a node costs here, by what it costs there)');
}

/** The same chain here, as its own subject: after one run that is not counted. */
async function ownChain(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'));
  const store = await sqliteStore({ folder });
  const start = await startingIn(store, graphs, chainOf(chain.nodes));
  await start();
  const before = process.cpuUsage();
  for (let i = 0; i < chain.runs; i += 1) await start();
  const { user, system } = process.cpuUsage(before);
  await store.close();
  rmSync(folder, { recursive: true });
  return (user + system) / (chain.nodes * chain.runs);
}

/** CPU microseconds of a step, in so many runs of so many steps. */
async function perStep(flow: Flow, steps: number, runs: number): Promise<number> {
  const start = await startingIn(memoryStore({ now: Date.now }), flow, graphOfNodes(steps));
  const before = process.cpuUsage();
  for (let i = 0; i < runs; i += 1) await start(String(steps));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (steps * runs);
}

/** A run to its end, as often as it is called. */
async function startingIn(store: Store, flow: Flow, graph: ReturnType<typeof graphOf>) {
  const world = { store, clock: systemClock, catalog: { flows: [flow], agents: [], tools: [] } };
  const rules = { policies: [budget, approval], newId, hash: sha256, secrets: new Secrets() };
  const engine = new Engine(
    { ...world, ...rules, log: { error: ({ cause }) => console.error(cause) } },
    'bench',
  );
  const wanted = await runOf(store, graph);
  const request = flow === bare ? { app: 'bench', flow } : { ...wanted, flow };
  return async (text = ''): Promise<void> => {
    const { run } = await engine.start({ ...request, input: { text } });
    await engine.idle();
    const row = await store.dispatch.get(run);
    if (row?.status !== 'completed') throw new Error(`run ${run} is ${row?.status}`);
  };
}

/** Nodes in a row, each of which sees the one before. */
function chainOf(nodes: number) {
  const chained = Array.from({ length: nodes }, (_, i) => ({
    id: `n${i}`,
    type: 'template',
    value: i === 0 ? 'n-1' : `{{nodes.n${i - 1}.output == "" ? "" : "n${i - 1} ${i}"}}`,
  }));
  return graphOf(
    chained,
    chained
      .slice(1)
      .map((_, i) => `n${i}>n${i + 1}`)
      .join(' '),
  );
}

/** Rounds of a chain of templates, each of which sees the one before. */
function graphOfNodes(steps: number) {
  const chain = Array.from({ length: perRound }, (_, i) => ({
    id: `n${i}`,
    type: 'template',
    value: i === 0 ? '{{index}}' : `{{nodes.n${i - 1}.output}} ${i}`,
  }));
  const edges = chain.slice(1).map((_, i) => `n${i}>n${i + 1}`);
  return graphOf(
    [{ id: 'l', type: 'loop', times: steps / perRound, body: partOf(chain, edges.join(' ')) }],
    '',
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function row(what: string, cost: number, ratio: number): string {
  return `  ${what.padEnd(58)} ${cost.toFixed(1).padStart(8)} µs  ${ratio.toFixed(2).padStart(6)} x`;
}
