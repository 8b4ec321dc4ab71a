import { describe, expect, onTestFinished, test } from 'vitest';
import { Engine } from '../../test/engine.ts';
import { Stage } from '../../test/stage.ts';
import { flowOf, testWorld, toolOf } from '../../test/world.ts';
import type { Json } from '../run/values.ts';

describe('[E340] a worker with its hands full', () => {
  const most = 32;
  const runs = 200;

  /** All due at once; what each does ends when it is told to. */
  async function due() {
    const ends: (() => void)[] = [];
    const hold = toolOf('hold', () => new Promise<Json>((resolve) => ends.push(() => resolve('done'))), {
      timeout: 36_000_000,
    });
    const flow = flowOf(async (scope) => {
      await scope.wait({ until: scope.openedAt + 3_600_000 });
      return (await scope.call('hold', {})).outcome;
    });
    const stage = new Stage();
    const catalog = { flows: [flow], tools: [hold] };
    const first = stage.hire(catalog);
    for (let i = 0; i < runs; i += 1) await stage.start(first, flow);
    await first.quit();
    await stage.clock.pass(3_600_000);
    const over = new AbortController();
    const world = testWorld(catalog, { clock: stage.clock, store: stage.store });
    const worker = new Engine(world, 'bounded');
    const working = worker.work(over.signal, { most });
    onTestFinished(async () => {
      over.abort();
      await working;
    });
    return { stage, worker, ends };
  }

  test('takes up a few each second, so that whoever waits for another has it in the end', async () => {
    const { stage, worker } = await due();
    const inHand: number[] = [];
    for (let second = 0; second < 3; second += 1) {
      await stage.clock.pass(second === 0 ? 500 : 1_000);
      inHand.push(worker.busyWith.length);
    }
    expect(inHand).toEqual([most, most + 16, most + 32]);
    await stage.clock.pass(15_000);
    expect(worker.busyWith).toHaveLength(runs);
  });

  test('takes up the next as soon as one is over, and loses none', async () => {
    const { stage, ends, worker } = await due();
    await stage.clock.pass(100);
    let done = 0;
    let inHand = 0;
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      done += 1;
      await stage.clock.pass(1);
      inHand = Math.max(inHand, worker.busyWith.length);
    }
    expect(done).toBe(runs);
    expect(inHand).toBeLessThan(most + 16);
    const rows = await stage.store.dispatch.list({ tenant: 'local', limit: 500 });
    expect(rows.filter(({ status }) => status === 'completed')).toHaveLength(runs);
  });
});
