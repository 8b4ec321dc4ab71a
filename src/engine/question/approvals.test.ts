import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Gateway } from '../../gateways/gateway.ts';
import type { Command } from '../../run/commands.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Scope } from '../scope.ts';

type Decide = Extract<Command, { type: 'decide' }>;

/** A payment that needs approval, and what was really paid. */
async function payment(more: Partial<Tool> = {}, input: Json = { amount: 5 }) {
  const paid: { readonly input: Json; readonly key: string }[] = [];
  const pay = toolOf(
    'pay',
    (given, { idempotencyKey: key }) => ({ receipt: paid.push({ input: given, key }) }),
    {
      effect: 'once',
      approval: 'always',
      schema: {
        type: 'object',
        properties: { amount: { type: 'number' } },
        required: ['amount'],
        additionalProperties: false,
      },
      ...more,
    },
  );
  const flow = flowOf(async (scope) => JSON.stringify(await scope.call('pay', input)));
  const stage = new Stage();
  const catalog = { flows: [flow], tools: [pay] };
  const worker = stage.hire(catalog);
  const run = await stage.start(worker, flow);
  const answer = async (): Promise<unknown> => JSON.parse((await stage.tree(run)).ended?.answer as string);
  return { stage, catalog, worker, run, paid, answer };
}

test('[E315] a question about a call carries what it may be edited to, where that is small', async () => {
  const schema = { type: 'object', properties: { amount: { type: 'number' } } };
  const [small] = await payment({ schema }).then(({ stage, run }) => stage.asked(run));
  expect(small?.editSchema).toEqual(schema);
  const large = { ...schema, description: 'x'.repeat(8_000) };
  const [other] = await payment({ schema: large }).then(({ stage, run }) => stage.asked(run));
  expect(other).toBeDefined();
  expect(other?.editSchema).toBeUndefined();
});

test('[E320] a question is decided by the strictest of its tool, its scopes and its run, also over a restart', async () => {
  const rules = { tool: 'approver', scope: 'second-person' } as const;
  const pay = toolOf('pay', () => 'paid', { effect: 'once', approval: 'always', approvals: rules.tool });
  const flow = flowOf(async (scope) => {
    const strict = scope.step({ key: 'strict' }, async (inner) => {
      inner.decidedBy(rules.scope);
      return inner.step({ key: 'below' }, (deeper) => deeper.call('pay', { n: 1 }));
    });
    return JSON.stringify([
      await strict,
      await scope.call('pay', { n: 2 }),
      await scope.ask({ title: 'Well?' }),
    ]);
  });
  const stage = new Stage();
  const worker = stage.hire({ flows: [flow], tools: [pay] });
  const run = await stage.start(worker, flow);
  const asked = async () => (await stage.asked(run)).map(({ approvals }) => approvals);
  expect(await asked()).toEqual([rules.scope]);
  await stage.decide(run, { decision: 'approve', by: (await stage.tree(run)).started?.who ?? '' });
  expect(codes(await stage.tree(run))).toContain('DECISION_REFUSED');
  await worker.quit();
  stage.hire({ flows: [flow], tools: [pay] });
  await stage.decide(run, { decision: 'approve' });
  expect(await asked()).toEqual([rules.tool]);
  await stage.decide(run, { decision: 'approve' });
  expect(await asked()).toEqual([undefined]);
});

