import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { agentOf, flowOf, toolOf } from '../../../test/world.ts';
import type { Effect, Json } from '../../run/values.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';
import type { Scope } from '../scope.ts';
import { encodeAll } from '../../run/entries.ts';

const second = 1_000;

/** Work that takes until it is told to end, and may not listen to anybody. */
function deaf(name = 'deaf', effect: Effect = 'pure') {
  const seen: { context?: ToolContext; calls: number; end: (result: Json) => void } = {
    calls: 0,
    end: () => {},
  };
  const tool: Tool = toolOf(
    name,
    (_, context) => {
      seen.calls += 1;
      seen.context = context;
      return new Promise((resolve) => (seen.end = resolve));
    },
    { effect, timeout: 3_600 * second },
  );
  return { tool, seen };
}

const failed = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : 'no');

describe('a step with a deadline', () => {
  test('[E306 E307] fails as timed out, and all below it ends, however deep, whatever its flow would do', async () => {
    const { tool, seen } = deaf();
    const after: string[] = [];
    const flow = flowOf(async (scope) => {
      const late = await scope
        .step({ key: 'outer', title: 'Outer', within: 10 * second }, (outer) =>
          outer.parallel({
            deep: (branch: Scope) =>
              branch.step({ key: 'inner' }, async (inner) => {
                const { outcome } = await inner.call('deaf', {});
                after.push(outcome);
                await inner.call('deaf', { again: true });
                return outcome;
              }),
            talk: (branch: Scope) => branch.turn('endless', { messages: [{ role: 'user', text: 'go' }] }),
          }),
        )
        .then(() => 'done', failed);
      const next = await scope.step({ key: 'next' }, async () => 'went on');
      return `${late} ${next}`;
    });
    const agents = [agentOf('endless', [{ moves: [{ type: 'say', text: 'x' }, { type: 'hang' }] }])];
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool], agents }), flow);
    await stage.clock.pass(10 * second - 1);
    expect((await stage.tree(run)).ended).toBeUndefined();
    await stage.clock.pass(1);
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('«Outer» took longer than 10 seconds. went on');
    expect(stepAt(tree, 'outer')).toMatchObject({ status: 'failed', failure: { code: 'timed-out' } });
    for (const key of ['deep', 'inner', 'call1', 'talk', 'turn1'])
      expect(stepAt(tree, key).status, key).toBe('abandoned');
    expect(seen.context?.signal.aborted).toBe(true);
    seen.end('late');
    await calm();
    expect([seen.calls, after]).toEqual([1, []]);
    expect(codes(await stage.tree(run))).toEqual([]);
    expect(stage.problems).toEqual([]);
  });

  test('[E306] that is done in time is not touched by it', async () => {
    const { tool, seen } = deaf();
    const flow = flowOf(async (scope) => {
      await scope.step({ key: 'quick', within: 10 * second }, (quick) => quick.call('deaf', {}));
      await scope.call('deaf', { second: true });
      return 'done';
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
    await stage.clock.pass(9 * second);
    seen.end('in time');
    await stage.clock.pass(60 * second);
    seen.end('later');
    const tree = await stage.tree(run);
    expect([tree.ended?.answer, codes(tree)]).toEqual(['done', []]);
  });

  test('[E309] a call, and a turn, fail in the same way, and a call tells it as a value', async () => {
    const { tool } = deaf();
    const flow = flowOf(async (scope) => {
      const called = await scope.call('deaf', {}, { within: 5 * second });
      const messages = [{ role: 'user' as const, text: 'go' }];
      const turned = await scope.turn('endless', { messages, within: 5 * second }).then(() => 'done', failed);
      return JSON.stringify([called, turned]);
    });
    const agents = [agentOf('endless', [{ moves: [{ type: 'hang' }] }])];
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool], agents }), flow);
    await stage.clock.pass(5 * second);
    await stage.clock.pass(5 * second);
    const tree = await stage.tree(run);
    expect(JSON.parse(tree.ended?.answer as string)).toEqual([
      {
        outcome: 'failed',
        failure: { code: 'timed-out', message: '«deaf» took longer than 5 seconds.' },
        step: 1,
      },
      '«endless» took longer than 5 seconds.',
    ]);
    expect(codes(tree)).toEqual([]);
  });

  test('[E308] says of what happens once, and was cut off there, that nobody knows; and what comes late', async () => {
    const { tool, seen } = deaf('charge', 'once');
    const { tool: hold, seen: held } = deaf('hold');
    const flow = flowOf(async (scope) => {
      await scope.step({ key: 'pay', within: 5 * second }, (pay) => pay.call('charge', {})).catch(failed);
      return (await scope.call('hold', {})).outcome;
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool, hold] }), flow);
    await stage.clock.pass(5 * second);
    expect(stepAt(await stage.tree(run), 'call1').notices).toMatchObject([
      { code: 'IN_DOUBT', message: '«charge» was cut off; it may or may not have happened.' },
    ]);
    seen.end({ receipt: 1 });
    await calm();
    held.end('done');
    const tree = await stage.tree(run);
    expect(codes(tree)).toEqual(['IN_DOUBT', 'LATE_RESULT']);
    expect([tree.ended?.answer, stepAt(tree, 'call1').result]).toEqual(['completed', undefined]);
  });

  test('[E310] counts no time in which a person is asked or a time is waited for, also while others work', async () => {
    const { tool, seen } = deaf();
    const flow = flowOf(async (scope) => {
      const done = await scope.parallel({
        slow: (branch: Scope) =>
          branch
            .step({ key: 'bounded', title: 'Bounded', within: 10 * second }, async (bounded) => {
              await bounded.ask({ title: 'Go on?' });
              await bounded.wait({ until: bounded.openedAt + 200 * second });
              return (await bounded.call('deaf', { mine: true })).outcome;
            })
            .catch(failed),
        busy: async (branch: Scope) => (await branch.call('deaf', {})).outcome,
      });
      return done.slow;
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow, {
      limits: { seconds: 900 },
    });
    await stage.clock.pass(100 * second);
    await stage.decide(run, { decision: 'approve' });
    await stage.clock.pass(100 * second);
    expect(stepAt(await stage.tree(run), 'bounded').status).toBe('running');
    await stage.clock.pass(9 * second);
    expect(stepAt(await stage.tree(run), 'bounded').status).toBe('running');
    await stage.clock.pass(2 * second);
    expect(stepAt(await stage.tree(run), 'bounded')).toMatchObject({ status: 'failed' });
    seen.end('done');
  });

  test('[E307] lets questions below it lapse, and waits there end', async () => {
    const { tool } = deaf();
    const flow = flowOf(async (scope) => {
      const late = await scope
        .step({ key: 'outer', title: 'Outer', within: 10 * second }, (outer) =>
          outer.parallel({
            asks: (branch: Scope) => branch.ask({ title: 'Well?' }),
            rests: (branch: Scope) => branch.wait({ until: branch.openedAt + 3_600 * second }),
            works: (branch: Scope) => branch.call('deaf', {}),
          }),
        )
        .then(() => 'done', failed);
      await scope.ask({ title: 'And now?' });
      return late;
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
    await stage.clock.pass(10 * second);
    expect((await stage.asked(run)).map(({ title }) => title)).toEqual(['And now?']);
    expect(await stage.state(run), 'nothing of it keeps the run from being parked').toBe('waiting');
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('«Outer» took longer than 10 seconds.');
  });

  test('[E311] has worked as long after a crash as before it', async () => {
    const { tool, seen } = deaf();
    const flow = flowOf((scope) =>
      scope
        .step({ key: 'outer', title: 'Outer', within: 30 * second }, async (outer) => {
          await outer.call('deaf', {});
          await outer.step({ key: 'more' }, (more) => more.call('deaf', { more: true }));
          return 'done';
        })
        .catch(failed),
    );
    const stage = new Stage();
    const catalog = { flows: [flow], tools: [tool] };
    const first = stage.hire(catalog);
    const run = await stage.start(first, flow);
    await stage.clock.pass(12 * second);
    seen.end('first part');
    await calm();
    stage.hire(catalog);
    await stage.bury(first);
    const taken = (await stage.entries(run)).findLast(({ event }) => event.type === 'worker.took');
    const until = (taken?.at ?? 0) + 18 * second;
    await stage.clock.pass(until - stage.clock.now() - 1);
    expect((await stage.tree(run)).ended).toBeUndefined();
    await stage.clock.pass(1);
    expect((await stage.tree(run)).ended?.answer).toBe('«Outer» took longer than 30 seconds.');
  });

  test('[E311] taken over after any entry ends as it did, and what was cut off is not gone through again', async () => {
    const play = () => {
      const { tool, seen } = deaf();
      const tried = async (scope: Scope): Promise<string> => {
        const first = await scope
          .step({ key: 'inner' }, async (inner) => (await inner.call('deaf', {})).outcome)
          .catch(failed);
        return `${first} ${(await scope.call('deaf', { instead: true })).outcome}`;
      };
      const flow = flowOf((scope) =>
        scope
          .step({ key: 'outer', title: 'Outer', within: 10 * second }, (outer) =>
            outer.parallel({ one: tried, two: tried, rests: (rests: Scope) => rests.wait({ until: 2e12 }) }),
          )
          .then(() => 'done', failed),
      );
      return { flow, tools: [tool], seen };
    };
    const stage = new Stage();
    const whole = play();
    const run = await stage.start(stage.hire({ flows: [whole.flow], tools: whole.tools }), whole.flow);
    await stage.clock.pass(10 * second);
    const entries = await stage.entries(run);
    const { steps } = await stage.tree(run);
    const cut = entries.findIndex(({ at }) => at === stage.clock.now());
    expect(entries.length - cut, 'all that was cut off is closed').toBeGreaterThan(8);
    for (let kept = 1; kept < entries.length; kept += 1) {
      const again = new Stage();
      await again.clock.pass(10 * second);
      const { flow, tools, seen } = play();
      const frames = encodeAll(entries.slice(0, kept));
      const row = { tenant: 'local', conversation: 'c', app: 'test', title: 'again', flow: 'test@1' };
      await again.store.dispatch.create({ run, ...row, last: kept, frames });
      again.hire({ flows: [flow], tools });
      await again.clock.pass(15 * second);
      const tree = await again.tree(run);
      expect(tree.ended?.answer, `cut after ${kept}`).toBe('«Outer» took longer than 10 seconds.');
      expect(codes(tree), `cut after ${kept}`).toEqual([]);
      if (kept <= cut) continue;
      expect(seen.calls, `cut after ${kept}`).toBe(0);
      expect(tree.steps.size, `cut after ${kept}: nothing is begun`).toBe(steps.size);
    }
  });

  test('[E306] of no time is malformed', async () => {
    const stage = new Stage();
    const flow = flowOf((scope) => scope.step({ key: 'odd', within: 0 }, async () => 'done').catch(failed));
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    expect((await stage.tree(run)).ended?.answer).toBe(
      '«within» of «odd» must be a number of milliseconds above 0.',
    );
  });
});
