import { describe, expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, testWorld, toolOf } from '../../../test/world.ts';
import type { Json } from '../../run/values.ts';
import { Engine } from '../../../test/engine.ts';
import type { Catalog } from '../world.ts';

const second = 1_000;

/** A worker that is told to leave, with so much grace. */
function leaver(stage: Stage, catalog: Partial<Catalog>, grace: number) {
  const world = testWorld(catalog, { clock: stage.clock, store: stage.store });
  const engine = new Engine(world, 'leaver');
  const told = new AbortController();
  const gone = engine.work(told.signal, { grace });
  return { engine, gone, leave: () => told.abort() };
}

function twoCharges() {
  const deeds: Json[] = [];
  const first = Promise.withResolvers<Json>();
  const charge = toolOf(
    'charge',
    (input) => (deeds.push(input), deeds.length === 1 ? first.promise : 'done'),
    {
      effect: 'once',
    },
  );
  const flow = flowOf(async (scope) => {
    const one = await scope.call('charge', { n: 1 });
    const two = await scope.call('charge', { n: 2 });
    return `${one.outcome} ${two.outcome}`;
  });
  return { deeds, flow, catalog: { flows: [flow], tools: [charge] }, finish: () => first.resolve('done') };
}

describe('a worker that is told to leave', () => {
  test('[E69] [R51] lets what has begun come to its end, begins nothing more, and hands its run back', async () => {
    const stage = new Stage();
    const { deeds, flow, catalog, finish } = twoCharges();
    const { engine, gone, leave } = leaver(stage, catalog, 5 * second);
    const { run } = await engine.start({ app: 'test', flow, input: { text: 'go' } });
    await stage.clock.pass(second);
    leave();
    await stage.clock.pass(3 * second);
    expect(await stage.state(run)).toBe('running');
    finish();
    await calm();
    await gone;
    expect(await stage.state(run)).toBe('ready');
    expect(deeds).toEqual([{ n: 1 }]);
    stage.hire(catalog);
    await stage.clock.pass(second);
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('completed completed');
    expect([deeds.length, tree.approvals.size, tree.takeovers]).toEqual([2, 0, 0]);
  });

  test('[E69] waits no longer than its grace: what is still under way is in doubt', async () => {
    const stage = new Stage();
    const { flow, catalog } = twoCharges();
    const { engine, gone, leave } = leaver(stage, catalog, 5 * second);
    const { run } = await engine.start({ app: 'test', flow, input: { text: 'go' } });
    await stage.clock.pass(second);
    leave();
    await stage.clock.pass(6 * second);
    await gone;
    stage.hire(catalog);
    await stage.clock.pass(second);
    expect((await stage.asked(run)).map(({ title }) => title)).toEqual(['Did «charge» happen?']);
  });

  test('[E64 E69] keeps its leases meanwhile, however long that is', async () => {
    const stage = new Stage();
    const { flow, catalog, finish } = twoCharges();
    const { engine, gone, leave } = leaver(stage, catalog, 60 * second);
    const { run } = await engine.start({ app: 'test', flow, input: { text: 'go' } });
    leave();
    stage.hire(catalog);
    await stage.clock.pass(40 * second);
    finish();
    await stage.clock.pass(2 * second);
    await gone;
    const tree = await stage.tree(run);
    expect([tree.ended?.answer, tree.takeovers]).toEqual(['completed completed', 0]);
  });

  test('[E69] takes nothing up any more, and gives back what is started meanwhile', async () => {
    const stage = new Stage();
    const { deeds, flow, catalog, finish } = twoCharges();
    const { engine, gone, leave } = leaver(stage, catalog, 5 * second);
    await engine.start({ app: 'test', flow, input: { text: 'go' } });
    await stage.clock.pass(second);
    leave();
    await calm();
    const { run } = await engine.start({ app: 'test', flow, input: { text: 'late' } });
    await stage.clock.pass(second);
    finish();
    await stage.clock.pass(5 * second);
    await gone;
    expect([deeds.length, await stage.state(run)]).toEqual([1, 'ready']);
  });

  test('[E69] [R46] while another starts: each of 50 runs has one owner, and nothing is done twice', async () => {
    const stage = new Stage();
    const deeds: string[] = [];
    const flow = flowOf(async (scope, text) => {
      for (let i = 0; i < 5; i += 1) await scope.call('charge', { text, i }, { key: `c${i}` });
      return 'done';
    });
    const slow = toolOf(
      'charge',
      async (input) => {
        deeds.push(JSON.stringify(input));
        await stage.clock.sleep(700, new AbortController().signal);
        return 'done';
      },
      { effect: 'once' },
    );
    const catalog = { flows: [flow], tools: [slow] };
    const { engine, gone, leave } = leaver(stage, catalog, 5 * second);
    const runs: string[] = [];
    for (let i = 0; i < 50; i += 1) {
      runs.push((await engine.start({ app: 'test', flow, input: { text: `run ${i}` } })).run);
      await stage.clock.pass(20);
    }
    stage.hire(catalog);
    leave();
    await stage.clock.pass(20 * second);
    await gone;
    for (const run of runs) {
      const tree = await stage.tree(run);
      expect([tree.ended?.answer, tree.approvals.size, tree.takeovers]).toEqual(['done', 0, 0]);
    }
    expect(new Set(deeds).size).toBe(deeds.length);
    expect(deeds).toHaveLength(250);
  });
});