describe('a decision', () => {
  test('[E27 E60] to reject leaves the call undone, with who and why', async () => {
    const { stage, run, paid, answer } = await payment();
    await stage.decide(run, { decision: 'reject', rationale: 'too much' });
    expect(await answer()).toMatchObject({
      outcome: 'skipped',
      failure: { code: 'refused', message: 'ann rejected «pay»: too much' },
    });
    expect(paid).toEqual([]);
  });

  test('[E52] on a tool that sets a time lapses then, and is as urgent as the tool says', async () => {
    const { stage, run, paid, answer } = await payment({
      asking: { priority: 'critical', expiresIn: 60_000 },
    });
    const [asked] = await stage.asked(run);
    expect(asked).toMatchObject({ priority: 'critical' });
    await stage.clock.pass(61_000);
    expect(await answer()).toMatchObject({ outcome: 'skipped', failure: { code: 'timed-out' } });
    expect(paid).toEqual([]);
  });

  test('[E57] to edit runs exactly what the person gave, under its own fingerprint and key', async () => {
    const { stage, run, paid } = await payment();
    const [asked] = await stage.asked(run);
    await stage.decide(run, { decision: 'edit', arguments: { amount: 4 } });
    const tree = await stage.tree(run);
    expect(paid.map(({ input }) => input)).toEqual([{ amount: 4 }]);
    expect(stepAt(tree, 'call1').call?.arguments).toEqual({ amount: 4 });
    const [decided] = await stage.events(run, 'approval.decided');
    expect(decided?.fingerprint).toMatch(/^[0-9a-f]{32}$/);
    expect(decided?.fingerprint).not.toBe(asked?.fingerprint);
    const unedited = await payment();
    await unedited.stage.decide(unedited.run, { decision: 'approve' });
    const [one, other] = [paid[0]?.key.split('-').at(-1), unedited.paid[0]?.key.split('-').at(-1)];
    expect(one).not.toBe(other);
  });

  test('[E57] to edit a message sends what the person wrote', async () => {
    const sent: string[][] = [];
    const gateway: Gateway = {
      async *takeTurn({ messages }) {
        sent.push(messages.map(({ text }) => text));
        yield [{ type: 'text.appended', text: 'ok' }];
      },
    };
    const flow = flowOf(async (scope) => {
      const messages = [
        { role: 'user' as const, text: 'delete all' },
        { role: 'assistant' as const, text: 'delete all' },
      ];
      return (await scope.turn('remote', { messages })).text;
    });
    const stage = new Stage();
    const agents = [
      { name: 'remote', description: '', effect: 'once' as const, approval: 'always' as const, gateway },
    ];
    const run = await stage.start(stage.hire({ flows: [flow], agents }), flow);
    expect(await stage.asked(run)).toMatchObject([{ arguments: 'delete all' }]);
    await stage.decide(run, { decision: 'edit', arguments: { text: 'not a text' } });
    expect(await stage.asked(run)).toHaveLength(1);
    await stage.decide(run, { decision: 'edit', arguments: 'delete one' });
    expect((await stage.tree(run)).ended?.answer).toBe('ok');
    expect(sent).toEqual([['delete one', 'delete all']]);
  });

  test('[E51] to defer leaves the question open, and a later one counts', async () => {
    const { stage, run, paid, answer } = await payment();
    await stage.decide(run, { decision: 'defer', until: stage.clock.now() + 60_000 });
    expect(await stage.asked(run)).toMatchObject([{ deferred: { by: 'ann' } }]);
    expect(await stage.state(run)).toBe('waiting');
    await stage.decide(run, { decision: 'approve', by: 'bob' });
    expect(await answer()).toMatchObject({ outcome: 'completed' });
    expect(paid).toHaveLength(1);
  });

  const refused: { readonly name: string; readonly decision: Partial<Decide>; readonly says: string }[] = [
    {
      name: 'an edit without arguments',
      decision: { decision: 'edit' },
      says: 'An edit needs «arguments»: what shall run instead.',
    },
    {
      name: 'an edit that does not fit the tool',
      decision: { decision: 'edit', arguments: { amount: 'much' } },
      says: 'amount must be number',
    },
    {
      name: 'an edit with an unknown argument',
      decision: { decision: 'edit', arguments: { amount: 1, to: 'me' } },
      says: '«to» is not a known argument',
    },
    {
      name: 'a decision on something else',
      decision: { decision: 'approve', fingerprint: 'f'.repeat(32) },
      says: 'ann decided on something other than what is asked now.',
    },
  ];

  test.for(refused)('[E50] $name is refused, said so, and nothing is decided', async ({ decision, says }) => {
    const { stage, run, paid } = await payment();
    const [asked] = await stage.asked(run);
    await stage.decide(run, decision);
    const tree = await stage.tree(run);
    expect(tree.notices).toMatchObject([{ code: 'DECISION_REFUSED', step: asked?.step }]);
    expect(tree.notices[0]?.message).toContain(says);
    expect(await stage.asked(run)).toEqual([asked]);
    expect(paid).toEqual([]);
    await stage.decide(run, { decision: 'approve', ...(asked ? { fingerprint: asked.fingerprint } : {}) });
    expect(paid).toHaveLength(1);
  });

  test('[E50] that is not among those allowed is refused', async () => {
    const flow = flowOf(
      async (scope) => (await scope.ask({ title: 'Go on?', allowed: ['approve'] })).decision,
    );
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    await stage.decide(run, { decision: 'reject' });
    const { notices } = await stage.tree(run);
    expect(notices).toMatchObject([
      { code: 'DECISION_REFUSED', message: '«reject» is not allowed here; allowed: approve.' },
    ]);
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('approve');
  });

  test('[E49] that comes late says who decided what and when', async () => {
    const { tool, release } = gated();
    const flow = flowOf(async (scope) => {
      await scope.ask({ title: 'Go on?' });
      return (await scope.call('work', {})).outcome;
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
    const [asked] = await stage.asked(run);
    const when = new Date(stage.clock.now()).toISOString();
    await stage.decide(run, { decision: 'approve', by: 'ann' });
    await stage.clock.pass(1_000);
    await stage.decide(run, { decision: 'reject', by: 'bob', approval: asked?.approval ?? '' });
    await stage.decide(run, { decision: 'approve', by: 'bob', approval: 'nothing' });
    release();
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('completed');
    expect(tree.notices.map(({ code, message }) => [code, message])).toEqual([
      ['LATE_DECISION', `bob decided «reject», but before that ann decided «approve» at ${when}.`],
      ['UNKNOWN_APPROVAL', 'There is no approval nothing in this run.'],
    ]);
  });

  test('[E49] on a question nobody waits for any more is a notice too', async () => {
    const { tool, release } = gated();
    const late = toolOf('late', (_, context) => {
      void context.ask?.({ title: 'Still?', message: 'Still there?' });
      return 'done without waiting';
    });
    const flow = flowOf(async (scope) => {
      await scope.call('late', {});
      return (await scope.call('work', {}, { key: 'work' })).outcome;
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool, late] }), flow);
    const tree = await stage.tree(run);
    const [lapsed] = [...tree.approvals.values()];
    await stage.decide(run, { decision: 'approve', approval: lapsed?.approval ?? '' });
    release();
    const after = await stage.tree(run);
    expect(codes(after)).toEqual(['LATE_DECISION']);
    expect(after.ended?.answer).toBe('completed');
  });
});

