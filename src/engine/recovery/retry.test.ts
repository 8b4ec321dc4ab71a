import { describe, expect, test } from 'vitest';
import { Stage, stepAt } from '../../../test/stage.ts';
import { flowOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { Turn } from '../../gateways/gateway.ts';
import { RunError } from '../../run/failure.ts';
import { textOf } from '../../run/tree.ts';
import type { Effect } from '../../run/values.ts';

const user = (text: string) => ({ messages: [{ role: 'user' as const, text }] });
const flow = flowOf(async (scope) => (await scope.turn('model', user('go'))).text);
const cut = () => new RunError('unavailable', 'm ended early.', { retryable: true });

/** An agent whose stream is cut so many times before it comes to its end. */
function cutOff(times: number, effect: Effect = 'pure', failure = cut) {
  const turns: Turn[] = [];
  const agent: Agent = {
    name: 'model',
    description: '',
    effect,
    gateway: {
      async *takeTurn(turn) {
        turns.push(turn);
        const tries = turns.length;
        yield [{ type: 'text.appended', text: `try ${tries}` }];
        if (tries <= times) throw failure();
        yield [{ type: 'turn.finished', reason: 'stop' }];
      },
    },
  };
  return { agent, turns };
}

test.for<{ name: string; given: Partial<Agent>; isRepeatable: boolean | undefined }>([
  { name: 'is idempotent', given: { effect: 'idempotent' }, isRepeatable: true },
  { name: 'acts once', given: { effect: 'once' }, isRepeatable: undefined },
  {
    name: 'is idempotent, and a person agreed to this message',
    given: { effect: 'idempotent', approval: 'always' },
    isRepeatable: undefined,
  },
])('[A22] an agent that $name is told whether its turn may be repeated', async ({ given, isRepeatable }) => {
  const { agent, turns } = cutOff(0);
  const stage = new Stage();
  const run = await stage.start(stage.hire({ flows: [flow], agents: [{ ...agent, ...given }] }), flow);
  if (given.approval) await stage.decide(run, {});
  expect((await stage.tree(run)).ended?.outcome).toBe('completed');
  expect(turns.map((turn) => turn.isRepeatable)).toEqual([isRepeatable]);
});

describe('a turn whose stream is cut', () => {
  test.for(['pure', 'idempotent'] as const)(
    '[E96] is tried again where it is %s, shown as such, with the same key; what was said before is superseded',
    async (effect) => {
      const { agent, turns } = cutOff(2, effect);
      const stage = new Stage();
      const run = await stage.start(stage.hire({ flows: [flow], agents: [agent] }), flow);
      await stage.clock.pass(2_000);
      const tree = await stage.tree(run);
      expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'try 3' });
      expect(await stage.events(run, 'step.retried')).toMatchObject([
        { attempt: 2, reason: 'm ended early.' },
        { attempt: 3, reason: 'm ended early.' },
      ]);
      expect(textOf(stepAt(tree, 'turn1'))).toBe('try 3');
      expect(new Set(turns.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
      expect(tree.spent.turns).toBe(3);
    },
  );

  test('[E96] is tried three times at most', async () => {
    const { agent, turns } = cutOff(99);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [agent] }), flow);
    await stage.clock.pass(60_000);
    expect((await stage.tree(run)).ended).toMatchObject({
      outcome: 'failed',
      failure: { message: 'm ended early.' },
    });
    expect(turns).toHaveLength(3);
  });

  test.for([
    { name: 'where it may have done something', effect: 'once' as const, failure: cut },
    {
      name: 'where trying again would not help',
      effect: 'pure' as const,
      failure: () => new RunError('refused', 'm will not.'),
    },
    {
      name: 'where a whole timeout was waited already',
      effect: 'pure' as const,
      failure: () => new RunError('timed-out', 'm was silent.', { retryable: true }),
    },
  ])('[E96] is not tried again $name', async ({ effect, failure }) => {
    const { agent, turns } = cutOff(1, effect, failure);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [agent] }), flow);
    await stage.clock.pass(5_000);
    expect((await stage.tree(run)).ended?.outcome).toBe('failed');
    expect(turns).toHaveLength(1);
  });

  test('[E96] is not tried again when the budget has no turn left for it', async () => {
    const { agent, turns } = cutOff(2);
    const stage = new Stage();
    const worker = stage.hire({ flows: [flow], agents: [agent] });
    const run = await stage.start(worker, flow, { limits: { turns: 3 } });
    await stage.clock.pass(5_000);
    expect((await stage.tree(run)).ended).toMatchObject({
      outcome: 'failed',
      failure: { code: 'unavailable' },
    });
    expect(turns).toHaveLength(2);
  });

  test('[E48 E96] [R37] can be stopped between two attempts', async () => {
    const { agent, turns } = cutOff(1);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [agent] }), flow);
    await stage.send(run, { type: 'stop', by: 'ann' });
    await stage.clock.pass(5_000);
    expect((await stage.tree(run)).ended?.outcome).toBe('stopped');
    expect(turns).toHaveLength(1);
  });

  test('[E43 E96] waits for a run that is paused, which is parked meanwhile', async () => {
    const { agent, turns } = cutOff(1);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [agent] }), flow);
    await stage.send(run, { type: 'pause', by: 'ann' });
    await stage.clock.pass(5_000);
    expect([turns.length, await stage.state(run)]).toEqual([1, 'waiting']);
    await stage.send(run, { type: 'resume', by: 'ann' });
    await stage.clock.pass(5_000);
    const tree = await stage.tree(run);
    expect([tree.ended?.answer, stepAt(tree, 'turn1').attempt]).toEqual(['try 2', 2]);
  });
});
