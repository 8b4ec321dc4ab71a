import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { agentOf, ended, flowOf, startRun, testWorld, toolOf, treeOf, until } from '../../../test/world.ts';
import type { AgentEvent, Gateway, Turn } from '../../gateways/gateway.ts';
import { RunError } from '../../run/failure.ts';
import { textOf } from '../../run/tree.ts';
import type { Effect, Json } from '../../run/values.ts';
import { sqliteStore } from '../../stores/sqlite.ts';
import type { Append, Store } from '../../stores/store.ts';
import type { Tool } from '../../tools/tool.ts';
import { Engine } from '../../../test/engine.ts';
import type { Execution } from '../execution.ts';
import { fingerprintOf } from '../question/fingerprint.ts';
import type { Scope } from '../scope.ts';

const user = (text: string) => ({ messages: [{ role: 'user' as const, text }] });

/** A tool that does its work and then stands still, as often as said; what it was called with is written down. */
function stuck(name: string, effect: Effect, more: Partial<Tool> & { times?: number } = {}) {
  const { times = 1, ...rest } = more;
  const done: { readonly key: string; readonly input: Json }[] = [];
  const tool = toolOf(
    name,
    (input, { idempotencyKey: key }) => {
      done.push({ key, input });
      return done.length <= times ? new Promise<Json>(() => {}) : { done: done.length };
    },
    { effect, ...rest },
  );
  return { tool, done };
}

/** A back end that tells some things and hangs, and the next time tells others and ends. */
function hangingFirst(first: readonly AgentEvent[], then: readonly AgentEvent[]) {
  const turns: Turn[] = [];
  const gateway: Gateway = {
    async *takeTurn(turn) {
      turns.push(turn);
      if (turns.length > 1) return yield then;
      yield first;
      await new Promise(() => {});
    },
  };
  return { gateway, turns };
}

/** A store in which appends take a while, so that more is emitted meanwhile. */
function slow(store: Store): Store {
  const append = async (wanted: Append): Promise<void> => {
    for (let i = 0; i < 3; i += 1) await new Promise(setImmediate);
    return store.journal.append(wanted);
  };
  return { ...store, journal: { ...store.journal, append, offer: undefined } };
}

