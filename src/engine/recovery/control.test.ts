import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Gateway } from '../../gateways/gateway.ts';
import { RunError } from '../../run/failure.ts';
import { runStatus, textOf } from '../../run/tree.ts';
import type { Effect, Json } from '../../run/values.ts';
import type { Store } from '../../stores/store.ts';
import type { Tool } from '../../tools/tool.ts';

const user = (text: string) => ({ messages: [{ role: 'user' as const, text }] });

/** A tool whose outcome comes when the test says so. */
function held(name: string, effect: Effect = 'pure', more: Partial<Tool> = {}) {
  const outcome = Promise.withResolvers<Json>();
  const calls: Json[] = [];
  const tool = toolOf(name, (input) => (calls.push(input), outcome.promise), { effect, ...more });
  return { tool, calls, outcome };
}

describe('pause', () => {
  test('[E43] in the middle of a turn: the turn is recorded, nothing opens, and resuming changes no attempt', async () => {
    const rest = Promise.withResolvers<void>();
    const gateway: Gateway = {
      async *takeTurn() {
        yield [{ type: 'text.appended', text: 'first ' }];
        await rest.promise;
        yield [{ type: 'text.appended', text: 'second' }];
      },
    };
    let calls = 0;
    const count = toolOf('count', () => (calls += 1));
    const flow = flowOf(async (scope) => {
      const { text } = await scope.turn('model', user('go'));
      await scope.call('count', {});
      return text;
    });
    const stage = new Stage();
    const worker = stage.hire({
      flows: [flow],
      tools: [count],
      agents: [{ name: 'model', description: '', effect: 'pure', gateway }],
    });
    const run = await stage.start(worker, flow);
    await stage.send(run, { type: 'pause', by: 'ann', reason: 'lunch' });
    expect(await stage.state(run)).toBe('running');
    rest.resolve();
    const paused = await stage.tree(run);
    expect([runStatus(paused), await stage.state(run)]).toEqual(['paused', 'waiting']);
    expect(stepAt(paused, 'turn1')).toMatchObject({ status: 'completed', attempt: 1 });
    expect(textOf(stepAt(paused, 'turn1'))).toBe('first second');
    expect([calls, worker.engine.busyWith]).toEqual([0, []]);
    await stage.send(run, { type: 'resume', by: 'ann' });
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('first second');
    expect([...tree.steps.values()].map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
    expect([calls, tree.takeovers]).toEqual([1, 0]);
  });

  test('[E43] and resumed before the work in flight is over: it simply goes on', async () => {
    const { tool, outcome } = held('work');
    const flow = flowOf(async (scope) => {
      await scope.call('work', {});
      return String(await scope.step({ key: 'next' }, async () => 'next'));
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
    await stage.send(run, { type: 'pause', by: 'ann' });
    await stage.send(run, { type: 'resume', by: 'ann' });
    outcome.resolve(1);
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('next');
    expect(await stage.events(run, 'worker.took')).toHaveLength(1);
  });

  test('[E44] takes decisions, and the work waits for the resumption', async () => {
    const sent: Json[] = [];
    const pay = toolOf('pay', (input) => sent.push(input), { effect: 'once', approval: 'always' });
    const flow = flowOf(async (scope) => (await scope.call('pay', { amount: 1 })).outcome);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [pay] }), flow);
    await stage.send(run, { type: 'pause', by: 'ann' });
    await stage.decide(run, { decision: 'approve' });
    const paused = await stage.tree(run);
    expect([paused.undecided, runStatus(paused), await stage.state(run)]).toEqual([0, 'paused', 'waiting']);
    expect(sent).toEqual([]);
    await stage.send(run, { type: 'resume', by: 'ann' });
    expect((await stage.tree(run)).ended?.answer).toBe('completed');
    expect(sent).toEqual([{ amount: 1 }]);
  });

  test('[E45] holds when another worker takes over: parked again without running', async () => {
    let flows = 0;
    const { tool } = held('work');
    const flow = flowOf(async (scope) => {
      flows += 1;
      return (await scope.call('work', {})).outcome;
    });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools: [tool] });
    const run = await stage.start(first, flow);
    await stage.send(run, { type: 'pause', by: 'ann' });
    stage.hire({ flows: [flow], tools: [toolOf('work', () => 1)] });
    await stage.bury(first);
    expect([flows, await stage.state(run)]).toEqual([1, 'waiting']);
    await stage.send(run, { type: 'resume', by: 'ann' });
    expect((await stage.tree(run)).ended?.answer).toBe('completed');
  });

  test('[E49] asked for twice, or a resumption that is not needed, is a notice', async () => {
    const { tool } = held('work');
    const flow = flowOf(async (scope) => (await scope.call('work', {})).outcome);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
    await stage.send(run, { type: 'resume', by: 'ann' });
    await stage.send(run, { type: 'pause', by: 'ann' });
    await stage.send(run, { type: 'pause', by: 'bob' });
    const tree = await stage.tree(run);
    expect(tree.notices.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'NOT_PAUSED: ann asked to resume a run that is not paused.',
      'ALREADY_PAUSED: bob asked to pause a run that is paused.',
    ]);
    expect(await stage.store.mailbox.pending(run)).toEqual([]);
  });
});

