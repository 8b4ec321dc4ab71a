import { expect, test } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Json } from '../../run/values.ts';
import { takeStray } from './composite.ts';

/** What a process does with an error nobody caught. Here the test runner has its place, so it is said outright. */
function leave(taken: boolean[]): void {
  setImmediate(() => taken.push(takeStray(new Error('left behind'))));
}

const hang = (): Promise<Json> => new Promise(() => {});
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('[E130] an error that a tool leaves behind fails its own call, and the flow reads it', async () => {
  const taken: boolean[] = [];
  const careless = toolOf('careless', () => {
    leave(taken);
    return hang();
  });
  const flow = flowOf(async (scope) => {
    const [bad, good] = await Promise.all([
      scope.call('careless', {}, { key: 'bad' }),
      scope.call('careful', {}, { key: 'good' }),
    ]);
    return `${JSON.stringify(bad)} ${good.outcome}`;
  });
  const stage = new Stage();
  const tools = [careless, toolOf('careful', () => 1)];
  const run = await stage.start(stage.hire({ flows: [flow], tools }), flow);
  await turn();
  const { ended } = await stage.tree(run);
  expect(taken).toEqual([true]);
  expect(ended?.answer).toMatch(
    /^{"outcome":"failed","failure":{"code":"internal","message":"«careless» left an error that nobody caught; .* completed$/,
  );
  expect(stage.problems.map(({ cause }) => String(cause))).toContain('Error: left behind');
});

test('[E130] one that a flow leaves behind fails the innermost step it was in', async () => {
  const taken: boolean[] = [];
  const flow = flowOf(async (scope) => {
    const inner = scope.step({ key: 'inner', title: 'Inner' }, () => {
      leave(taken);
      return hang();
    });
    return inner.catch((error: Error) => `caught: ${error.message}`) as Promise<string>;
  });
  const stage = new Stage();
  const run = await stage.start(stage.hire({ flows: [flow] }), flow);
  await turn();
  const tree = await stage.tree(run);
  expect(stepAt(tree, 'inner').status).toBe('failed');
  expect(tree.ended).toMatchObject({
    outcome: 'completed',
    answer: expect.stringMatching(/^caught: «Inner» left/),
  });
});

test('[E130] one that a flow leaves outside of any step of its own fails the run', async () => {
  const flow = flowOf(() => {
    leave([]);
    return new Promise(() => {});
  });
  const stage = new Stage();
  const run = await stage.start(stage.hire({ flows: [flow] }), flow);
  await turn();
  expect((await stage.tree(run)).ended).toMatchObject({ outcome: 'failed', failure: { code: 'internal' } });
});

test('[E131] one that comes when its step is closed is logged and shown there', async () => {
  const go = Promise.withResolvers<void>();
  const late = toolOf('late', () => {
    setTimeout(() => {
      takeStray(new Error('too late'));
      go.resolve();
    }, 5);
    return 1;
  });
  const flow = flowOf(async (scope) => {
    await scope.call('late', {}, { key: 'late' });
    await scope.call('wait', {}, { key: 'wait' });
    return 'done';
  });
  const stage = new Stage();
  const tools = [late, toolOf('wait', () => go.promise.then(() => 1))];
  const run = await stage.start(stage.hire({ flows: [flow], tools }), flow);
  await go.promise;
  await calm();
  const tree = await stage.tree(run);
  expect(stepAt(tree, 'late').status).toBe('completed');
  expect(codes(tree)).toEqual(['STRAY_ERROR']);
  expect(tree.ended?.outcome).toBe('completed');
});

test('[E132] what is written of a run is nobody’s: an error of ours is not taken for theirs', async () => {
  const taken: boolean[] = [];
  const stage = new Stage();
  const { journal } = stage.store;
  const append: typeof journal.append = async (wanted) => {
    await journal.append(wanted);
    taken.push(takeStray(new Error('of the store')));
  };
  const says = toolOf('says', (_, context) => {
    context.say('hello');
    return 1;
  });
  const flow = flowOf(async (scope) => String((await scope.call('says', {})).outcome));
  const store = { ...stage.store, journal: { ...journal, append, offer: undefined } };
  const run = await stage.start(stage.hire({ flows: [flow], tools: [says] }, { store }), flow);
  expect((await stage.tree(run)).ended?.answer).toBe('completed');
  expect(taken.length).toBeGreaterThan(0);
  expect(taken).not.toContain(true);
});