describe('a worker that takes over', () => {
  test('[E20 E21 E22] recalls what is closed, goes on with what is open, and repeats nothing that was said', async () => {
    let reads = 0;
    const read = toolOf('read', () => ({ reads: (reads += 1) }));
    const { tool: halt, done } = stuck('halt', 'pure');
    const flow = flowOf(async (scope) => {
      scope.say('one');
      scope.notice('HINT', 'a hint');
      const outer = await scope.step({ key: 'outer' }, async (inner) => {
        inner.say('inside');
        inner.attach({ kind: 'citation', title: 'a page' });
        const first = await inner.call('read', {});
        const said = await inner.turn('helper', user('hi'));
        await inner.call('halt', {}, { key: 'halt' });
        inner.say('after');
        return { first, said: said.text };
      });
      scope.save('helper', 'own', { n: 1 });
      return JSON.stringify(outer);
    });
    const catalog = {
      flows: [flow],
      tools: [read, halt],
      agents: [agentOf('helper', [[{ type: 'say', text: 'hello' }]])],
    };
    const stage = new Stage();
    const first = stage.hire(catalog);
    const run = await stage.start(first, flow);
    expect(done).toHaveLength(1);
    stage.hire(catalog);
    await stage.bury(first);
    const tree = await stage.tree(run);
    expect(tree.ended?.outcome).toBe('completed');
    expect(JSON.parse(tree.ended?.answer as string)).toMatchObject({
      first: { outcome: 'completed', result: { reads: 1 } },
      said: 'hello',
    });
    expect(reads).toBe(1);
    expect(textOf(stepAt(tree, ''))).toBe('one');
    expect(textOf(stepAt(tree, 'outer'))).toBe('insideafter');
    expect(stepAt(tree, 'outer').items).toHaveLength(1);
    expect(stepAt(tree, 'outer').attempt).toBe(1);
    expect(codes(tree)).toEqual(['HINT']);
    expect(await stage.events(run, 'state.saved')).toHaveLength(1);
    expect(tree.takeovers).toBe(1);
    expect(stage.problems).toEqual([]);
  });

  test.for([{ effect: 'pure' }, { effect: 'idempotent' }] as const)(
    '[E26] runs a call of effect $effect again that has no outcome, with the same key',
    async ({ effect }) => {
      const { tool, done } = stuck('work', effect);
      const flow = flowOf(async (scope) => JSON.stringify(await scope.call('work', { n: 1 })));
      const stage = new Stage();
      const first = stage.hire({ flows: [flow], tools: [tool] });
      const run = await stage.start(first, flow);
      stage.hire({ flows: [flow], tools: [tool] });
      await stage.bury(first);
      const tree = await stage.tree(run);
      expect(tree.ended?.outcome).toBe('completed');
      expect(done).toHaveLength(2);
      expect(done[0]?.key).toBe(done[1]?.key);
      expect(stepAt(tree, 'call1')).toMatchObject({ attempt: 2, status: 'completed' });
      expect(tree.spent.calls).toBe(1);
    },
  );

  test('[E26 E32] an attempt that the end of its worker cut off does not use up the budget', async () => {
    const { tool, done } = stuck('work', 'pure');
    const flow = flowOf(async (scope) => {
      const { outcome, ...rest } = await scope.call('work', {});
      return outcome === 'skipped' && 'failure' in rest ? rest.failure.code : outcome;
    });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools: [tool] });
    const run = await stage.start(first, flow, { limits: { calls: 1 } });
    stage.hire({ flows: [flow], tools: [tool] });
    await stage.bury(first);
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('completed');
    expect(done).toHaveLength(2);
    expect(tree.spent).toMatchObject({ calls: 1 });
  });

  test('[E25] supersedes half-streamed text, requested calls, items and mirrored stages of the lost attempt', async () => {
    const { gateway, turns } = hangingFirst(
      [
        { type: 'text.appended', text: 'half a ' },
        { type: 'call.appended', call: 'c1', tool: 'x', text: '{"a"' },
        { type: 'item.attached', item: { kind: 'citation', title: 'old' } },
        { type: 'stage.opened', stage: '0', title: 'Old, closed' },
        { type: 'stage.closed', stage: '0', outcome: 'completed' },
        { type: 'stage.opened', stage: '1', title: 'Old, open' },
      ],
      [
        { type: 'stage.opened', stage: '0', title: 'New' },
        { type: 'text.appended', text: 'whole' },
      ],
    );
    const flow = flowOf(async (scope) => {
      const { text, calls } = await scope.turn('remote', user('hi'));
      return `${text} ${calls.length}`;
    });
    const catalog = {
      flows: [flow],
      agents: [{ name: 'remote', description: '', effect: 'idempotent' as const, gateway }],
    };
    const stage = new Stage();
    const first = stage.hire(catalog);
    const run = await stage.start(first, flow);
    stage.hire(catalog);
    await stage.bury(first);
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('whole 0');
    const turn = stepAt(tree, 'turn1');
    expect(turn.items).toEqual([]);
    expect(turn.superseded.map((id) => tree.steps.get(id)?.title)).toEqual(['Old, closed', 'Old, open']);
    expect(turn.children.map((id) => tree.steps.get(id)?.title)).toEqual(['New']);
    expect([...tree.steps.values()].filter(({ status }) => status === 'running')).toEqual([]);
    expect(turns.map(({ idempotencyKey }) => idempotencyKey)).toEqual([
      turns[0]?.idempotencyKey,
      turns[0]?.idempotencyKey,
    ]);
  });

  test('[E20] recalls failures as failures, with their code, and a caught one is caught again', async () => {
    const { tool } = stuck('halt', 'pure');
    let fails = 0;
    const fail = toolOf('fail', () => {
      fails += 1;
      throw new RunError('refused', 'The door is shut.');
    });
    const flow = flowOf(async (scope) => {
      const call = await scope.call('fail', {});
      const caught = await scope
        .step({ key: 'throws' }, async () => {
          throw new RunError('timed-out', 'Too slow.', { retryable: true });
        })
        .catch((thrown: RunError) => thrown.failure);
      const turned = await scope.turn('broken', user('hi')).catch((thrown: RunError) => thrown.failure);
      await scope.call('halt', {}, { key: 'halt' });
      return JSON.stringify({ call, caught, turned });
    });
    const agents = [agentOf('broken', [[{ type: 'fail', code: 'unavailable', message: 'Down.' }]])];
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools: [tool, fail], agents });
    const run = await stage.start(first, flow);
    stage.hire({ flows: [flow], tools: [tool, fail], agents });
    await stage.bury(first);
    const { ended: end } = await stage.tree(run);
    expect(JSON.parse(end?.answer as string)).toMatchObject({
      call: { outcome: 'failed', failure: { code: 'refused', message: 'The door is shut.' } },
      caught: { code: 'timed-out', message: 'Too slow.', retryable: true },
      turned: { code: 'unavailable', message: 'Down.' },
    });
    expect(fails).toBe(1);
  });

  test('[E7 E8 E20] recalls large results from their blobs, and what it gives can be changed', async () => {
    const { tool } = stuck('halt', 'pure');
    const long = 'x'.repeat(40_000);
    const big = toolOf('big', () => ({ long, nothing: undefined as unknown as Json, not: Number.NaN }));
    const seen: unknown[] = [];
    const flow = flowOf(async (scope) => {
      const called = await scope.call('big', { long });
      const made = await scope.step({ key: 'made' }, async () => ({
        list: [1],
        when: new Date(0),
        not: Number.NaN,
      }));
      seen.push(structuredClone({ called, made }));
      made.list.push(2);
      await scope.call('halt', {}, { key: 'halt' });
      return JSON.stringify(made);
    });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools: [tool, big] });
    const run = await stage.start(first, flow);
    stage.hire({ flows: [flow], tools: [tool, big] });
    await stage.bury(first);
    const tree = await stage.tree(run);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toMatchObject({
      called: { result: { long, not: null } },
      made: { list: [1], when: '1970-01-01T00:00:00.000Z', not: null },
    });
    expect(tree.ended?.answer).toBe('{"list":[1,2],"when":"1970-01-01T00:00:00.000Z","not":null}');
    expect(stepAt(tree, 'call1').result).toMatchObject({
      blob: expect.any(String),
      size: expect.any(Number),
    });
    expect(stepAt(tree, 'call1').call?.arguments).toMatchObject({ blob: expect.any(String) });
    expect(stepAt(tree, 'made').result).toMatchObject({ list: [1] });
    const longest = Math.max(...(await stage.entries(run)).map((entry) => JSON.stringify(entry).length));
    expect(longest).toBeLessThan(5_000);
  });

  test('[E8] records what a step returned, though the flow goes on to change it before it is written', async () => {
    const { tool } = stuck('halt', 'pure');
    const flow = flowOf(async (scope) => {
      const list = await scope.step({ key: 'made' }, async () => [1]);
      list.push(2);
      await scope.call('halt', {}, { key: 'halt' });
      return JSON.stringify(list);
    });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools: [tool] }, { store: slow(stage.store) });
    const run = await stage.start(first, flow);
    expect(stepAt(await stage.tree(run), 'made').result).toEqual([1]);
    stage.hire({ flows: [flow], tools: [tool] });
    await stage.bury(first);
    expect((await stage.tree(run)).ended?.answer).toBe('[1,2]');
  });

  test('[E9 E38] keeps a run for a person when a recorded result is missing', async () => {
    const { tool } = stuck('halt', 'pure');
    const big = toolOf('big', () => 'x'.repeat(40_000));
    const flow = flowOf(async (scope) => {
      await scope.call('big', {});
      await scope.call('halt', {}, { key: 'halt' });
      return 'done';
    });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools: [tool, big] });
    const run = await stage.start(first, flow);
    const second = stage.hire(
      { flows: [flow], tools: [tool, big] },
      { store: { ...stage.store, blobs: { ...stage.store.blobs, get: async () => undefined } } },
    );
    await stage.bury(first);
    const tree = await stage.tree(run);
    expect([tree.ended, tree.paused, codes(tree)]).toEqual([undefined, true, ['RESULT_MISSING']]);
    await second.quit();
    stage.hire({ flows: [flow], tools: [tool, big] });
    await stage.send(run, { type: 'resume', by: 'ann' });
    expect((await stage.tree(run)).ended?.answer).toBe('done');
  });

  test('[E24] finds the same random numbers and times', async () => {
    const { tool } = stuck('halt', 'pure');
    const drawn: unknown[] = [];
    const flow = flowOf(async (scope) => {
      const inside = await scope.step({ key: 'in' }, async (inner) => [inner.random(), inner.openedAt]);
      drawn.push([scope.random(), scope.random(), scope.openedAt, inside]);
      await scope.call('halt', {}, { key: 'halt' });
      return 'done';
    });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools: [tool] });
    await stage.start(first, flow);
    stage.hire({ flows: [flow], tools: [tool] });
    await stage.bury(first);
    expect(drawn).toHaveLength(2);
    expect(drawn[0]).toEqual(drawn[1]);
    const [one, two] = drawn[0] as [number, number];
    expect(one).not.toBe(two);
    expect(one >= 0 && one < 1).toBe(true);
  });

  test('[E23] finds the same messages at the same looks, and later ones later', async () => {
    const { tool, done } = stuck('halt', 'pure', { times: 2 });
    const looks: unknown[] = [];
    const flow = flowOf(async (scope) => {
      const seen: (string | undefined)[] = [];
      seen.push(scope.message()?.text);
      await scope.call('wait', {}, { key: 'wait' });
      seen.push(scope.message()?.text);
      seen.push(scope.message()?.text);
      looks.push(seen);
      await scope.call('halt', {}, { key: 'halt' });
      return [...seen, scope.message()?.text].join();
    });
    const waiting = Promise.withResolvers<Json>();
    const wait = toolOf('wait', () => waiting.promise);
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools: [tool, wait] });
    const run = await stage.start(first, flow);
    await stage.send(run, { type: 'message', by: 'ann', text: 'one' });
    waiting.resolve(null);
    await calm();
    expect(done).toHaveLength(1);
    const second = stage.hire({ flows: [flow], tools: [tool, wait] });
    await stage.bury(first);
    await stage.send(run, { type: 'message', by: 'ann', text: 'two' });
    expect(done).toHaveLength(2);
    stage.hire({ flows: [flow], tools: [tool, wait] });
    await stage.bury(second);
    expect(looks).toEqual([
      [undefined, 'one', undefined],
      [undefined, 'one', undefined],
      [undefined, 'one', undefined],
    ]);
    expect((await stage.tree(run)).ended?.answer).toBe(',one,,two');
  });

  test('[E23] a look that found nothing finds nothing again, though a message has come since', async () => {
    const { tool, done } = stuck('halt', 'pure');
    const flow = flowOf(async (scope) => {
      const seen: (string | undefined)[] = [];
      await scope.parallel({
        only: async (branch) => {
          seen.push(scope.message()?.text);
          await branch.call('read', {});
          seen.push(scope.message()?.text);
          await branch.call('halt', {});
          seen.push(scope.message()?.text);
          return null;
        },
      });
      return seen.join();
    });
    const tools = [tool, toolOf('read', () => null)];
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools });
    const run = await stage.start(first, flow);
    expect(done).toHaveLength(1);
    await stage.send(run, { type: 'message', by: 'ann', text: 'late' });
    stage.hire({ flows: [flow], tools });
    await stage.bury(first);
    expect((await stage.tree(run)).ended?.answer).toBe(',,late');
  });

  test('[E63] finds every outcome that was known when the one before ended as it should', async () => {
    const paid = Promise.withResolvers<Json>();
    const pay = toolOf('pay', () => paid.promise, { effect: 'once' });
    const flow = flowOf(async (scope) => {
      const { outcome } = await scope.call('pay', {});
      await scope.ask({ title: 'Go on?' });
      return outcome;
    });
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools: [pay] }, { store: slow(stage.store) });
    const run = await stage.start(first, flow);
    paid.resolve('receipt');
    await Promise.resolve();
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
    await first.quit();
    stage.hire({ flows: [flow], tools: [pay] });
    const tree = await stage.tree(run);
    expect(stepAt(tree, 'call1')).toMatchObject({ status: 'completed', result: 'receipt', attempt: 1 });
    expect((await stage.asked(run)).map(({ title }) => title)).toEqual(['Go on?']);
  });

  test('[E30] a run that is woken is not shown as taken over', async () => {
    const flow = flowOf(async (scope) => (await scope.ask({ title: 'Go on?' })).decision);
    const stage = new Stage();
    stage.hire({ flows: [flow] });
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    expect(await stage.state(run)).toBe('waiting');
    await stage.decide(run, { decision: 'approve' });
    const took = await stage.events(run, 'worker.took');
    expect(took.map(({ reason }) => reason)).toEqual(['started', 'woken']);
    expect((await stage.tree(run)).takeovers).toBe(0);
  });

  test('[E31] ends a run that was being stopped, without running its flow', async () => {
    let flows = 0;
    const { tool } = stuck('halt', 'once');
    const flow = flowOf(async (scope) => {
      flows += 1;
      await scope.call('halt', {});
      return 'never';
    });
    const stage = new Stage();
    let isCut = false;
    const { journal } = stage.store;
    const store = {
      ...stage.store,
      journal: {
        ...journal,
        offer: undefined,
        // The worker dies between the entry of the stop and the entry of the end.
        append: (wanted: Append) =>
          wanted.ends && !isCut ? new Promise<never>(() => (isCut = true)) : journal.append(wanted),
      },
    };
    const first = stage.hire({ flows: [flow], tools: [tool] }, { store });
    const run = await stage.start(first, flow);
    await stage.send(run, { type: 'stop', by: 'ann' });
    await stage.clock.pass(300);
    expect([isCut, (await stage.tree(run)).stopping]).toEqual([true, true]);
    stage.hire({ flows: [flow], tools: [tool] });
    await stage.bury(first);
    const tree = await stage.tree(run);
    expect(tree.ended?.outcome).toBe('stopped');
    expect(flows).toBe(1);
    expect(codes(tree)).toEqual(['IN_DOUBT']);
    expect([...tree.steps.values()].map(({ status }) => status)).toEqual(['stopped', 'stopped']);
  });
});