describe('stop', () => {
  const cases: { readonly name: string; readonly tools: Tool[]; readonly before?: 'pause' }[] = [
    { name: 'a run that is parked', tools: [toolOf('work', () => 1, { approval: 'always' })] },
    {
      name: 'a run that is paused',
      tools: [toolOf('work', () => 1, { approval: 'always' })],
      before: 'pause',
    },
    { name: 'a tool that does not listen', tools: [toolOf('work', () => new Promise(() => {}))] },
    {
      name: 'a pause between two attempts',
      tools: [
        toolOf('work', () => {
          throw new RunError('unavailable', 'Busy.', { retryable: true });
        }),
      ],
    },
  ];

  test.for(cases)('[E46 E48] [R37] reaches $name', async ({ tools, before }) => {
    let isCaught = false;
    const flow = flowOf(async (scope) => {
      try {
        await scope.step({ key: 'outer' }, (outer) =>
          outer.step({ key: 'inner' }, (s) => s.call('work', {})),
        );
        return 'went on';
      } catch {
        isCaught = true;
        return 'caught';
      } finally {
        scope.say('finally');
      }
    });
    const stage = new Stage();
    const worker = stage.hire({ flows: [flow], tools });
    const run = await stage.start(worker, flow);
    if (before) await stage.send(run, { type: before, by: 'ann' });
    await stage.send(run, { type: 'stop', by: 'ann', reason: 'enough' });
    await stage.clock.pass(250);
    const tree = await stage.tree(run);
    expect(tree.ended?.outcome).toBe('stopped');
    expect(await stage.state(run)).toBe('ended');
    expect([...tree.steps.values()].map(({ status }) => status)).toEqual(Array(4).fill('stopped'));
    const closed = (await stage.events(run, 'step.closed')).map(({ step }) => step);
    expect(closed).toEqual([...closed].sort((a, b) => b - a));
    await stage.clock.pass(5_000);
    expect(isCaught).toBe(false);
    expect(textOf(stepAt(tree, ''))).toBe('');
    expect((await stage.entries(run)).at(-1)?.event.type).toBe('run.ended');
    expect([worker.engine.busyWith, stage.problems]).toEqual([[], []]);
  });

  test('[E46] waits a moment for each effect, also when others have ended before it', async () => {
    const flow = flowOf(async (scope) => {
      await scope.call('quick', {});
      await scope.call('slow', {});
      return 'never';
    });
    const slow = toolOf(
      'slow',
      (_, { signal }) =>
        new Promise<Json>((resolve) => {
          signal.addEventListener('abort', () => setImmediate(() => resolve('what was done')));
        }),
    );
    const stage = new Stage();
    const run = await stage.start(
      stage.hire({ flows: [flow], tools: [toolOf('quick', () => 1), slow] }),
      flow,
    );
    await stage.send(run, { type: 'stop', by: 'ann' });
    await stage.clock.pass(10);
    const tree = await stage.tree(run);
    expect(tree.ended?.outcome).toBe('stopped');
    expect(stepAt(tree, 'call2')).toMatchObject({ status: 'completed', result: 'what was done' });
  });

  test('[E47] records an outcome that is known, though the store takes its time', async () => {
    const stored = Promise.withResolvers<void>();
    const big = toolOf('big', () => 'x'.repeat(40_000), { effect: 'once' });
    const flow = flowOf(async (scope) => (await scope.call('big', {})).outcome);
    const stage = new Stage();
    const { blobs } = stage.store;
    const store: Store = {
      ...stage.store,
      blobs: { ...blobs, put: async (owner, text) => (await stored.promise, blobs.put(owner, text)) },
    };
    const run = await stage.start(stage.hire({ flows: [flow], tools: [big] }, { store }), flow);
    await stage.send(run, { type: 'stop', by: 'ann' });
    await stage.clock.pass(1_000);
    expect((await stage.tree(run)).ended).toBeUndefined();
    stored.resolve();
    const tree = await stage.tree(run);
    expect([tree.ended?.outcome, stepAt(tree, 'call1').status, codes(tree)]).toEqual([
      'stopped',
      'completed',
      [],
    ]);
  });

  test('[E47] shows the doubt about an effect that was cut off', async () => {
    const { tool } = held('pay', 'once');
    const flow = flowOf(async (scope) => (await scope.call('pay', {})).outcome);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
    await stage.send(run, { type: 'stop', by: 'ann' });
    await stage.clock.pass(250);
    const tree = await stage.tree(run);
    expect(tree.notices).toMatchObject([{ code: 'IN_DOUBT', step: stepAt(tree, 'call1').id }]);
  });

  test('[E40 E49] a second one is a notice or is refused, and the run has one end', async () => {
    const { tool } = held('work');
    const flow = flowOf(async (scope) => (await scope.call('work', {})).outcome);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
    await stage.store.mailbox.send({ id: 's1', run, command: { type: 'stop', by: 'ann' } });
    await stage.store.mailbox.send({ id: 's2', run, command: { type: 'stop', by: 'bob' } });
    await calm();
    await stage.clock.pass(250);
    expect(await stage.events(run, 'stop.requested')).toHaveLength(1);
    expect(await stage.events(run, 'run.ended')).toHaveLength(1);
    expect(await stage.store.mailbox.pending(run)).toEqual([]);
    await expect(stage.send(run, { type: 'stop', by: 'cem' }, 's3')).rejects.toMatchObject({
      failure: { code: 'rejected' },
    });
    const again = await stage.send(run, { type: 'stop', by: 'ann' }, 's1');
    expect(again).toMatchObject({ fresh: false, used: expect.any(Number) });
  });

  test('[E46] that comes while the end is being written changes nothing any more', async () => {
    const flow = flowOf(async () => 'done');
    const stage = new Stage();
    const { journal } = stage.store;
    let sendsStop = async (): Promise<void> => {};
    const store: Store = {
      ...stage.store,
      journal: {
        ...journal,
        offer: undefined,
        append: async (wanted) => {
          if (wanted.ends) await sendsStop();
          return journal.append(wanted);
        },
      },
    };
    const worker = stage.hire({ flows: [flow] }, { store });
    sendsStop = async () => {
      const [run] = worker.engine.busyWith;
      await stage.store.mailbox.send({ id: 'late', run: run ?? '', command: { type: 'stop', by: 'ann' } });
    };
    const run = await stage.start(worker, flow);
    const tree = await stage.tree(run);
    expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'done' });
    expect(
      await stage.store.mailbox.send({ id: 'late', run, command: { type: 'stop', by: 'ann' } }),
    ).toMatchObject({
      used: tree.seq,
    });
  });

  test('[E200] lets questions lapse at once, while what is under way comes to its end', async () => {
    const { tool, outcome } = held('send', 'once');
    const flow = flowOf(async (scope) => {
      await Promise.all([scope.call('send', {}), scope.ask({ key: 'q', title: 'Shall I?' })]);
      return 'went on';
    });
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
    expect((await stage.tree(run)).undecided).toBe(1);
    await stage.send(run, { type: 'stop', by: 'ann' });
    const stopping = await stage.tree(run);
    const [asked] = stopping.approvals.values();
    expect([stopping.ended, stopping.undecided, asked?.lapsedAt]).toEqual([undefined, 0, expect.any(Number)]);
    outcome.resolve(1);
    await stage.clock.pass(10_000);
    expect((await stage.tree(run)).ended?.outcome).toBe('stopped');
  });

  test('[E46] that is pending when the flow is through wins over its end', async () => {
    const { tool, outcome } = held('work');
    const flow = flowOf(async (scope) => (await scope.call('work', {})).outcome);
    const stage = new Stage();
    const deaf: Store = { ...stage.store, listen: () => () => {} };
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }, { store: deaf }), flow);
    await stage.send(run, { type: 'stop', by: 'ann' });
    outcome.resolve(1);
    await stage.clock.pass(250);
    const tree = await stage.tree(run);
    expect([tree.ended?.outcome, stepAt(tree, 'call1').status]).toEqual(['stopped', 'completed']);
  });
});

