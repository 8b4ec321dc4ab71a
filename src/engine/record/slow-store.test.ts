import { describe, expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { memoryStore } from '../../stores/memory.ts';
import type { OperationName } from '../../stores/rules/rules.ts';
import type { Scope } from '../scope.ts';

/** A stage whose store takes half a second for some operations. */
function slowStage(...names: readonly OperationName[]): Stage {
  const stage: Stage = new Stage((now) =>
    memoryStore({
      now,
      async commit(apply, operation) {
        if (names.includes(operation)) await stage.clock.sleep(500, new AbortController().signal);
        return apply();
      },
    }),
  );
  return stage;
}

/** A stage whose store is away, once, when it is asked for something after `leave`. */
function leavingStage(name: OperationName): { stage: Stage; leave: () => void } {
  let isAway = false;
  const stage = new Stage((now) =>
    memoryStore({
      now,
      async commit(apply, operation) {
        if (operation !== name || !isAway) return apply();
        isAway = false;
        throw new RunError('unavailable', 'The store did not answer.');
      },
    }),
  );
  return { stage, leave: () => (isAway = true) };
}

describe('[E60] a branch that can go on does so while another one waits', () => {
  const big = { note: 'x'.repeat(40_000) };

  test('though it takes a moment to keep what a person made of it', async () => {
    const paid: Json[] = [];
    const pay = toolOf('pay', (input) => paid.push(input), { effect: 'once', approval: 'always' });
    const flow = flowOf(async (scope) => {
      const left = (branch: Scope) => branch.call('pay', { n: 1 });
      const right = (branch: Scope) => branch.call('pay', { n: 2 });
      return JSON.stringify(await scope.parallel({ left, right }));
    });
    const stage = slowStage('put');
    const run = await stage.start(stage.hire({ flows: [flow], tools: [pay] }), flow);
    await stage.decide(run, { decision: 'edit', arguments: big });
    await stage.clock.pass(5_000);
    expect(paid).toEqual([big]);
  });

  test('though it takes a moment to leave the line after a doubt was settled', async () => {
    const deeds: string[] = [];
    const note = toolOf('note', () => deeds.push('noted'));
    const flow = flowOf(async (scope) => {
      const left = async (branch: Scope) => {
        await branch.turn('remote', { messages: [{ role: 'user', text: 'go' }] }).catch(() => {});
        return branch.call('note', {});
      };
      const right = (branch: Scope) => branch.ask({ title: 'Well?' });
      return JSON.stringify(await scope.parallel({ left, right }));
    });
    const gateway = {
      async *takeTurn() {
        yield [];
        await new Promise(() => {});
      },
    };
    const agents = [{ name: 'remote', description: '', effect: 'once' as const, gateway }];
    const stage = slowStage('letGo');
    const catalog = { flows: [flow], agents, tools: [note] };
    const first = stage.hire(catalog);
    const run = await stage.start(first, flow);
    stage.hire(catalog);
    await stage.bury(first);
    const doubt = (await stage.asked(run)).find(({ title }) => title.startsWith('Did'));
    await stage.decide(run, { approval: doubt?.approval ?? '', decision: 'reject' });
    await stage.clock.pass(5_000);
    expect(deeds).toEqual(['noted']);
  });
});

describe('[E9] a flow never hears of a store that is away for a moment', () => {
  const blue = flowOf(async () => 'blue', 'blue');

  test.for(['get', 'read'] as const)('when it looks back on the conversation: %s', async (operation) => {
    const { stage, leave } = leavingStage(operation);
    const look = flowOf(async (scope) => {
      leave();
      return (await scope.history()).map(({ answer }) => answer).join();
    }, 'look');
    const worker = stage.hire({ flows: [blue, look] });
    await stage.start(worker, blue, { conversation: 'c' });
    const run = await stage.start(worker, look, { conversation: 'c' });
    await stage.clock.pass(1_000);
    expect((await stage.tree(run)).ended).toMatchObject({ outcome: 'completed', answer: 'blue' });
  });

  test.for(['list', 'read'] as const)('when it looks for what others shared: %s', async (operation) => {
    const { stage, leave } = leavingStage(operation);
    const look = flowOf(async (scope) => {
      leave();
      return JSON.stringify(await scope.shared(['color']));
    }, 'look');
    const worker = stage.hire({ flows: [blue, look] });
    await stage.start(worker, blue, { conversation: 'c' });
    const run = await stage.start(worker, look, { conversation: 'c' });
    await stage.clock.pass(1_000);
    expect((await stage.tree(run)).ended).toMatchObject({ outcome: 'completed', answer: '{}' });
  });
});

describe('[E64] a worker with many runs to take up', () => {
  test('keeps the leases of those it has, and takes up each once', async () => {
    const ask = flowOf(async (scope) => {
      await scope.call('wait', {});
      return 'done';
    });
    const wait = toolOf('wait', () => new Promise<Json>(() => {}), { timeout: 3_600_000 });
    const stage = slowStage('read');
    const catalog = { flows: [ask], tools: [wait] };
    const first = stage.hire(catalog);
    const runs: string[] = [];
    for (let i = 0; i < 50; i += 1) runs.push(await stage.start(first, ask));
    first.die();
    const second = stage.hire(catalog);
    await stage.clock.pass(60_000);
    expect(second.engine.busyWith.toSorted()).toEqual(runs.toSorted());
    const epochs = await Promise.all(runs.map(async (run) => (await stage.store.dispatch.get(run))?.epoch));
    expect(new Set(epochs)).toEqual(new Set([2]));
  });
});

test('[E190] what a run has said counts before it is written', async () => {
  const stage = new Stage((now) =>
    memoryStore({
      now,
      async commit(apply, operation) {
        if (operation === 'append') for (let i = 0; i < 20_000; i += 1) await Promise.resolve();
        return apply();
      },
    }),
  );
  const talkative: Agent = {
    name: 'model',
    description: '',
    effect: 'pure',
    gateway: {
      async *takeTurn() {
        for (let i = 0; i < 2_000; i += 1) yield [{ type: 'text.appended', text: 'word '.repeat(20) }];
      },
    },
  };
  const flow = flowOf(async (scope) => {
    await scope.turn('model', { messages: [{ role: 'user', text: 'more' }] });
    return 'never';
  });
  const worker = stage.hire({ flows: [flow], agents: [talkative] });
  const tree = await stage.tree(await stage.start(worker, flow, { limits: { bytes: 20_000 } }));
  expect(tree.ended?.outcome).toBe('failed');
  expect(tree.seq).toBeLessThan(400);
});

describe('[E27] [E28] a worker that could not record, and lives, is not said to have ended', () => {
  /** A stage whose store takes nothing while its disk is full. */
  function fullStage(): { readonly stage: Stage; readonly fill: (isFull: boolean) => void } {
    let isFull = false;
    const stage = new Stage((now) =>
      memoryStore({
        now,
        async commit(apply) {
          if (isFull) throw new RunError('unavailable', 'The disk is full.');
          return apply();
        },
      }),
    );
    return { stage, fill: (now) => (isFull = now) };
  }

  async function fullDuring(effect: 'once' | 'pure', approval: 'always' | 'never') {
    const { stage, fill } = fullStage();
    const done: Json[] = [];
    const pay = toolOf(
      'pay',
      (input) => {
        fill(done.push(input) === 1);
        return 'paid';
      },
      { effect, approval },
    );
    const flow = flowOf(async (scope) => (await scope.call('pay', {})).outcome);
    const run = await stage.start(stage.hire({ flows: [flow], tools: [pay] }), flow);
    if (approval === 'always') await stage.decide(run, {});
    await stage.clock.pass(25_000);
    fill(false);
    await stage.clock.pass(25_000);
    expect(done).toHaveLength(effect === 'pure' && approval === 'never' ? 2 : 1);
    return { stage, run };
  }

  test('where a person is asked whether it happened', async () => {
    const { stage, run } = await fullDuring('once', 'never');
    expect(await stage.asked(run)).toMatchObject([
      {
        title: 'Did «pay» happen?',
        message: expect.stringMatching(/^It was begun, and its outcome was not recorded\. Approve/),
      },
    ]);
  });

  test('where it is done again', async () => {
    const { stage, run } = await fullDuring('pure', 'never');
    expect(await stage.events(run, 'step.retried')).toMatchObject([
      { cutOff: true, reason: 'The outcome of this attempt was not recorded.' },
    ]);
    expect((await stage.tree(run)).ended?.answer).toBe('completed');
  });

  test('where a person is asked to agree again', async () => {
    const { stage, run } = await fullDuring('pure', 'always');
    expect(await stage.asked(run)).toMatchObject([
      { message: expect.stringContaining('It was begun, and its outcome was not recorded: it runs again') },
    ]);
  });
});
