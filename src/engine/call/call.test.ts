import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import { RunError } from '../../run/failure.ts';
import { textOf } from '../../run/tree.ts';
import type { Effect, Json } from '../../run/values.ts';
import type { Tool, ToolContext } from '../../tools/tool.ts';

const hang = (): Promise<Json> => new Promise(() => {});

async function callOf(tool: Tool, input: Json = {}) {
  const flow = flowOf(async (scope) => {
    const called = await scope.call(tool.name, input);
    await scope.call('end', {}, { key: 'end' });
    return JSON.stringify(called);
  });
  const end = Promise.withResolvers<Json>();
  const stage = new Stage();
  const run = await stage.start(
    stage.hire({ flows: [flow], tools: [tool, toolOf('end', () => end.promise)] }),
    flow,
  );
  /** How the call came out, once the run may end. */
  const result = async (): Promise<{
    outcome: string;
    result?: Json;
    failure?: { code: string; message: string };
  }> => {
    end.resolve(null);
    return JSON.parse((await stage.tree(run)).ended?.answer as string) as never;
  };
  return { stage, run, result };
}

describe('arguments', () => {
  const schema: Json = {
    type: 'object',
    properties: {
      path: { type: 'string' },
      depth: { type: 'integer', maximum: 3 },
      mode: { enum: ['fast', 'slow'] },
    },
    required: ['path'],
    additionalProperties: false,
  };
  const cases: { readonly name: string; readonly input: Json; readonly says: string }[] = [
    { name: 'one missing', input: {}, says: "the whole must have required property 'path'" },
    { name: 'one of another type', input: { path: 1 }, says: 'path must be string' },
    { name: 'one too large', input: { path: '.', depth: 9 }, says: 'depth must be <= 3' },
    { name: 'one unknown', input: { path: '.', deep: 1 }, says: '«deep» is not a known argument' },
    {
      name: 'one not in the list',
      input: { path: '.', mode: 'x' },
      says: 'mode must be one of ["fast","slow"]',
    },
    { name: 'not an object', input: 'path', says: 'the whole must be object' },
  ];

  test.for(cases)('[E90] with $name are a failed step that says what to correct', async ({ input, says }) => {
    let runs = 0;
    const { stage, run, result } = await callOf(
      toolOf('read', () => (runs += 1), { schema, approval: 'always' }),
      input,
    );
    const { outcome, failure } = await result();
    expect([outcome, failure?.code, runs]).toEqual(['failed', 'malformed', 0]);
    expect(failure?.message).toBe(`The arguments of read do not fit: ${says}. Correct them and call again.`);
    const tree = await stage.tree(run);
    expect([tree.approvals.size, stepAt(tree, 'call1').started, tree.spent.calls]).toEqual([0, false, 1]);
  });

  test('[E90] that are too large are refused before anyone looks into them', async () => {
    const { result } = await callOf(
      toolOf('read', () => 1),
      { text: 'x'.repeat(300_000) },
    );
    expect(await result()).toMatchObject({ outcome: 'failed', failure: { code: 'too-large' } });
  });

  test('[E90] of a tool whose schema cannot be used fail, and name the tool', async () => {
    const { stage, result } = await callOf(toolOf('read', () => 1, { schema: { type: 'nonsense' } }));
    expect((await result()).failure?.message).toMatch(
      /^The arguments of read do not fit: its schema cannot be used/,
    );
    expect(stage.problems).toEqual([]);
  });

  test('[E90] of two tools with schemas of the same name do not get in each other’s way', async () => {
    const named: Json = { $id: 'https://example.test/s', type: 'object', required: ['a'] };
    const one = await callOf(
      toolOf('one', () => 1, { schema: named }),
      { a: 1 },
    );
    const two = await callOf(
      toolOf('two', () => 1, { schema: { ...(named as object), required: ['b'] } }),
      { b: 1 },
    );
    expect([(await one.result()).outcome, (await two.result()).outcome]).toEqual(['completed', 'completed']);
  });

  test('[E90] of a tool that does not exist are a failed step that names those that do', async () => {
    const flow = flowOf(async (scope) =>
      JSON.stringify(await scope.call('teleport', { to: 'moon' }, { id: 'call_1' })),
    );
    const stage = new Stage();
    const tools = [toolOf('read', () => 1), toolOf('write', () => 1)];
    const run = await stage.start(stage.hire({ flows: [flow], tools }), flow);
    const tree = await stage.tree(run);
    expect(JSON.parse(tree.ended?.answer as string)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'unknown', message: 'There is no tool «teleport»; known: read, write.' },
    });
    expect(stepAt(tree, 'call1')).toMatchObject({
      status: 'failed',
      call: { id: 'call_1', tool: 'teleport' },
    });
  });
});

