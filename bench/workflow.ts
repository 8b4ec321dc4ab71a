// What a node of a graph costs beside a bare step, and whether it costs more in a long run.
import type { Flow } from '../src/engine/scope.ts';
import { workflow } from '../src/flows/workflow.ts';
import { Secrets } from '../src/guards/secrets.ts';
import { approval } from '../src/policies/approval.ts';
import { budget } from '../src/policies/budget.ts';
import { newId, sha256, systemClock } from '../src/server/system.ts';
import { memoryStore } from '../src/stores/memory.ts';
import { Engine } from '../test/engine.ts';
import { graphOf, partOf, runOf } from '../test/workflow/world.ts';

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

export async function workflowBench(): Promise<void> {
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
    console.log(`  ${what.padEnd(52)} ${cost.toFixed(1).padStart(8)} µs  ${ratio.toFixed(2).padStart(6)} x`);
}

/** CPU microseconds of a step, in so many runs of so many steps. */
async function perStep(flow: Flow, steps: number, runs: number): Promise<number> {
  const store = memoryStore({ now: Date.now });
  const world = { store, clock: systemClock, catalog: { flows: [flow], agents: [], tools: [] } };
  const rules = { policies: [budget, approval], newId, hash: sha256, secrets: new Secrets() };
  const engine = new Engine(
    { ...world, ...rules, log: { error: ({ cause }) => console.error(cause) } },
    'bench',
  );
  const wanted = await runOf(store, graphOfNodes(steps));
  const before = process.cpuUsage();
  for (let i = 0; i < runs; i += 1) {
    const request = flow === bare ? { app: 'bench', flow } : { ...wanted, flow };
    await engine.start({ ...request, input: { text: String(steps) } });
    await engine.idle();
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (steps * runs);
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
