import { describe, expect, test } from 'vitest';
import { workplaceIn, type Catalog } from '../../engine/world.ts';
import { forkRun } from '../../front/fork-run.ts';
import { keptEvents } from '../../front/kept-events.ts';
import { RunError } from '../../run/failure.ts';
import { isBlobRef, type Json } from '../../run/values.ts';
import { textOf, type RunTree, type Step } from '../../run/tree.ts';
import { Graph } from '../../graph/graph.ts';
import { seedOf, sized, tell } from '../../../test/long.ts';
import { Stage, type Worker } from '../../../test/stage.ts';
import { drawGraph, leafGraph, type DrawnGraph } from '../../../test/workflow/random-graph.ts';
import { decideBy } from '../../../test/workflow/decided.ts';
import { drawnCatalog, drawnFlow, noted } from '../../../test/workflow/random-world.ts';
import { interpret } from '../../../test/workflow/reference.ts';
import type { Ledger } from '../../../test/workflow/taken-over.ts';
import { toTheEnd } from '../../../test/workflow/to-the-end.ts';
import { toolOf } from '../../../test/world.ts';
import { answering, graphOf, outline, runOf } from '../../../test/workflow/world.ts';
import { doneAnew } from './anew.ts';

/** A world in which one effect fails, the first time it is asked for. */
function breaking(ledger: Ledger, at: number): ReturnType<typeof drawnCatalog> {
  const catalog = drawnCatalog((key, effect) => void ledger.set(key, effect));
  let asked = 0;
  const tools = catalog.tools.map((tool): typeof tool => ({
    ...tool,
    async run(input, context) {
      if (noted.has(tool.name) && (asked += 1) === at) throw new RunError('refused', 'Not this time.');
      return tool.run(input, context);
    },
  }));
  return { ...catalog, tools };
}

async function played(graph: DrawnGraph, data: Json, at: number) {
  const stage = new Stage();
  const ledger: Ledger = new Map();
  await runOf(stage.store, leafGraph);
  const wanted = { ...(await runOf(stage.store, graph)), flow: drawnFlow, input: { text: '', data } };
  const worker = stage.hire(breaking(ledger, at));
  const run = await stage.start(worker, drawnFlow, wanted);
  const tree = await toTheEnd(stage, run);
  expect(stage.problems).toEqual([]);
  return { stage, worker, ledger, run, tree };
}

/** What is recorded of workflows inside. */
async function innerIn(stage: Stage, { steps, started }: RunTree) {
  const found = new Map<number, Json>();
  for (const { id, kind, result } of steps.values())
    if (kind === 'definition' && isBlobRef(result)) {
      const text = await stage.store.blobs.get(started?.tenant ?? '', result.blob);
      if (text !== undefined) found.set(id, JSON.parse(text) as Json);
    }
  return ({ id }: Step): Json | undefined => found.get(id);
}

async function forked(
  played: { stage: Stage; worker: Worker; run: string; tree: RunTree },
  graph: DrawnGraph,
) {
  const { stage, worker, run, tree } = played;
  if (!tree.started) throw new Error('it has not begun');
  const anew = doneAnew(tree, Graph.parse(graph), await innerIn(stage, tree));
  const entries = await stage.entries(run);
  const made = await forkRun(workplaceIn(worker.world), {
    started: tree.started,
    kept: (name) => keptEvents(entries, anew, name),
  });
  return made.run;
}

const answerOf = ({ ended }: RunTree) => (ended?.outcome === 'completed' ? ended.answer : undefined);
const sorted = (ledger: Ledger) => [...ledger.values()].toSorted();

test(
  '[WR40] any graph in which something fails comes to the same answer once it goes on, and does nothing twice',
  { timeout: 3_600_000 },
  async () => {
    const first = seedOf('graphs that go on');
    const seen = { graphs: 0, gone: 0, inside: 0, handled: 0 };
    for (let seed = first; seed < first + sized(20, 200); seed += 1) {
      const graph = drawGraph(seed);
      const data: Json = { n: seed, list: ['a', 'b'] };
      const { answer, breaks } = interpret(graph, data, decideBy);
      if (breaks > 0) continue;
      seen.graphs += 1;
      const whole = await played(graph, data, 0);
      for (let at = 1; at <= Math.min(whole.ledger.size, sized(3, 50)); at += 1) {
        const broken = await played(graph, data, at);
        const name = `seed ${seed}, effect ${at}`;
        if (broken.tree.ended?.outcome !== 'failed') {
          seen.handled += 1;
          continue;
        }
        seen.gone += 1;
        const failed = [...broken.tree.steps.values()].filter(({ status }) => status === 'failed');
        if (failed.some(({ depth }) => depth > 3)) seen.inside += 1;
        const on = await toTheEnd(broken.stage, await forked(broken, graph));
        expect(broken.stage.problems, name).toEqual([]);
        expect(answerOf(on), name).toEqual(answer);
        expect(sorted(broken.ledger), name).toEqual(sorted(whole.ledger));
        expect(outline(on), name).toEqual(outline(whole.tree));
        expect(on.spent.turns, name).toBe(whole.tree.spent.turns);
      }
    }
    tell('graphs that go on', seen);
    for (const count of [seen.gone, seen.inside, seen.handled]) expect(count).toBeGreaterThan(0);
  },
);