describe('time', () => {
  test.for(['pure', 'once'] as const)(
    '[E91 E93] [R33] is over for a tool of effect %s that does not listen',
    async (effect: Effect) => {
      const late: (() => void)[] = [];
      const tool = toolOf('slow', () => new Promise<Json>((resolve) => late.push(() => resolve('late'))), {
        effect,
        timeout: 1_000,
      });
      const { stage, run, result } = await callOf(tool);
      await stage.clock.pass(10_000);
      expect(late).toHaveLength(effect === 'once' ? 1 : 3);
      for (const resolve of late) resolve();
      await calm();
      const called = await result();
      expect(called).toMatchObject({
        outcome: 'failed',
        failure: { code: 'timed-out', message: 'slow took longer than 1 seconds.' },
      });
      const notices = codes(await stage.tree(run));
      expect(notices).toEqual(effect === 'once' ? ['IN_DOUBT', 'LATE_RESULT'] : Array(3).fill('LATE_RESULT'));
    },
  );

  test('[E91] is told to a tool that listens, with the reason', async () => {
    const reasons: unknown[] = [];
    const tool = toolOf(
      'slow',
      (_, { signal }) =>
        new Promise<Json>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason);
            reject(signal.reason as Error);
          });
        }),
      { effect: 'once', timeout: 1_000 },
    );
    const { stage, result } = await callOf(tool);
    await stage.clock.pass(1_000);
    expect(await result()).toMatchObject({ outcome: 'failed', failure: { code: 'timed-out' } });
    expect(reasons).toMatchObject([{ failure: { code: 'timed-out' } }]);
    expect(stage.problems).toEqual([]);
  });

  test('[E93] [R33] [S43] is over: what the tool says, attaches or asks afterwards reaches nobody', async () => {
    let context: ToolContext | undefined;
    const tool = toolOf('quick', (_, given) => {
      context = given;
      given.say('during');
      return 'done';
    });
    const { stage, run, result } = await callOf(tool);
    context?.say('after');
    context?.attach({ kind: 'citation', title: 'after' });
    expect(await context?.ask?.({ title: 'after', message: 'after' })).toEqual({ decision: 'cancel' });
    await result();
    const tree = await stage.tree(run);
    expect(textOf(stepAt(tree, 'call1'), 'log')).toBe('during');
    expect([stepAt(tree, 'call1').items, tree.approvals.size, codes(tree)]).toEqual([[], 0, []]);
  });
});

