import { describe, expect, test, vi } from 'vitest';
import { agentOf, ended, entriesOf, flowOf, startRun, testWorld, toolOf, until } from '../../test/world.ts';
import { textOf, type RunTree, type Step } from '../run/tree.ts';
import { Engine } from '../../test/engine.ts';

function named(tree: RunTree, title: string): Step {
  const found = [...tree.steps.values()].find((step) => step.title === title);
  if (!found) throw new Error(`no step «${title}»`);
  return found;
}

describe('a run', () => {
  test('records nested steps, streamed text and the answer', async () => {
    const flow = flowOf(async (scope, text) => {
      const found = await scope.step({ key: 'look', title: 'Look' }, async (inner) => {
        const { text: said } = await inner.turn('helper', { messages: [{ role: 'user', text }] });
        return said;
      });
      return `Found: ${found}`;
    });
    const agents = [agentOf('helper', [{ moves: [{ type: 'say', text: ['a ', 'b'] }] }])];
    const world = testWorld({ flows: [flow], agents });
    const engine = new Engine(world, 'w1');
    const { run } = await startRun(engine, flow);
    const tree = await ended(world.store, run);
    expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'Found: a b' });
    expect(textOf(named(tree, 'helper'))).toBe('a b');
    expect(named(tree, 'helper').parent).toBe(named(tree, 'Look').id);
    await engine.idle();
    expect(world.problems).toEqual([]);
  });

  test('[E280] that begins here has no letters yet, and hears of those that come', async () => {
    const asked: string[] = [];
    const flow = flowOf(async (scope) => {
      asked.push(`${pending.mock.calls.length} before the flow`);
      await scope.step({ key: 'wait', title: 'Wait' }, () => new Promise(() => {}));
      return 'never';
    });
    const world = testWorld({ flows: [flow] });
    const pending = vi.spyOn(world.store.mailbox, 'pending');
    const engine = new Engine(world, 'w1');
    const over = new AbortController();
    const working = engine.work(over.signal);
    const { run } = await startRun(engine, flow);
    await until(world.store, run, ({ steps }) => steps.size === 2);
    await engine.send(run, { type: 'stop', by: 'ann' });
    const tree = await ended(world.store, run);
    over.abort();
    await working;
    expect(tree.ended).toMatchObject({ outcome: 'stopped' });
    expect(asked).toEqual(['0 before the flow']);
  });

  test('opens the steps it has planned, in their places', async () => {
    const flow = flowOf(async (scope) => {
      scope.plan([
        { key: 'first', title: 'First' },
        { key: 'never', title: 'Never' },
        { key: 'second', title: 'Second' },
      ]);
      await scope.step({ key: 'first', title: 'First' }, async () => 1);
      await scope.step({ key: 'second', title: 'Second' }, async () => 2);
      await scope.step({ key: 'third', title: 'Third' }, async () => 3);
      return 'done';
    });
    const world = testWorld({ flows: [flow] });
    const { run } = await startRun(new Engine(world, 'w1'), flow);
    const tree = await ended(world.store, run);
    expect(tree.ended).toMatchObject({ outcome: 'completed' });
    const seen = [...tree.steps.values()].slice(1).map(({ key, status }) => [key, status]);
    expect(seen).toEqual([
      ['first', 'completed'],
      ['never', 'skipped'],
      ['second', 'completed'],
      ['third', 'completed'],
    ]);
    expect(tree.notices).toEqual([]);
  });

  test('waits for a person without a worker, and goes on with the decision', async () => {
    const sent: unknown[] = [];
    const pay = toolOf('pay', (input) => ({ receipt: sent.push(input) }), {
      effect: 'once',
      approval: 'always',
    });
    const flow = flowOf(async (scope) => {
      const paid = await scope.call('pay', { amount: 5 });
      return paid.outcome;
    });
    const world = testWorld({ flows: [flow], tools: [pay] });
    const engine = new Engine(world, 'w1');
    const stop = new AbortController();
    const working = engine.work(stop.signal);
    const { run } = await startRun(engine, flow);
    const waiting = await until(world.store, run, ({ undecided }) => undecided === 1);
    const [asked] = [...waiting.approvals.values()];
    await engine.idle();
    expect(await world.store.dispatch.get(run)).toMatchObject({
      state: 'waiting',
      status: 'waiting',
      approvals: 1,
    });
    expect(sent).toEqual([]);
    await engine.send(run, {
      type: 'decide',
      by: 'ann',
      approval: asked?.approval ?? '',
      fingerprint: asked?.fingerprint ?? '',
      decision: 'approve',
    });
    const tree = await ended(world.store, run);
    expect(tree.ended?.answer).toBe('completed');
    expect(sent).toEqual([{ amount: 5 }]);
    stop.abort();
    await working;
    expect(world.problems).toEqual([]);
  });

  test('stops at every level, and nothing is recorded after its end', async () => {
    const flow = flowOf(async (scope) => {
      await scope.parallel({
        talk: (branch) => branch.turn('endless', { messages: [{ role: 'user', text: 'go' }] }),
        hang: (branch) => branch.step({ key: 'deep' }, (deep) => deep.call('hang', {})),
        stubborn: async (branch) => {
          try {
            return await branch.call('hang', {}, { key: 'first' });
          } catch {
            return branch.call('hang', {}, { key: 'second' });
          }
        },
      });
      return 'never';
    });
    const hang = toolOf('hang', () => new Promise(() => {}));
    const agents = [agentOf('endless', [{ moves: [{ type: 'say', text: 'x' }, { type: 'hang' }] }])];
    const world = testWorld({ flows: [flow], agents, tools: [hang] });
    const engine = new Engine(world, 'w1');
    const over = new AbortController();
    const working = engine.work(over.signal);
    const { run } = await startRun(engine, flow);
    await until(world.store, run, ({ working: count }) => count === 3);
    await engine.send(run, { type: 'stop', by: 'ann' });
    const tree = await ended(world.store, run);
    expect(tree.ended?.outcome).toBe('stopped');
    expect([...tree.steps.values()].filter(({ status }) => status === 'running')).toEqual([]);
    expect([...tree.steps.values()].some(({ key }) => key === 'second')).toBe(false);
    const entries = await entriesOf(world.store, run);
    expect(entries.at(-1)?.event.type).toBe('run.ended');
    over.abort();
    await working;
    expect(world.problems).toEqual([]);
  });
});

describe('viewers', () => {
  test('[L9 L11] may all leave in the middle of a run, and it goes on', async () => {
    const moves = Array.from({ length: 200 }, (_, i) => ({ type: 'say' as const, text: `${i} ` }));
    const flow = flowOf(
      async (scope) => (await scope.turn('talker', { messages: [{ role: 'user', text: 'go' }] })).text,
    );
    const world = testWorld({ flows: [flow], agents: [agentOf('talker', () => moves)] });
    const engine = new Engine(world, 'w');
    const { run } = await startRun(engine, flow);
    const leaving = Array.from({ length: 100 }, async (_, i) => {
      const gone = new AbortController();
      for await (const { last } of world.store.journal.follow(run, 0, gone.signal))
        if (last > i) gone.abort();
    });
    await Promise.all(leaving);
    await engine.idle();
    expect((await ended(world.store, run)).ended?.outcome).toBe('completed');
  });
});