describe('an effect that may not be repeated, begun and without an outcome', () => {
  const asksOnce = async (more: Partial<Tool> = {}) => {
    const { tool, done } = stuck('pay', 'once', more);
    const flow = flowOf(async (scope) => {
      const { outcome, ...rest } = await scope.call('pay', { amount: 5 });
      return JSON.stringify({ outcome, ...rest });
    });
    const stage = new Stage();
    const catalog = { flows: [flow], tools: [tool] };
    const first = stage.hire(catalog);
    const run = await stage.start(first, flow);
    return { stage, catalog, first, run, done };
  };

  test('[E27] is taken as done when a person approves, and nothing is repeated', async () => {
    const { stage, catalog, first, run, done } = await asksOnce();
    stage.hire(catalog);
    await stage.bury(first);
    expect(await stage.state(run)).toBe('waiting');
    expect(await stage.asked(run)).toMatchObject([
      { title: 'Did «pay» happen?', arguments: { amount: 5 }, priority: 'high' },
    ]);
    await stage.decide(run, { decision: 'approve', answer: { receipt: 7 } });
    const tree = await stage.tree(run);
    expect(JSON.parse(tree.ended?.answer as string)).toMatchObject({
      outcome: 'completed',
      result: { receipt: 7 },
    });
    expect(done).toHaveLength(1);
    expect(stepAt(tree, 'call1').attempt).toBe(1);
  });

  test('[E27] counts as not done when a person rejects, and nothing is repeated', async () => {
    const { stage, catalog, first, run, done } = await asksOnce();
    stage.hire(catalog);
    await stage.bury(first);
    await stage.decide(run, { decision: 'reject' });
    const { ended: end } = await stage.tree(run);
    expect(JSON.parse(end?.answer as string)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'unavailable' },
    });
    expect(done).toHaveLength(1);
  });

  test('[E27 E57] runs again with exactly what a person gives', async () => {
    const { stage, catalog, first, run, done } = await asksOnce();
    stage.hire(catalog);
    await stage.bury(first);
    await stage.decide(run, { decision: 'edit', arguments: { amount: 4 } });
    const tree = await stage.tree(run);
    expect(tree.ended?.outcome).toBe('completed');
    expect(done.map(({ input }) => input)).toEqual([{ amount: 5 }, { amount: 4 }]);
    expect(done[0]?.key).not.toBe(done[1]?.key);
    expect(stepAt(tree, 'call1')).toMatchObject({ attempt: 2, call: { arguments: { amount: 4 } } });
    const [decided] = await stage.events(run, 'approval.decided');
    const bound = { step: 1, attempt: 2, purpose: 'begin', bytes: { amount: 4 } } as const;
    const parts = { world: first.world, run, tree } as unknown as Execution;
    expect(decided?.fingerprint).toBe(fingerprintOf(parts, bound));
  });

  test('[E28] is asked about once, whatever crashes follow', async () => {
    const { stage, catalog, first, run, done } = await asksOnce();
    const second = stage.hire(catalog);
    await stage.bury(first);
    const [asked] = await stage.asked(run);
    await stage.send(run, { type: 'message', by: 'ann', text: 'wake up' });
    await stage.bury(second);
    const third = stage.hire(catalog);
    await stage.send(run, { type: 'message', by: 'ann', text: 'wake up again' });
    await stage.bury(third);
    expect(await stage.asked(run)).toEqual([asked]);
    stage.hire(catalog);
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.outcome).toBe('completed');
    expect(await stage.events(run, 'approval.requested')).toHaveLength(1);
    expect(done).toHaveLength(1);
  });

  test('[E28] shows what was really begun when it is in doubt a second time', async () => {
    const { stage, catalog, first, run, done } = await asksOnce({ times: 2 } as Partial<Tool>);
    const second = stage.hire(catalog);
    await stage.bury(first);
    await stage.decide(run, { decision: 'edit', arguments: { amount: 4 } });
    expect(done).toHaveLength(2);
    const third = stage.hire(catalog);
    await stage.bury(second);
    expect(await stage.asked(run)).toMatchObject([{ arguments: { amount: 4 } }]);
    await stage.bury(third);
    stage.hire(catalog);
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.outcome).toBe('completed');
    expect(await stage.events(run, 'approval.requested')).toHaveLength(2);
    expect(done).toHaveLength(2);
  });

  test('[E29] is not in doubt while it only waits for its approval', async () => {
    const { stage, catalog, first, run, done } = await asksOnce({ approval: 'always' });
    const second = stage.hire(catalog);
    await stage.bury(first);
    await stage.decide(run, { decision: 'approve' });
    expect(done).toHaveLength(1);
    expect(await stage.events(run, 'approval.requested')).toHaveLength(1);
    stage.hire(catalog);
    await stage.bury(second);
    expect(await stage.asked(run)).toMatchObject([{ title: 'Did «pay» happen?' }]);
  });

  test('[E27] a delegated turn is an effect like a call', async () => {
    const { gateway, turns } = hangingFirst([{ type: 'text.appended', text: 'do' }], []);
    const flow = flowOf(async (scope) => (await scope.turn('remote', user('delete it'))).text);
    const catalog = {
      flows: [flow],
      agents: [{ name: 'remote', description: '', effect: 'once' as const, gateway }],
    };
    const stage = new Stage();
    const first = stage.hire(catalog);
    const run = await stage.start(first, flow);
    stage.hire(catalog);
    await stage.bury(first);
    expect(await stage.asked(run)).toMatchObject([{ title: 'Did «remote» happen?', arguments: 'delete it' }]);
    await stage.decide(run, { decision: 'edit', arguments: 'keep it' });
    expect(turns.map(({ messages }) => messages.at(-1)?.text)).toEqual(['delete it', 'keep it']);
    expect(turns[0]?.idempotencyKey).not.toBe(turns[1]?.idempotencyKey);
    expect((await stage.tree(run)).ended?.outcome).toBe('completed');
  });
});