describe('another attempt', () => {
  const cases: { readonly effect: Effect; readonly retryable: boolean; readonly attempts: number }[] = [
    { effect: 'pure', retryable: true, attempts: 3 },
    { effect: 'idempotent', retryable: true, attempts: 3 },
    { effect: 'once', retryable: true, attempts: 1 },
    { effect: 'pure', retryable: false, attempts: 1 },
  ];

  test.for(cases)(
    '[E92] effect $effect, retryable $retryable: $attempts',
    async ({ effect, retryable, attempts }) => {
      const at: number[] = [];
      const keys = new Set<string>();
      const tool: Tool = toolOf(
        'flaky',
        (_, context) => {
          at.push(stage.clock.now());
          keys.add(context.idempotencyKey);
          context.say(`try ${at.length} `);
          throw new RunError('unavailable', 'Busy.', { retryable });
        },
        { effect },
      );
      const flow = flowOf(async (scope) => (await scope.call('flaky', {})).outcome);
      const stage = new Stage();
      const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
      await stage.clock.pass(5_000);
      const tree = await stage.tree(run);
      expect([tree.ended?.answer, at.length, keys.size, tree.spent.calls]).toEqual([
        'failed',
        attempts,
        1,
        attempts,
      ]);
      expect(stepAt(tree, 'call1').attempt).toBe(attempts);
      expect(textOf(stepAt(tree, 'call1'), 'log')).toBe(`try ${attempts} `);
      if (attempts === 3) expect(at.map((time) => time - (at[0] ?? 0))).toEqual([0, 200, 600]);
    },
  );

  test('[E92] that succeeds is the outcome', async () => {
    let tries = 0;
    const tool = toolOf('flaky', () => {
      tries += 1;
      if (tries < 3) throw new RunError('unavailable', 'Busy.', { retryable: true });
      return 'third time';
    });
    const { stage, result } = await callOf(tool);
    await stage.clock.pass(1_000);
    expect(await result()).toMatchObject({ outcome: 'completed', result: 'third time' });
  });

  test('[E92] is not made for an exception', async () => {
    let tries = 0;
    const { stage, result } = await callOf(
      toolOf('broken', () => {
        tries += 1;
        throw new Error('no such column');
      }),
    );
    expect(await result()).toMatchObject({ outcome: 'failed', failure: { code: 'internal' } });
    expect(tries).toBe(1);
    expect(stage.problems).toMatchObject([
      { message: 'broken broke.', cause: { message: 'no such column' } },
    ]);
  });
});

describe('a question of a tool', () => {
  const schema: Json = { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] };
  const asking = toolOf(
    'asking',
    async (_, context) => {
      const answers: Json[] = [];
      for (let i = 0; i < 2; i += 1) {
        const reply = await context.ask?.({ title: 'Code', message: 'Your code?', schema });
        answers.push({ ...reply } as Json);
      }
      return answers;
    },
    { timeout: 1_000 },
  );

  test('[E94] is one each time, though the words are the same, and its answer fits the schema', async () => {
    const { stage, run, result } = await callOf(asking);
    await stage.decide(run, { decision: 'approve', answer: { code: 7 } });
    expect((await stage.asked(run)).length).toBe(1);
    await stage.decide(run, { decision: 'approve', answer: { code: 'a' } });
    expect((await stage.asked(run)).length).toBe(1);
    await stage.decide(run, { decision: 'reject' });
    expect(await result()).toMatchObject({
      outcome: 'completed',
      result: [{ decision: 'accept', answer: { code: 'a' } }, { decision: 'decline' }],
    });
    expect(codes(await stage.tree(run))).toEqual(['DECISION_REFUSED']);
  });

  test('[E91 E94] does not use up the tool’s time, and the run is not parked', async () => {
    const { stage, run, result } = await callOf(asking);
    await stage.clock.pass(3_600_000);
    expect(await stage.state(run)).toBe('running');
    await stage.decide(run, { decision: 'approve', answer: { code: 'a' } });
    await stage.clock.pass(3_600_000);
    await stage.decide(run, { decision: 'approve', answer: { code: 'b' } });
    expect(await result()).toMatchObject({ outcome: 'completed' });
  });

  test('[E91] and the time before and after it is counted together', async () => {
    const tool = toolOf(
      'slow',
      async (_, context) => {
        await stage.clock.sleep(700, context.signal);
        await context.ask?.({ title: 'Go on?', message: '' });
        await stage.clock.sleep(700, context.signal);
        return hang();
      },
      { timeout: 1_000, effect: 'once' },
    );
    const flow = flowOf(async (scope) => (await scope.call('slow', {})).outcome);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
    await stage.clock.pass(60_000);
    await stage.decide(run, { decision: 'approve' });
    await stage.clock.pass(299);
    expect((await stage.tree(run)).ended).toBeUndefined();
    await stage.clock.pass(1);
    expect((await stage.tree(run)).ended?.answer).toBe('failed');
  });
});
