import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../test/stage.ts';
import { calm } from '../../test/virtual-clock.ts';
import { agentOf, flowOf, toolOf } from '../../test/world.ts';
import type { Agent } from '../catalog/agent.ts';
import type { AgentEvent } from '../gateways/gateway.ts';
import { RunError } from '../run/failure.ts';
import type { Json } from '../run/values.ts';

const user = (text: string) => ({ messages: [{ role: 'user' as const, text }] });

function modelOf(takeTurn: () => AsyncIterable<readonly AgentEvent[]>): Agent {
  return { name: 'model', description: '', effect: 'pure', gateway: { takeTurn } };
}

const talkative = agentOf('model', () => [{ type: 'say', text: 'words ' }]);

describe('one budget for the whole run', () => {
  test('[E81 E83] two branches cannot both take the last call, and the refusal is a step', async () => {
    let calls = 0;
    const flow = flowOf(async (scope) => {
      const { a, b } = await scope.parallel({
        a: (branch) => branch.step({ key: 'deep' }, (deep) => deep.call('work', { n: 1 })),
        b: (branch) => branch.call('work', { n: 2 }),
      });
      return [a, b]
        .map(({ outcome }) => outcome)
        .toSorted()
        .join();
    });
    const stage = new Stage();
    const worker = stage.hire({ flows: [flow], tools: [toolOf('work', () => (calls += 1))] });
    const run = await stage.start(worker, flow, { limits: { calls: 1 } });
    const tree = await stage.tree(run);
    expect([tree.ended?.answer, calls, codes(tree)]).toEqual(['completed,skipped', 1, ['BUDGET_EXHAUSTED']]);
    const refused = [...tree.steps.values()].find(({ status }) => status === 'skipped');
    expect(refused).toMatchObject({ kind: 'call', started: false, failure: { code: 'over-budget' } });
    expect(tree.spent.calls).toBe(1);
  });

  test('[E82 E83] a flow that loops for ever still ends with an answer', async () => {
    const flow = flowOf(async (scope) => {
      for (;;) {
        const said = await scope.turn('model', user('more')).catch((thrown: RunError) => thrown.failure.code);
        if (typeof said === 'string') break;
      }
      return (await scope.turn('model', { ...user('sum up'), answers: true })).text;
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [talkative] }), flow, {
      limits: { turns: 4 },
    });
    const tree = await stage.tree(run);
    expect([tree.ended?.answer, tree.spent.turns]).toEqual(['words ', 4]);
    expect(codes(tree)).toEqual(['BUDGET_EXHAUSTED']);
  });

  test('[E80 E87] holds after a recovery, and verdicts are not given again', async () => {
    let halts = 0;
    const flow = flowOf(async (scope) => {
      const outcomes: string[] = [];
      for (let i = 0; i < 4; i += 1) outcomes.push((await scope.call('work', { i })).outcome);
      await scope.ask({ title: 'Go on?' });
      return outcomes.join();
    });
    const stage = new Stage();
    const tools = [toolOf('work', () => (halts += 1))];
    const first = stage.hire({ flows: [flow], tools });
    const run = await stage.start(first, flow, { limits: { calls: 2 } });
    await first.quit();
    // A worker whose policies would allow everything reads what was decided.
    stage.hire({ flows: [flow], tools }, { policies: [] });
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('completed,completed,skipped,skipped');
    expect(halts).toBe(2);
  });

  test('[E84] seconds: a stream that goes on is cut, and so is one that hangs', async () => {
    const stage = new Stage();
    const endless = modelOf(async function* () {
      for (;;) {
        await stage.clock.sleep(1_000, new AbortController().signal);
        yield [{ type: 'text.appended', text: 'x' }];
      }
    });
    const hanging = modelOf(async function* () {
      yield [{ type: 'text.appended', text: 'x' }];
      await new Promise(() => {});
    });
    for (const agent of [endless, hanging]) {
      const flow = flowOf(async (scope) => {
        const failed = await scope.turn('model', user('go')).catch((thrown: RunError) => thrown.failure);
        return JSON.stringify(failed);
      });
      const worker = stage.hire({ flows: [flow], agents: [agent] });
      const run = await stage.start(worker, flow, { limits: { seconds: 5 } });
      await stage.clock.pass(6_000);
      const tree = await stage.tree(run);
      expect(JSON.parse(tree.ended?.answer as string)).toMatchObject({
        code: 'over-budget',
        message: 'The run has used up its 5 seconds.',
      });
      expect(stepAt(tree, 'turn1')).toMatchObject({ status: 'failed', usage: { estimated: true } });
      await worker.quit();
    }
  });

  test('[E84] seconds hold where nobody set any', async () => {
    const hanging = modelOf(async function* () {
      yield [{ type: 'text.appended', text: 'x' }];
      await new Promise(() => {});
    });
    const flow = flowOf(async (scope) => (await scope.turn('model', user('go'))).text);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [hanging] }), flow);
    await stage.clock.pass(3_601_000);
    expect((await stage.tree(run)).ended).toMatchObject({
      outcome: 'failed',
      failure: { code: 'over-budget' },
    });
  });

  test('[E84] seconds: a tool gets no more than what is left', async () => {
    const hang = toolOf('hang', () => new Promise<Json>(() => {}), { timeout: 60_000 });
    const flow = flowOf(async (scope) => {
      const { outcome, ...rest } = await scope.call('hang', {});
      return `${outcome} ${'failure' in rest ? rest.failure?.code : ''}`;
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [hang] }), flow, {
      limits: { seconds: 5 },
    });
    await stage.clock.pass(6_000);
    expect((await stage.tree(run)).ended?.answer).toBe('failed over-budget');
  });

  test('[E82 E84] the answer may go on for a reserve beyond the budget, and no longer', async () => {
    const stage = new Stage();
    const slow = modelOf(async function* () {
      for (let i = 0; i < 20; i += 1) {
        await stage.clock.sleep(1_000, new AbortController().signal);
        yield [{ type: 'text.appended', text: `${i} ` }];
      }
    });
    const endless = modelOf(async function* () {
      for (;;) {
        await stage.clock.sleep(1_000, new AbortController().signal);
        yield [{ type: 'text.appended', text: 'x' }];
      }
    });
    for (const [agent, cut] of [
      [slow, []],
      [endless, ['ANSWER_CUT_OFF']],
    ] as const) {
      const flow = flowOf(async (scope) => {
        await scope.call('slow', {});
        return (await scope.turn('model', { ...user('sum up'), answers: true })).text;
      });
      const slowTool = toolOf('slow', () =>
        stage.clock.sleep(4_500, new AbortController().signal).then(() => 1),
      );
      const worker = stage.hire({ flows: [flow], agents: [agent], tools: [slowTool] });
      const run = await stage.start(worker, flow, { limits: { seconds: 5 } });
      await stage.clock.pass(100_000);
      const { ended, notices } = await stage.tree(run);
      expect(ended?.outcome).toBe('completed');
      expect(notices.map(({ code }) => code)).toEqual(cut);
      await worker.quit();
    }
  });

  test('[E84 E85] tokens: a stream is cut when the estimate reaches the budget, and is paid for', async () => {
    const endless = modelOf(async function* () {
      for (;;) {
        await calm();
        yield [{ type: 'text.appended', text: 'x'.repeat(400) }];
      }
    });
    const flow = flowOf(async (scope) => {
      await scope.turn('model', user('go')).catch(() => {});
      return (await scope
        .turn('model', user('again'))
        .catch((thrown: RunError) => thrown.failure.code)) as string;
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [endless] }), flow, {
      limits: { tokens: 1_000 },
    });
    for (let i = 0; i < 20; i += 1) await calm();
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('over-budget');
    expect(stepAt(tree, 'turn1').usage).toMatchObject({ estimated: true });
    expect(tree.spent.tokens).toBeGreaterThanOrEqual(1_000);
    expect(tree.spent.tokens).toBeLessThan(1_400);
  });

  test('[E85] counts what a model says it used, and estimates what it does not say', async () => {
    const says = agentOf('says', [
      [
        { type: 'say', text: 'x' },
        { type: 'usage.reported', usage: { input: 7, output: 3 } },
      ],
    ]);
    const mute = agentOf('mute', [[{ type: 'say', text: 'x'.repeat(40) }]]);
    const flow = flowOf(async (scope) => {
      await scope.turn('says', user('go'));
      await scope.turn('mute', user('go'));
      return 'done';
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [says, mute] }), flow);
    const tree = await stage.tree(run);
    expect([stepAt(tree, 'turn1').usage, stepAt(tree, 'turn2').usage]).toEqual([
      { input: 7, output: 3 },
      { input: 1, output: 10, estimated: true },
    ]);
    expect(tree.spent.tokens).toBe(21);
  });

  test('[E220] what is sent counts: messages, calls, tools and text that is attached', async () => {
    const mute = modelOf(async function* () {
      yield [{ type: 'text.appended', text: 'four' }];
    });
    const picture = { type: 'image/png', data: 'x'.repeat(40_000) };
    const flow = flowOf(async (scope) => {
      const calls = [{ id: 'c', tool: 'look', arguments: 'x'.repeat(400) }];
      await scope.turn('model', {
        messages: [
          { role: 'assistant', text: 'x'.repeat(400), calls },
          {
            role: 'user',
            text: '',
            attachments: [{ type: 'text/plain', data: 'x'.repeat(400) }, picture],
          },
        ],
        tools: [{ name: 'look', description: 'x'.repeat(400), schema: {} }],
      });
      return 'done';
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [mute] }), flow);
    const { usage } = stepAt(await stage.tree(run), 'turn1');
    expect(usage).toMatchObject({ output: 1, estimated: true });
    expect(usage?.input).toBeGreaterThan(400);
    expect(usage?.input).toBeLessThan(450);
  });

  test('[E220] an attempt that said something before it failed is paid for with what it was sent', async () => {
    let attempts = 0;
    const shaky = modelOf(async function* () {
      attempts += 1;
      if (attempts === 2) throw new RunError('unavailable', 'Not now.', { retryable: true });
      yield [{ type: 'text.appended', text: 'x'.repeat(40) }];
      if (attempts === 1) throw new RunError('unavailable', 'Gone.', { retryable: true });
    });
    const flow = flowOf(async (scope) => (await scope.turn('model', user('x'.repeat(400)))).text);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [shaky] }), flow);
    await stage.clock.pass(10_000);
    const tree = await stage.tree(run);
    expect([attempts, tree.ended?.outcome]).toEqual([3, 'completed']);
    expect(tree.spent.tokens).toBe(2 * (100 + 10));
  });

  test('[E86] the time a person takes is not the run’s', async () => {
    const flow = flowOf(async (scope) => {
      await scope.ask({ title: 'Go on?' });
      return (await scope.call('work', {})).outcome;
    });
    const stage = new Stage();
    const worker = stage.hire({ flows: [flow], tools: [toolOf('work', () => 1)] });
    const run = await stage.start(worker, flow, { limits: { seconds: 5 } });
    await stage.clock.pass(3_600_000);
    await stage.decide(run, { decision: 'approve' });
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('completed');
    expect(tree.spent.milliseconds).toBeLessThan(5_000);
  });
});