describe('a flow that is not the recorded one', () => {
  type Body = (scope: Scope) => Promise<unknown>;
  const recorded: Body = async (scope) => {
    await scope.call('note', { n: 1 }, { key: 'first' });
    await scope.step({ key: 'second' }, async () => 2);
    await scope.ask({ key: 'third', title: 'Go on?', arguments: { to: 'ann' } });
  };
  const changes: { readonly name: string; readonly body: Body; readonly says: readonly string[] }[] = [
    {
      name: 'another kind',
      body: async (scope) => {
        await scope.step({ key: 'first' }, async () => 1);
        await recorded(scope);
      },
      says: ['«first»', 'step', 'call'],
    },
    {
      name: 'other arguments',
      body: async (scope) => {
        await scope.call('note', { n: 2 }, { key: 'first' });
        await scope.step({ key: 'second' }, async () => 2);
        await scope.ask({ key: 'third', title: 'Go on?', arguments: { to: 'ann' } });
      },
      says: ['«first»', 'note'],
    },
    {
      name: 'a question about something else',
      body: async (scope) => {
        await scope.call('note', { n: 1 }, { key: 'first' });
        await scope.step({ key: 'second' }, async () => 2);
        await scope.ask({ key: 'third', title: 'Go on?', arguments: { to: 'bob' } });
      },
      says: ['«third»'],
    },
    {
      name: 'a step removed',
      body: async (scope) => {
        await scope.call('note', { n: 1 }, { key: 'first' });
        await scope.ask({ key: 'third', title: 'Go on?', arguments: { to: 'ann' } });
      },
      says: ['«second»'],
    },
    {
      name: 'a step added in the middle',
      body: async (scope) => {
        await scope.call('note', { n: 1 }, { key: 'first' });
        await scope.step({ key: 'between' }, async () => 1);
        await scope.step({ key: 'second' }, async () => 2);
        await scope.ask({ key: 'third', title: 'Go on?', arguments: { to: 'ann' } });
      },
      says: ['«between»', '«second»'],
    },
    { name: 'all steps removed', body: async () => {}, says: ['«first»'] },
    {
      name: 'a failure before the recorded steps',
      body: async () => {
        throw new RunError('internal', 'The new code is broken.');
      },
      says: ['«first»'],
    },
    {
      name: 'other work beside a changed step',
      body: async (scope) => {
        await scope.parallel({
          first: async () => 1,
          extra: async (branch) => branch.call('note', { n: 9 }),
        });
      },
      says: ['«first»', 'branch', 'call'],
    },
  ];

  test.for(changes)(
    '[E35 E36 E37 E38 E39] $name: is kept for a person until the right code is back',
    async ({ body, says }) => {
      const notes: Json[] = [];
      const note = toolOf('note', (input) => void notes.push(input) as unknown as Json);
      const versionOf = (run: Body) => ({
        flows: [flowOf(async (scope) => (await run(scope), 'done'))],
        tools: [note],
      });
      const stage = new Stage();
      const right = stage.hire(versionOf(recorded));
      const [flow] = right.world.catalog.flows;
      if (!flow) throw new Error('no flow');
      const run = await stage.start(right, flow);
      const before = await stage.entries(run);
      await right.quit();
      const wrong = stage.hire(versionOf(body));
      await stage.send(run, { type: 'message', by: 'ann', text: 'wake up' });
      const tree = await stage.tree(run);
      expect([tree.ended, tree.paused, await stage.state(run)]).toEqual([undefined, true, 'waiting']);
      expect(codes(tree)).toEqual(['FLOW_DIVERGED']);
      for (const word of says) expect(tree.notices[0]?.message).toContain(word);
      const added = (await stage.entries(run)).slice(before.length).map(({ event }) => event.type);
      expect(added).toEqual(['worker.took', 'message.queued', 'notice.posted', 'run.paused']);
      await stage.send(run, { type: 'resume', by: 'ann' });
      const again = await stage.tree(run);
      expect([again.paused, codes(again)]).toEqual([true, ['FLOW_DIVERGED', 'FLOW_DIVERGED']]);
      await wrong.quit();
      stage.hire(versionOf(recorded));
      await stage.send(run, { type: 'resume', by: 'ann' });
      await stage.decide(run, { decision: 'approve' });
      const finished = await stage.tree(run);
      expect(finished.ended).toMatchObject({ outcome: 'completed', answer: 'done' });
      expect(notes).toEqual([{ n: 1 }]);
      expect([...finished.steps.values()].map(({ key }) => key)).toEqual(['', 'first', 'second', 'third']);
    },
  );

  test('[E38] opens nothing beside the step that diverged, and names the next one that was recorded', async () => {
    const cases: { readonly before: Body; readonly now: Body; readonly says: string }[] = [
      {
        before: (scope) => scope.ask({ key: 'only', title: 'Go on?' }),
        now: (scope) => scope.parallel({ only: async () => 1, extra: async () => 2 }),
        says: '«only» is a branch now, but was recorded as a ask.',
      },
      {
        before: async (scope) => {
          scope.plan([{ key: 'planned', title: 'Planned' }]);
          await scope.step({ key: 'unplanned' }, async () => 1);
          await scope.step({ key: 'planned' }, async () => 2);
          await scope.ask({ key: 'last', title: 'Go on?' });
        },
        now: (scope) => scope.step({ key: 'new' }, async () => 1),
        says: 'The flow opens «new» where «unplanned» was recorded.',
      },
    ];
    for (const { before, now, says } of cases) {
      const versionOf = (run: Body) => ({ flows: [flowOf(async (scope) => (await run(scope), 'done'))] });
      const stage = new Stage();
      const right = stage.hire(versionOf(before));
      const [flow] = right.world.catalog.flows;
      if (!flow) throw new Error('no flow');
      const run = await stage.start(right, flow);
      const steps = (await stage.tree(run)).steps.size;
      await right.quit();
      stage.hire(versionOf(now));
      await stage.send(run, { type: 'message', by: 'ann', text: 'wake up' });
      const tree = await stage.tree(run);
      expect([tree.paused, tree.steps.size, tree.notices.map(({ message }) => message)]).toEqual([
        true,
        steps,
        [says],
      ]);
    }
  });

  test('[E39] is given back when it is resumed while another branch is still at work', async () => {
    const { tool: slow } = stuck('slow', 'pure', { times: 2 });
    const going = Promise.withResolvers<Json>();
    const work = toolOf('work', () => going.promise);
    const versionOf = (n: number) => ({
      flows: [
        flowOf(async (scope) => {
          await scope.parallel({
            busy: (branch) => branch.call('work', {}),
            other: async (branch) => {
              await branch.step({ key: `v${n}` }, async () => n);
              await branch.call('slow', {});
            },
          });
          return `v${n}`;
        }),
      ],
      tools: [slow, work],
    });
    const stage = new Stage();
    const right = stage.hire(versionOf(1));
    const [flow] = right.world.catalog.flows;
    if (!flow) throw new Error('no flow');
    const run = await stage.start(right, flow);
    const wrong = stage.hire(versionOf(2));
    await stage.bury(right);
    expect((await stage.tree(run)).paused).toBe(true);
    expect(await stage.state(run)).toBe('running');
    await stage.send(run, { type: 'resume', by: 'ann' });
    going.resolve('done');
    expect((await stage.tree(run)).paused).toBe(true);
    await wrong.quit();
    stage.hire({ ...versionOf(1), tools: [toolOf('slow', () => null), work] });
    await stage.send(run, { type: 'resume', by: 'ann' });
    expect((await stage.tree(run)).ended?.answer).toBe('v1');
  });
});

