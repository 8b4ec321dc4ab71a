import { expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';

const flow = flowOf(async (scope) => JSON.stringify(await scope.call('far__send', {})));

/** A tool whose server is lost during the first call. */
function lost(calls: Json[], effect: 'once' | 'idempotent') {
  const run = (input: Json): Json => {
    if (calls.push(input) > 1) return 'sent';
    throw new RunError('unavailable', 'The server of far__send went away during the call.', {
      isLost: true,
      retryable: effect !== 'once',
    });
  };
  return toolOf('far__send', run, { effect });
}

async function begun() {
  const calls: Json[] = [];
  const stage = new Stage();
  const worker = stage.hire({ flows: [flow], tools: [lost(calls, 'once')] });
  const run = await stage.start(worker, flow);
  return { calls, stage, worker, run };
}

test('[E260] what may happen once and was lost on the way is asked, with why nobody knows', async () => {
  const { calls, stage, run } = await begun();
  expect(await stage.asked(run)).toMatchObject([
    {
      title: 'Did «far__send» happen?',
      message: expect.stringMatching(/^The server of far__send went away during the call\. Approve to go on/),
    },
  ]);
  await stage.decide(run, {});
  expect(calls).toHaveLength(1);
  expect((await stage.tree(run)).ended?.answer).toContain('took it as done');
});

test.for([
  [{ decision: 'reject' }, 'may or may not have happened', 1],
  [{ decision: 'edit', arguments: {} }, '"result":"sent"', 2],
] as const)(
  '[E260] it fails, or is done again, only if a person says so: %j',
  async ([said, answer, times]) => {
    const { calls, stage, run } = await begun();
    await stage.decide(run, said);
    expect((await stage.tree(run)).ended?.answer).toContain(answer);
    expect(calls).toHaveLength(times);
  },
);

test('[E260] the question is the same one after a crash', async () => {
  const { calls, stage, worker, run } = await begun();
  const before = await stage.asked(run);
  stage.hire({ flows: [flow], tools: [lost(calls, 'once')] });
  await stage.bury(worker);
  expect(await stage.asked(run)).toEqual(before);
  expect(calls).toHaveLength(1);
});

test('[E260] what may be repeated is repeated, and nobody is asked', async () => {
  const calls: Json[] = [];
  const stage = new Stage();
  const worker = stage.hire({ flows: [flow], tools: [lost(calls, 'idempotent')] });
  const run = await stage.start(worker, flow);
  await stage.clock.pass(1_000);
  expect((await stage.tree(run)).ended?.answer).toContain('sent');
  expect(calls).toHaveLength(2);
});