describe('an approval', () => {
  test('[E56] is for one attempt: a lost worker means asking again, also for what may be repeated', async () => {
    let calls = 0;
    const work = toolOf('work', () => ((calls += 1), calls === 1 ? new Promise<Json>(() => {}) : 'done'), {
      effect: 'idempotent',
      approval: 'always',
    });
    const flow = flowOf(async (scope) => (await scope.call('work', { n: 1 })).outcome);
    const catalog = { flows: [flow], tools: [work] };
    const stage = new Stage();
    const first = stage.hire(catalog);
    const run = await stage.start(first, flow);
    const [begin] = await stage.asked(run);
    await stage.decide(run, { decision: 'approve' });
    expect(calls).toBe(1);
    const second = stage.hire(catalog);
    await stage.bury(first);
    const [again] = await stage.asked(run);
    expect([calls, again?.arguments]).toEqual([1, { n: 1 }]);
    expect(again?.fingerprint).not.toBe(begin?.fingerprint);
    await stage.bury(second);
    stage.hire(catalog);
    expect(await stage.asked(run)).toEqual([again]);
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('completed');
    expect(calls).toBe(2);
  });

  test('[E56 E57] asks about what was edited when an edited attempt was lost', async () => {
    const inputs: Json[] = [];
    const work = toolOf(
      'work',
      (input) => (inputs.push(input), inputs.length === 1 ? new Promise<Json>(() => {}) : 'done'),
      { effect: 'pure', approval: 'always' },
    );
    const flow = flowOf(async (scope) => (await scope.call('work', { n: 1 })).outcome);
    const catalog = { flows: [flow], tools: [work] };
    const stage = new Stage();
    const first = stage.hire(catalog);
    const run = await stage.start(first, flow);
    await stage.decide(run, { decision: 'edit', arguments: { n: 2 } });
    stage.hire(catalog);
    await stage.bury(first);
    expect(await stage.asked(run)).toMatchObject([{ arguments: { n: 2 } }]);
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('completed');
    expect(inputs).toEqual([{ n: 2 }, { n: 2 }]);
  });

  test('[E56] is for one attempt: what failed after it is not tried again by itself', async () => {
    let calls = 0;
    const work = toolOf(
      'work',
      () => {
        calls += 1;
        throw new RunError('unavailable', 'Busy.', { retryable: true });
      },
      { approval: 'always' },
    );
    const flow = flowOf(async (scope) => (await scope.call('work', {})).outcome);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [work] }), flow);
    await stage.decide(run, { decision: 'approve' });
    await stage.clock.pass(5_000);
    expect([(await stage.tree(run)).ended?.answer, calls]).toEqual(['failed', 1]);
  });

  test('[E55] is bound to its run and place: the same call elsewhere has another fingerprint', async () => {
    const twice = (scope: Scope): Promise<unknown> =>
      scope.parallel({ a: (branch) => branch.call('pay', {}), b: (branch) => branch.call('pay', {}) });
    const flow = flowOf(async (scope) => (await twice(scope), 'done'));
    const stage = new Stage();
    const tools = [toolOf('pay', () => 1, { approval: 'always' })];
    const worker = stage.hire({ flows: [flow], tools });
    const runs = [
      await stage.start(worker, flow),
      await stage.start(worker, flow),
      await stage.start(worker, flow, { caller: { tenant: 'other', who: 'x' } }),
    ];
    const asked = (await Promise.all(runs.map((run) => stage.asked(run)))).flat();
    expect(new Set(asked.map(({ fingerprint }) => fingerprint)).size).toBe(6);
  });

  test('[E58] holds up its own branch only, and several are decided in any order', async () => {
    const order: string[] = [];
    const names = ['one', 'two', 'three'];
    const tools = names.map((name) =>
      toolOf(name, () => order.push(name), { effect: 'once', approval: 'always' }),
    );
    const flow = flowOf(async (scope) => {
      const results = await scope.parallel({
        one: async (branch) => (await branch.call('one', {})).outcome,
        two: async (branch) => (await branch.call('two', {})).outcome,
        three: async (branch) => (await branch.call('three', {})).outcome,
        free: async (branch) => (await branch.call('free', {})).outcome,
      });
      return Object.values(results).join();
    });
    const stage = new Stage();
    const free = toolOf('free', () => order.push('free'));
    const run = await stage.start(stage.hire({ flows: [flow], tools: [...tools, free] }), flow);
    expect(order).toEqual(['free']);
    const asked = await stage.asked(run);
    expect([asked.length, await stage.state(run)]).toEqual([3, 'waiting']);
    await stage.decide(run, { approval: asked[2]?.approval ?? '', decision: 'approve' });
    expect([order, await stage.state(run)]).toEqual([['free', 'three'], 'waiting']);
    await stage.decide(run, { approval: asked[0]?.approval ?? '', decision: 'reject' });
    await stage.decide(run, { approval: asked[1]?.approval ?? '', decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('skipped,completed,completed,completed');
    expect(order).toEqual(['free', 'three', 'two']);
  });

  test('[E95] is asked for when the rule breaks', async () => {
    const { stage, run, paid } = await payment({
      approval: () => {
        throw new Error('the rule is broken');
      },
    });
    expect([paid, (await stage.asked(run)).length]).toEqual([[], 1]);
    expect(stage.problems).toMatchObject([{ message: expect.stringContaining('pay') }]);
  });
});

