import { describe, expect, test } from 'vitest';
import { answerOf, policies } from '../../../test/conversation.ts';
import { ended, flowOf, startRun, testWorld, toolOf, treeOf, until } from '../../../test/world.ts';
import type { Policy } from '../../policies/policy.ts';
import { RunError } from '../../run/failure.ts';
import type { Tool } from '../../tools/tool.ts';
import { Engine } from '../../../test/engine.ts';
import type { Flow } from '../scope.ts';

/** A tool that counts what it does, and waits in it until it is let go. */
function gatedCharge(more: Partial<Tool> = {}) {
  const effects: unknown[] = [];
  const gate = Promise.withResolvers<void>();
  const charge = toolOf(
    'charge',
    async (input) => {
      await gate.promise;
      return { receipt: effects.push(input) };
    },
    { effect: 'once', ...more },
  );
  return { charge, effects, letGo: gate.resolve };
}

function engineWith(flow: Flow, tools: readonly Tool[]) {
  const world = testWorld({ flows: [flow], tools }, { policies });
  return { world, engine: new Engine(world, 'w1') };
}

const twice = flowOf(async (scope) => {
  const results = await scope.parallel({
    one: (branch) => branch.call('charge', { amount: 5 }, { id: 'c1' }),
    two: (branch) => branch.call('charge', { amount: 5 }, { id: 'c2' }),
    three: (branch) => branch.call('charge', { amount: 7 }, { id: 'c3' }),
  });
  return JSON.stringify([results.one, results.two, results.three].map(({ outcome }) => outcome));
});

describe('the same call at once', () => {
  test('[C30] waits for the first to end and is answered with its outcome', async () => {
    const { charge, effects, letGo } = gatedCharge();
    const { world, engine } = engineWith(twice, [charge]);
    const { run } = await startRun(engine, twice);
    await until(world.store, run, ({ working }) => working === 2);
    expect(
      [...(await treeOf(world.store, run)).steps.values()].filter(({ kind }) => kind === 'call'),
    ).toHaveLength(2);
    letGo();
    const tree = await ended(world.store, run);
    expect(tree.ended?.answer).toBe('["completed","reused","completed"]');
    expect(effects).toEqual([{ amount: 5 }, { amount: 7 }]);
    const reused = [...tree.steps.values()].find(({ status }) => status === 'reused');
    expect(reused).toMatchObject({ result: { receipt: 1 }, notices: [{ code: 'DUPLICATE_BLOCKED' }] });
    expect(tree.steps.get(reused?.reusedFrom ?? 0)?.call?.arguments).toEqual({ amount: 5 });
    await engine.idle();
    expect(world.problems).toEqual([]);
  });

  test('[C32] runs if the first failed', async () => {
    let tries = 0;
    const charge = toolOf(
      'charge',
      () => {
        tries += 1;
        if (tries === 1) throw new RunError('unavailable', 'The bank is closed.');
        return tries;
      },
      { effect: 'once' },
    );
    const { world, engine } = engineWith(twice, [charge]);
    const { run } = await startRun(engine, twice);
    const tree = await ended(world.store, run);
    expect(tree.ended?.answer).toBe('["failed","completed","completed"]');
    expect(tries).toBe(3);
  });

  test('[C30] waits for a person together with the first, parked, and is not asked about', async () => {
    const { charge, effects, letGo } = gatedCharge({ approval: 'always' });
    letGo();
    const { world, engine } = engineWith(twice, [charge]);
    const over = new AbortController();
    const working = engine.work(over.signal);
    const { run } = await startRun(engine, twice);
    const waiting = await until(world.store, run, ({ undecided }) => undecided === 2);
    await engine.idle();
    for (const { approval, fingerprint } of waiting.approvals.values())
      await engine.send(run, { type: 'decide', by: 'ann', approval, fingerprint, decision: 'approve' });
    const tree = await ended(world.store, run);
    expect(tree.ended?.answer).toBe('["completed","reused","completed"]');
    expect(tree.approvals.size).toBe(2);
    expect(effects).toEqual([{ amount: 5 }, { amount: 7 }]);
    over.abort();
    await working;
  });
});

