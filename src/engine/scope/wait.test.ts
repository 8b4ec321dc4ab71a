import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { agentOf, flowOf, toolOf } from '../../../test/world.ts';
import { flatTree } from '../../run/flat-tree.ts';
import { isAtWork, runStatus } from '../../run/tree.ts';
import type { Scope } from '../scope.ts';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

/** Waits so long, and tells when it was over. */
const waits = (long: number) => (scope: Scope) =>
  scope.step({ key: 'pause', title: 'Pause' }, async (pause) => {
    const { until } = await pause.wait({ until: pause.openedAt + long });
    return `over at ${until - pause.openedAt}`;
  });

describe('a wait', () => {
  test('[E300 E302] of forty days is parked, over restarts, and goes on once its time has come', async () => {
    const stage = new Stage();
    const flow = flowOf(waits(40 * day));
    const catalog = { flows: [flow] };
    const first = stage.hire(catalog);
    const run = await stage.start(first, flow, { limits: { seconds: 60 } });
    const began = stage.clock.now();
    expect(await stage.state(run)).toBe('waiting');
    expect(await stage.store.dispatch.get(run)).toMatchObject({ worker: null, wakeAt: began + 40 * day });
    await first.quit();
    for (let days = 0; days < 39; days += 13) {
      await stage.clock.pass(13 * day - 30 * second);
      const worker = stage.hire(catalog);
      await stage.clock.pass(30 * second);
      expect(await stage.state(run)).toBe('waiting');
      await worker.quit();
    }
    await stage.clock.pass(day - 30 * second);
    stage.hire(catalog);
    await stage.clock.pass(29 * second);
    expect((await stage.tree(run)).ended).toBeUndefined();
    await stage.clock.pass(3 * second);
    const tree = await stage.tree(run);
    expect(tree.ended).toMatchObject({ outcome: 'completed', answer: `over at ${40 * day}` });
    expect(stepAt(tree, 'wait1')).toMatchObject({ kind: 'wait', status: 'completed', attempt: 1 });
    expect(tree.spent.milliseconds).toBeLessThan(10 * second);
    expect([tree.approvals.size, codes(tree), tree.takeovers]).toEqual([0, [], 0]);
    expect(stage.problems).toEqual([]);
  });

  test('[E301] is a step of its own kind that says when it is over, and asks nobody', async () => {
    const stage = new Stage();
    const flow = flowOf(waits(hour));
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    const tree = await stage.tree(run);
    const until = stage.clock.now() + hour;
    expect(flatTree(tree).steps.find(({ kind }) => kind === 'wait')).toMatchObject({
      title: 'Wait until 2023-11-14 23:13 UTC',
      status: 'running',
      until,
    });
    expect([runStatus(tree), isAtWork(tree), tree.approvals.size]).toEqual(['running', false, 0]);
  });

  test('[E302] that is too near to park for, and one beside work, count as no work either', async () => {
    const stage = new Stage();
    let end = (): void => {};
    const work = toolOf('work', () => new Promise((resolve) => (end = () => resolve('done'))));
    const flow = flowOf(async (scope) => {
      await waits(10 * second)(scope);
      const branches = { rest: waits(10 * second), busy: (branch: Scope) => branch.call('work', {}) };
      await scope.parallel(branches);
      return 'done';
    });
    const run = await stage.start(stage.hire({ flows: [flow], tools: [work] }), flow);
    expect(await stage.state(run)).toBe('running');
    await stage.clock.pass(10 * second);
    expect((await stage.tree(run)).spent.milliseconds).toBe(0);
    await stage.clock.pass(4 * second);
    end();
    await stage.clock.pass(10 * second);
    const tree = await stage.tree(run);
    expect([tree.ended?.answer, tree.spent.milliseconds]).toEqual(['done', 4 * second]);
  });

  test('[E300] goes by the store’s clock, however wrong the worker’s is', async () => {
    const stage = new Stage();
    const flow = flowOf(waits(hour));
    const run = await stage.start(
      stage.hire({ flows: [flow] }, { clock: stage.clock.elsewhere(2 * hour) }),
      flow,
    );
    await stage.clock.pass(hour - second);
    expect((await stage.tree(run)).ended).toBeUndefined();
    await stage.clock.pass(3 * second);
    expect((await stage.tree(run)).ended?.answer).toBe(`over at ${hour}`);
  });

  test('[E303] keeps the time that was recorded, whatever the flow says later', async () => {
    const stage = new Stage();
    let long = 2 * hour;
    const flow = flowOf(async (scope) => {
      await scope.wait({ until: scope.openedAt + long });
      return 'over';
    });
    const first = stage.hire({ flows: [flow] });
    const run = await stage.start(first, flow);
    long = day;
    await stage.clock.pass(2 * hour + 2 * second);
    expect((await stage.tree(run)).ended?.answer).toBe('over');
  });

  test('[E304] holds up its own branch only, and a stop and a pause reach it', async () => {
    const stage = new Stage();
    const flow = flowOf(async (scope) => {
      const done = await scope.parallel({
        rest: waits(hour),
        talk: (branch: Scope) => branch.turn('model', { messages: [{ role: 'user', text: 'hi' }] }),
      });
      return done.rest;
    });
    const catalog = { flows: [flow], agents: [agentOf('model', () => [{ type: 'say', text: 'hello' }])] };
    const worker = stage.hire(catalog);
    const [paused, stopped] = [await stage.start(worker, flow), await stage.start(worker, flow)];
    expect(stepAt(await stage.tree(paused), 'talk').status).toBe('completed');
    await stage.send(paused, { type: 'pause', by: 'ann' });
    await stage.send(stopped, { type: 'stop', by: 'ann' });
    expect(stepAt(await stage.tree(stopped), 'wait1').status).toBe('stopped');
    await stage.clock.pass(2 * hour);
    const waiting = await stage.tree(paused);
    expect([stepAt(waiting, 'wait1').status, await stage.state(paused)]).toEqual(['running', 'waiting']);
    await stage.send(paused, { type: 'resume', by: 'ann' });
    await stage.clock.pass(2 * second);
    expect((await stage.tree(paused)).ended?.answer).toBe(`over at ${hour}`);
  });

  test('[E303] for a time that is over goes on at once, and one for no time is malformed', async () => {
    const stage = new Stage();
    const flow = flowOf(async (scope) => {
      await scope.wait({ key: 'past', until: 5 });
      return scope.wait({ key: 'never', until: Number.NaN }).then(() => 'over', String);
    });
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    await stage.clock.pass(second);
    expect((await stage.tree(run)).ended?.answer).toContain(
      '«until» of «never» must be a time: milliseconds since 1970.',
    );
  });
});