describe('commands', () => {
  test('[E40] [R35] become one entry each, also when they are sent again', async () => {
    const { tool } = held('work');
    const flow = flowOf(async (scope) => (await scope.call('work', {})).outcome);
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }), flow);
    const first = await stage.send(run, { type: 'message', by: 'ann', text: 'one' }, 'm1');
    const again = await stage.send(run, { type: 'message', by: 'ann', text: 'other words' }, 'm1');
    expect([first.fresh, again.fresh, again.used]).toEqual([true, false, expect.any(Number)]);
    expect(await stage.events(run, 'message.queued')).toMatchObject([{ text: 'one', command: 'm1' }]);
    expect((await stage.entries(run)).find(({ seq }) => seq === again.used)?.event).toMatchObject({
      text: 'one',
    });
  });

  test('[E41] that waited are applied before the flow runs', async () => {
    const looks: (string | undefined)[] = [];
    const flow = flowOf(async (scope) => {
      looks.push(scope.message()?.text);
      await scope.ask({ title: 'Go on?' });
      return 'done';
    });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow] });
    const run = await stage.start(first, flow);
    await first.quit();
    await stage.decide(run, { decision: 'approve' });
    await stage.send(run, { type: 'message', by: 'ann', text: 'hurry' });
    expect(await stage.state(run)).toBe('ready');
    stage.hire({ flows: [flow] });
    expect((await stage.tree(run)).ended?.answer).toBe('done');
    const types = (await stage.entries(run)).map(({ event }) => event.type);
    expect(types.slice(types.lastIndexOf('worker.took'))).toEqual([
      'worker.took',
      'approval.decided',
      'message.queued',
      'step.closed',
      'run.ended',
    ]);
  });

  test('[E42] whose hint got lost are applied with the renewal of the lease', async () => {
    const { tool } = held('work');
    const flow = flowOf(async (scope) => (await scope.call('work', {})).outcome);
    const stage = new Stage();
    const deaf: Store = { ...stage.store, listen: () => () => {} };
    const run = await stage.start(stage.hire({ flows: [flow], tools: [tool] }, { store: deaf }), flow);
    await stage.send(run, { type: 'stop', by: 'ann' });
    expect((await stage.tree(run)).stopping).toBe(false);
    await stage.clock.pass(7_000);
    expect((await stage.tree(run)).ended?.outcome).toBe('stopped');
  });

  test('[E40] that do not fit are refused at the door, with the field', async () => {
    const flow = flowOf(async (scope) => (await scope.ask({ title: 'Go on?' })).decision);
    const stage = new Stage();
    const worker = stage.hire({ flows: [flow] });
    const run = await stage.start(worker, flow);
    const before = await stage.entries(run);
    const wrong = { type: 'decide', by: 'ann', approval: 'x', decision: 'perhaps' } as never;
    await expect(worker.engine.send(run, wrong)).rejects.toMatchObject({
      failure: { code: 'malformed', message: expect.stringContaining('decision') },
    });
    expect(await stage.entries(run)).toEqual(before);
  });
});