describe('over SQLite', () => {
  test('[E5 E20 E26 E27] another worker finishes what a silent one left', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-recovery-'));
    const pay = stuck('pay', 'once');
    const read = stuck('read', 'pure');
    const flow = flowOf(async (scope) => {
      const both = await scope.parallel({
        pays: (branch) => branch.call('pay', { amount: 5 }),
        reads: (branch) => branch.call('read', {}),
      });
      return `${both.pays.outcome} ${both.reads.outcome}`;
    });
    let now = Date.now();
    const inner = await sqliteStore({ folder, now: () => now });
    const world = testWorld({ flows: [flow], tools: [pay.tool, read.tool] }, { store: inner });
    const first = new Engine(world, 'w1');
    const { run } = await startRun(first, flow);
    await until(inner, run, ({ working }) => working === 2);
    while (pay.done.length + read.done.length < 2) await calm();
    now += 60_000;
    const second = new Engine({ ...world, clock: { ...world.clock, now: () => now } }, 'w2');
    const over = new AbortController();
    const working = second.work(over.signal);
    const waiting = await until(inner, run, ({ undecided }) => undecided === 1);
    const [asked] = [...waiting.approvals.values()];
    await second.send(run, {
      type: 'decide',
      by: 'ann',
      approval: asked?.approval ?? '',
      fingerprint: asked?.fingerprint ?? '',
      decision: 'approve',
    });
    const tree = await ended(inner, run);
    expect(tree.ended?.answer).toBe('completed completed');
    expect([pay.done.length, read.done.length]).toEqual([1, 2]);
    over.abort();
    await working;
    expect((await treeOf(inner, run)).seq).toBe(tree.seq);
    await inner.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