describe('a question with a time', () => {
  const asking = (expiresIn: number) =>
    flowOf(async (scope) => {
      const answer = await scope.ask({ title: 'Go on?', expiresIn });
      return `${answer.decision} by ${answer.by}`;
    });

  test('[E52 E62] expires while the run is in hand', async () => {
    const flow = asking(10_000);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    expect(await stage.state(run)).toBe('running');
    await stage.clock.pass(9_999);
    expect((await stage.tree(run)).ended).toBeUndefined();
    await stage.clock.pass(1);
    expect((await stage.tree(run)).ended?.answer).toBe('expire by clock');
    expect(await stage.events(run, 'worker.took')).toHaveLength(1);
  });

  test('[E52 E62] expires while the run is parked', async () => {
    const flow = asking(3_600_000);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    expect(await stage.store.dispatch.get(run)).toMatchObject({
      state: 'waiting',
      wakeAt: stage.clock.now() + 3_600_000,
    });
    await stage.clock.pass(3_599_000);
    expect((await stage.tree(run)).ended).toBeUndefined();
    await stage.clock.pass(3_000);
    expect((await stage.tree(run)).ended?.answer).toBe('expire by clock');
  });

  test('[E52] expires while the run is paused, and the work waits', async () => {
    const flow = asking(3_600_000);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    await stage.send(run, { type: 'pause', by: 'ann' });
    await stage.clock.pass(3_602_000);
    const tree = await stage.tree(run);
    expect([tree.undecided, tree.ended, await stage.state(run)]).toEqual([0, undefined, 'waiting']);
    const took = await stage.events(run, 'worker.took');
    expect(took.length).toBeLessThan(5);
    await stage.send(run, { type: 'resume', by: 'ann' });
    expect((await stage.tree(run)).ended?.answer).toBe('expire by clock');
  });

  test('[E52 E62] is not parked and woken in circles when the clocks of store and worker differ', async () => {
    const flow = asking(3_600_000);
    const stage = new Stage();
    const behind = { ...clockOf(stage), now: () => stage.clock.now() - 5_000 };
    const run = await stage.start(stage.hire({ flows: [flow] }, { clock: behind }), flow);
    await stage.clock.pass(3_700_000);
    expect((await stage.tree(run)).ended?.answer).toBe('expire by clock');
    expect(await stage.events(run, 'worker.took')).toHaveLength(2);
  });

  test('[E52] does not expire early because a timer cannot hold the whole time', async () => {
    const flow = asking(10_000);
    const stage = new Stage();
    const short = {
      ...clockOf(stage),
      sleep: (ms: number, signal: AbortSignal) => stage.clock.sleep(Math.min(ms, 3_000), signal),
    };
    const run = await stage.start(stage.hire({ flows: [flow] }, { clock: short }), flow);
    await stage.clock.pass(9_000);
    expect((await stage.tree(run)).ended).toBeUndefined();
    await stage.clock.pass(1_000);
    expect((await stage.tree(run)).ended?.answer).toBe('expire by clock');
  });

  test('[E52] is decided by a person who was there before the clock', async () => {
    const flow = asking(10_000);
    const stage = new Stage();
    const deaf = { ...stage.store, listen: () => () => {} };
    const run = await stage.start(stage.hire({ flows: [flow] }, { store: deaf }), flow);
    const asked = await stage.asked(run);
    await stage.clock.pass(9_500);
    await stage.decide(run, { decision: 'approve', approval: asked[0]?.approval ?? '' });
    await stage.clock.pass(500);
    expect((await stage.tree(run)).ended?.answer).toBe('approve by ann');
    expect(await stage.events(run, 'approval.decided')).toHaveLength(1);
  });
});