describe('a worker', () => {
  test('[E63] that ends gives its runs back at once, with all it knows', async () => {
    const { tool } = held('halt');
    let reads = 0;
    const flow = flowOf(async (scope) => {
      await scope.call('read', {});
      return (await scope.call('halt', {}, { key: 'halt' })).outcome;
    });
    const read = toolOf('read', () => (reads += 1));
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools: [read, tool] });
    const run = await stage.start(first, flow);
    await first.quit();
    expect(await stage.state(run)).toBe('ready');
    stage.hire({ flows: [flow], tools: [read, toolOf('halt', () => 1)] });
    const tree = await stage.tree(run);
    expect([tree.ended?.answer, reads, tree.takeovers]).toEqual(['completed', 1, 0]);
    expect(stage.problems).toEqual([]);
  });

  test('[E4 E64] that cannot renew its lease lets go, and begins no effect after it', async () => {
    const { tool, outcome } = held('work');
    let late = 0;
    const flow = flowOf(async (scope) => {
      await scope.call('work', {});
      await scope.call('late', {});
      return 'done';
    });
    const stage = new Stage();
    const { dispatch } = stage.store;
    const away = async (): Promise<never> => {
      throw new RunError('unavailable', 'The store is away.');
    };
    const store: Store = { ...stage.store, dispatch: { ...dispatch, renew: away, claim: away } };
    const worker = stage.hire({ flows: [flow], tools: [tool, toolOf('late', () => (late += 1))] }, { store });
    const run = await stage.start(worker, flow);
    await stage.clock.pass(14_000);
    expect(worker.engine.busyWith).toEqual([]);
    outcome.resolve(1);
    await stage.clock.pass(5_000);
    expect([late, (await stage.tree(run)).ended]).toEqual([0, undefined]);
    expect(await worker.engine.released(run)).toBeUndefined();
  });

  test('[E1] that was taken over writes nothing more, and its flow hears nothing', async () => {
    const { tool, outcome } = held('work');
    let isCaught = false;
    const flow = flowOf(async (scope) => {
      try {
        return (await scope.call('work', {})).outcome;
      } catch {
        isCaught = true;
        throw new Error('never');
      }
    });
    const stage = new Stage();
    const { dispatch } = stage.store;
    // It does not notice that its lease is over, until it writes.
    const blind: Store = {
      ...stage.store,
      dispatch: { ...dispatch, renew: async (fences) => fences, claim: async () => [] },
    };
    const first = stage.hire({ flows: [flow], tools: [tool] }, { store: blind });
    const run = await stage.start(first, flow);
    stage.hire({ flows: [flow], tools: [toolOf('work', () => 'second')] });
    await stage.clock.pass(20_000);
    expect((await stage.tree(run)).ended?.answer).toBe('completed');
    const before = await stage.entries(run);
    outcome.resolve('first');
    await stage.clock.pass(1_000);
    expect(await stage.entries(run)).toEqual(before);
    expect([first.engine.busyWith, isCaught]).toEqual([[], false]);
  });

  test('[E6] whose answer to a new run got lost has started one run, and works on it', async () => {
    const flow = flowOf(async () => 'done');
    const stage = new Stage();
    const { dispatch } = stage.store;
    let losses = 0;
    const store: Store = {
      ...stage.store,
      dispatch: {
        ...dispatch,
        create: async (wanted) => {
          if (losses === 0) {
            losses += 1;
            throw new RunError('unavailable', 'lost before');
          }
          const created = await dispatch.create(wanted);
          if (losses === 2) return created;
          losses += 1;
          throw new RunError('unavailable', 'lost after');
        },
      },
    };
    const worker = stage.hire({ flows: [flow] }, { store });
    const started = worker.engine.start({ app: 'test', flow, input: { text: 'hello' } });
    await stage.clock.pass(1_000);
    const { run, head } = await started;
    expect([losses, head]).toEqual([2, expect.any(Number)]);
    expect((await stage.tree(run)).ended?.answer).toBe('done');
    expect(await stage.store.dispatch.list({ tenant: 'local' })).toHaveLength(1);
  });

  test('[E6] starts nothing for a flow it does not have', async () => {
    const stage = new Stage();
    const worker = stage.hire({ flows: [flowOf(async () => 'done')] });
    const other = flowOf(async () => 'done', 'other', '2');
    await expect(
      worker.engine.start({ app: 'test', flow: other, input: { text: '' } }),
    ).rejects.toMatchObject({
      failure: { code: 'unknown', message: 'There is no flow other@2 here; known: test@1.' },
    });
    expect(await stage.store.dispatch.list({ tenant: 'local' })).toEqual([]);
  });

  test('[E3] settles an append whose answer got lost by reading the head', async () => {
    const flow = flowOf(async (scope) => {
      for (let i = 0; i < 5; i += 1) await scope.call('read', { i });
      return 'done';
    });
    const stage = new Stage();
    const { journal } = stage.store;
    let appends = 0;
    const store: Store = {
      ...stage.store,
      journal: {
        ...journal,
        offer: undefined,
        append: async (wanted) => {
          appends += 1;
          if (appends % 3 === 1) throw new RunError('unavailable', 'lost before');
          await journal.append(wanted);
          if (appends % 3 === 2) throw new RunError('unavailable', 'lost after');
        },
      },
    };
    let reads = 0;
    const read = toolOf('read', () => (reads += 1));
    const run = await stage.start(stage.hire({ flows: [flow], tools: [read] }, { store }), flow);
    await stage.clock.pass(10_000);
    const tree = await stage.tree(run);
    expect([tree.ended?.answer, reads, tree.takeovers]).toEqual(['done', 5, 0]);
    expect((await stage.entries(run)).map(({ seq }) => seq)).toEqual(
      [...Array(tree.seq).keys()].map((i) => i + 1),
    );
  });

  test('[E3 E9] leaves a run to be recovered when the store stays away, and the flow hears nothing', async () => {
    const { tool, outcome } = held('work');
    let isCaught = false;
    const flow = flowOf(async (scope) => {
      const { result } = (await scope.call('work', {}).catch(() => (isCaught = true))) as { result: Json };
      return JSON.stringify(result);
    });
    const stage = new Stage();
    const { journal } = stage.store;
    let isAway = false;
    const store: Store = {
      ...stage.store,
      journal: {
        ...journal,
        offer: undefined,
        append: async (wanted) => {
          if (isAway) throw new RunError('unavailable', 'The disk is full.');
          return journal.append(wanted);
        },
      },
    };
    const first = stage.hire({ flows: [flow], tools: [tool] }, { store });
    const run = await stage.start(first, flow);
    isAway = true;
    outcome.resolve('first');
    await stage.clock.pass(13_000);
    expect([first.engine.busyWith, isCaught]).toEqual([[], false]);
    expect(stage.problems).toMatchObject([{ message: expect.stringContaining('The disk is full.') }]);
    isAway = false;
    await stage.clock.pass(20_000);
    expect((await stage.tree(run)).ended?.answer).toBe('"first"');
  });

  test('[E9] asks a store that is unavailable again, wherever it has to, and the flow hears nothing', async () => {
    const flow = flowOf(async (scope) => {
      const { text } = await scope.turn('remote', user('hi'));
      const big = await scope.call('big', {});
      const again = await scope.step({ key: 'step' }, async () => 'y'.repeat(40_000));
      return `${text} ${big.outcome} ${again.length}`;
    });
    const stage = new Stage();
    let calls = 0;
    const flaky = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
      return async (...args: A): Promise<R> => {
        calls += 1;
        if (calls % 2 === 1) throw new RunError('unavailable', 'Not now.');
        return call(...args);
      };
    };
    const { dispatch, blobs, mailbox } = stage.store;
    const store: Store = {
      ...stage.store,
      dispatch: {
        ...dispatch,
        hold: flaky((fence, name) => dispatch.hold(fence, name)),
        letGo: flaky((fence, name) => dispatch.letGo(fence, name)),
      },
      blobs: {
        ...blobs,
        put: flaky((owner, text) => blobs.put(owner, text)),
        get: flaky((tenant, blob) => blobs.get(tenant, blob)),
      },
      mailbox: { ...mailbox, pending: flaky((run) => mailbox.pending(run)) },
    };
    const gateway: Gateway = {
      async *takeTurn() {
        yield [{ type: 'text.appended', text: 'hello' }];
      },
    };
    const worker = stage.hire(
      {
        flows: [flow],
        tools: [toolOf('big', () => 'x'.repeat(40_000))],
        agents: [{ name: 'remote', description: '', effect: 'once', gateway }],
      },
      { store },
    );
    const run = await stage.start(worker, flow);
    await stage.clock.pass(5_000);
    expect((await stage.tree(run)).ended?.answer).toBe('hello completed 40000');
    expect([stage.problems, calls > 8]).toEqual([[], true]);
  });

  test('[E60] whose claim was answered too late finds the run again when the lease is over', async () => {
    const flow = flowOf(async (scope) => (await scope.ask({ title: 'Go on?' })).decision);
    const stage = new Stage();
    const { dispatch } = stage.store;
    let isLost = false;
    const store: Store = {
      ...stage.store,
      dispatch: {
        ...dispatch,
        claim: async (request) => {
          const claims = await dispatch.claim(request);
          if (claims.length === 0 || isLost) return claims;
          isLost = true;
          throw new RunError('unavailable', 'The answer got lost.');
        },
      },
    };
    const run = await stage.start(stage.hire({ flows: [flow] }, { store }), flow);
    await stage.decide(run, { decision: 'approve' });
    expect([isLost, await stage.state(run)]).toEqual([true, 'running']);
    await stage.clock.pass(20_000);
    const tree = await stage.tree(run);
    expect([tree.ended?.answer, tree.takeovers]).toEqual(['approve', 1]);
  });
});