describe('a call again', () => {
  test('[C30] that needs approval is reused without asking: whoever agreed would make it run twice', async () => {
    const effects: unknown[] = [];
    const pay = toolOf('pay', (input) => effects.push(input), { effect: 'once', approval: 'always' });
    const flow = flowOf(async (scope) => {
      await scope.call('pay', { amount: 5 }, { id: 'c1' });
      const { outcome } = await scope.call('pay', { amount: 5 }, { id: 'c2' });
      return outcome;
    });
    const { world, engine } = engineWith(flow, [pay]);
    const over = new AbortController();
    const working = engine.work(over.signal);
    const { run } = await startRun(engine, flow);
    const waiting = await until(world.store, run, ({ undecided }) => undecided === 1);
    for (const { approval, fingerprint } of waiting.approvals.values())
      await engine.send(run, { type: 'decide', by: 'ann', approval, fingerprint, decision: 'approve' });
    const tree = await ended(world.store, run);
    expect(tree.ended?.answer).toBe('reused');
    expect(tree.approvals.size).toBe(1);
    expect(effects).toEqual([{ amount: 5 }]);
    over.abort();
    await working;
  });

  test('[C32] [C77] that failed twice gets the failure again, and is shown as failed', async () => {
    const flow = flowOf(async (scope) => {
      const results = [];
      for (let i = 1; i <= 3; i += 1) results.push(await scope.call('broken', {}, { id: `c${i}` }));
      return JSON.stringify(
        results.map(({ outcome, ...rest }) => [outcome, 'failure' in rest && rest.failure?.message]),
      );
    });
    const broken = toolOf('broken', () => {
      throw new RunError('unavailable', 'It is down.');
    });
    const { world, engine } = engineWith(flow, [broken]);
    const { run } = await startRun(engine, flow);
    const tree = await ended(world.store, run);
    expect(JSON.parse(answerOf(tree))).toEqual([
      ['failed', 'It is down.'],
      ['failed', 'It is down.'],
      ['reused', 'It is down.'],
    ]);
    const steps = [...tree.steps.values()].filter(({ kind }) => kind === 'call');
    expect(steps.map(({ status, reusedFrom }) => [status, reusedFrom])).toEqual([
      ['failed', undefined],
      ['failed', undefined],
      ['failed', steps[1]?.id],
    ]);
  });

  test('[C3] that the flow only shows is skipped with its notice, costs nothing and has no outcome', async () => {
    const effects: unknown[] = [];
    const charge = toolOf('charge', (input) => effects.push(input), {
      effect: 'once',
      schema: { type: 'object' },
    });
    const flow = flowOf(async (scope) => {
      const refusal = { code: 'CALL_SKIPPED', reason: 'Too many.' };
      const shown = await scope.call('charge', 'not even an object', { id: 'c1', refusal });
      const run = await scope.call('charge', {}, { id: 'c2' });
      return `${shown.outcome} ${run.outcome}`;
    });
    const { world, engine } = engineWith(flow, [charge]);
    const { run } = await startRun(engine, flow, { limits: { calls: 1 } });
    const tree = await ended(world.store, run);
    expect(tree.ended?.answer).toBe('skipped completed');
    expect(effects).toEqual([{}]);
    expect(tree.notices).toMatchObject([{ code: 'CALL_SKIPPED', message: 'Too many.' }]);
  });
});

test('[E88] a policy that says stop ends the run, with everything that is under way', async () => {
  const { charge, effects } = gatedCharge();
  const forbidden = toolOf('forbidden', () => 1);
  const flow = flowOf(async (scope) => {
    await scope.parallel({
      one: (branch) => branch.call('charge', { amount: 5 }),
      two: (branch) => branch.call('forbidden', {}),
    });
    return 'done';
  });
  const stopping: Policy = (_, { call }) =>
    call?.tool === 'forbidden'
      ? { verdict: 'stop', code: 'FORBIDDEN', reason: 'Nobody may do this.' }
      : { verdict: 'allow' };
  const world = testWorld({ flows: [flow], tools: [charge, forbidden] }, { policies: [stopping] });
  const { run } = await startRun(new Engine(world, 'w1'), flow);
  const tree = await ended(world.store, run);
  expect(tree.ended?.outcome).toBe('stopped');
  const calls = [...tree.steps.values()].flatMap(({ call, status }) => (call ? [[call.tool, status]] : []));
  expect(calls).toEqual([
    ['charge', 'stopped'],
    ['forbidden', 'skipped'],
  ]);
  expect(tree.notices.map(({ code }) => code)).toEqual(['FORBIDDEN', 'IN_DOUBT']);
  expect(effects).toEqual([]);
});