describe('[WR40] of the node that failed', () => {
  async function failed(nodes: Parameters<typeof graphOf>[0], catalog: Partial<Catalog>, pass = 0) {
    const stage = new Stage();
    const graph = graphOf(nodes, '') as DrawnGraph;
    const worker = stage.hire({ flows: [drawnFlow], agents: [], tools: [], ...catalog });
    const wanted = { ...(await runOf(stage.store, graph)), flow: drawnFlow };
    const run = await stage.start(worker, drawnFlow, wanted);
    if (pass > 0) await stage.clock.pass(pass);
    const tree = await stage.tree(run);
    expect(tree.ended?.outcome).toBe('failed');
    return { stage, worker, run, tree, graph };
  }

  test('what was cut off and happens once is asked about, and not done again', async () => {
    let sent = 0;
    const send = toolOf('send', () => new Promise<Json>(() => (sent += 1)), { effect: 'once' });
    const node = { id: 'send', type: 'tool', tool: 'send', within: 5 };
    const before = await failed([node], { tools: [send] }, 6_000);
    const on = await forked(before, before.graph);
    const [question] = await before.stage.asked(on);
    expect(question?.message).toContain('its outcome was not recorded');
    await before.stage.decide(on, { decision: 'approve' });
    expect((await before.stage.tree(on)).ended).toMatchObject({ outcome: 'completed' });
    expect(sent).toBe(1);
  });

  test('an agent whose answers nobody could use is asked again, and what it used is counted once', async () => {
    const answers = ['no', 'not JSON', '{"fits": true}'];
    const agents = [answering('writer', () => answers.shift() ?? '')];
    const node = { id: 'say', type: 'prompt', agent: 'writer', message: 'Say.', answer: { type: 'object' } };
    const before = await failed([node], { agents });
    const on = await forked(before, before.graph);
    const tree = await before.stage.tree(on);
    expect(tree.ended).toMatchObject({ outcome: 'completed', answer: '{"fits":true}' });
    expect([before.tree.spent.turns, tree.spent.turns]).toEqual([2, 2]);
    expect(answers).toEqual([]);
    const [turn] = [...tree.steps.values()].filter(({ kind }) => kind === 'turn');
    expect(turn && textOf(turn)).toBe('no');
    expect(turn?.usage).toBeUndefined();
  });

  test('a question that was answered no is asked again', async () => {
    const stage = new Stage();
    const graph = graphOf([{ id: 'ask', type: 'human', title: 'Sure?' }], 'ask.approved>end') as DrawnGraph;
    const worker = stage.hire({ flows: [drawnFlow] });
    const run = await stage.start(worker, drawnFlow, {
      ...(await runOf(stage.store, graph)),
      flow: drawnFlow,
    });
    await stage.decide(run, { decision: 'reject' });
    const on = await forked({ stage, worker, run, tree: await stage.tree(run) }, graph);
    expect((await stage.asked(on)).map(({ approval }) => approval)).toEqual([`${on}.a1`]);
    await stage.decide(on, { decision: 'approve' });
    expect((await stage.tree(on)).ended).toMatchObject({ outcome: 'completed' });
  });
});

test('[WR40] [WF23] what was withdrawn stays so where the run goes on', async () => {
  const ask = (id: string) => ({ id, type: 'human', title: id });
  const graph = {
    ...graphOf(
      [
        { id: 'asks', type: 'loop', times: 2, body: { nodes: [ask('ann')], edges: [] } },
        ask('bob'),
        { id: 'join', type: 'merge', first: true },
        { id: 'post', type: 'tool', tool: 'note', arguments: { n: 1 } },
      ],
      'asks>join bob.approved>join join>post',
    ),
    name: 'withdrawn',
  };
  const stage = new Stage();
  const worker = stage.hire(breaking(new Map(), 1));
  const run = await stage.start(worker, drawnFlow, { ...(await runOf(stage.store, graph)), flow: drawnFlow });
  const bob = (await stage.asked(run)).find(({ title }) => title === 'bob');
  await stage.decide(run, { approval: bob?.approval ?? '' });
  const tree = await stage.tree(run);
  expect([tree.ended?.outcome, outline(tree)]).toEqual(['failed', expect.arrayContaining(['asks skipped'])]);
  const on = await stage.tree(await forked({ stage, worker, run, tree }, graph));
  expect([on.ended?.outcome, on.approvals.size, stage.problems]).toEqual(['completed', 2, []]);
  expect(outline(on)).toContain('asks skipped');
});