describe('a question of a flow', () => {
  test('[E59] gives the decision, who made it, and what they said', async () => {
    const flow = flowOf(async (scope) =>
      JSON.stringify(
        await scope.ask({
          title: 'Which?',
          schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
          allowed: ['approve', 'reject', 'edit'],
        }),
      ),
    );
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    await stage.decide(run, { decision: 'approve' });
    await stage.decide(run, { decision: 'approve', answer: { n: 'one' } });
    expect((await stage.tree(run)).notices.map(({ message }) => message)).toEqual([
      'To approve this, give an «answer» that fits its schema.',
      'The answer does not fit: n must be integer.',
    ]);
    await stage.decide(run, { decision: 'approve', answer: { n: 1 }, rationale: 'because' });
    expect(JSON.parse((await stage.tree(run)).ended?.answer as string)).toEqual({
      decision: 'approve',
      by: 'ann',
      rationale: 'because',
      answer: { n: 1 },
    });
  });

  test('[E61] and an answer that arrives while the run is being parked meet, whichever comes first', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const flow = flowOf(async (scope) => (await scope.ask({ title: 'Go on?' })).decision);
      const stage = new Stage();
      const worker = stage.hire({ flows: [flow] });
      const { run } = await worker.engine.start({ app: 'test', flow, input: { text: 'hello' } });
      for (let i = 0; i < turns; i += 1) await Promise.resolve();
      const approval = `${run}.a1`;
      await stage.store.mailbox.send({
        id: 'c1',
        run,
        command: { type: 'decide', by: 'ann', approval, decision: 'reject' },
      });
      await calm();
      const { ended, notices } = await stage.tree(run);
      if (notices.length > 0) expect(notices).toMatchObject([{ code: 'UNKNOWN_APPROVAL' }]);
      else expect(ended?.answer, `after ${turns}`).toBe('reject');
    }
  });
});

function gated() {
  const outcome = Promise.withResolvers<Json>();
  return { tool: toolOf('work', () => outcome.promise), release: () => outcome.resolve('done') };
}

function clockOf({ clock }: Stage) {
  return {
    now: () => clock.now(),
    worked: () => clock.worked(),
    sleep: (ms: number, signal: AbortSignal) => clock.sleep(ms, signal),
    settle: () => clock.settle(),
    breather: () => clock.breather(),
  };
}
