import { expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { flowOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { AgentEvent, Gateway } from '../../gateways/gateway.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';

const user = { messages: [{ role: 'user' as const, text: 'Go.' }] };
const flow = flowOf(async (scope) => {
  const { text } = await scope.turn('clerk', user);
  return text;
});

type Cancel = NonNullable<Gateway['cancel']>;

/** An agent that asks, or works for ever; what it is told to cancel is `told`. */
function clerk(does: 'asks' | 'works', cancel: Cancel): Agent {
  const asks: AgentEvent = { type: 'question.asked', question: { id: 'q', title: 'Sure?', token: 'asked' } };
  const gateway: Gateway = {
    takeTurn: () => ({
      token: () => 'begun',
      async *[Symbol.asyncIterator](): AsyncGenerator<readonly AgentEvent[]> {
        yield [{ type: 'text.appended', text: 'Let me see.' }];
        if (does === 'works') await new Promise(() => {});
        yield [asks, { type: 'turn.finished', reason: 'asks' }];
      },
    }),
    cancel,
  };
  return { name: 'clerk', description: '', gateway, effect: 'once', state: 'conversation-id' };
}

async function stopped(agent: Agent) {
  const stage = new Stage();
  const worker = stage.hire({ flows: [flow], agents: [agent] });
  const run = await stage.start(worker, flow);
  await stage.send(run, { type: 'stop', by: 'ann' });
  await stage.clock.pass(5_000);
  return stage.tree(run);
}

test.for([
  ['works', 'begun'],
  ['asks', 'asked'],
] as const)('[NE1] an agent that %s when its run is stopped is told so, once', async ([does, token]) => {
  const told: Json[] = [];
  const tree = await stopped(clerk(does, async (given) => void told.push(given)));
  expect(tree.ended?.outcome).toBe('stopped');
  expect(told).toEqual([token]);
  expect(tree.notices.filter(({ code }) => code === 'STOP_NOT_HEARD')).toEqual([]);
});

test.for([
  ['works', 'refused'],
  ['works', 'silent'],
  ['asks', 'refused'],
  ['asks', 'silent'],
] as const)(
  '[NE2] one that %s and cannot be told (%s) is shown with a notice, and the run ends',
  async ([does, how]) => {
    const cancel: Cancel = () =>
      how === 'silent'
        ? new Promise(() => {})
        : Promise.reject(new RunError('unavailable', 'Agent clerk answered 503.'));
    const tree = await stopped(clerk(does, cancel));
    expect(tree.ended?.outcome).toBe('stopped');
    const why = how === 'silent' ? 'It did not answer within 5 seconds.' : 'Agent clerk answered 503.';
    expect(tree.notices).toContainEqual(
      expect.objectContaining({
        step: 1,
        code: 'STOP_NOT_HEARD',
        message: `clerk could not be told to stop and may go on. ${why}`,
      }),
    );
  },
);
