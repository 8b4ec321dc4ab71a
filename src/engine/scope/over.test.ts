import { expect, test } from 'vitest';
import { Stage, stepAt } from '../../../test/stage.ts';
import { outline } from '../../../test/workflow/world.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { Json } from '../../run/values.ts';
import type { Scope } from '../scope.ts';

const reason = 'Nobody needs it.';

/** Asks far below a step of a graph that may be over, and waits beside it. */
function asking(over: Promise<string>, then: (scope: Scope) => Promise<string> = async () => 'done') {
  const deep = (scope: Scope, levels: number): Promise<unknown> =>
    levels === 0
      ? scope.ask({ title: 'Ann?' })
      : scope.step({ key: 'deep' }, async (inner) => void (await deep(inner, levels - 1)));
  const asks = (scope: Scope) =>
    scope.parallel({
      ann: async (branch) => void (await deep(branch, 9)),
      pause: (branch) => branch.wait({ until: 4_000_000_000_000 }),
    });
  return flowOf(async (scope) => {
    const ends = await scope.graph({
      asks: { over, run: asks },
      other: { run: (node) => node.call('work', {}) },
      after: { after: ['asks'], run: async (_, { asks: end }) => end?.outcome ?? '' },
    });
    return `${JSON.stringify(ends.asks)} ${JSON.stringify(ends.after)} ${await then(scope)}`;
  });
}

test('[E350] what nobody needs any more is skipped with all below it, in one go', async () => {
  const stage = new Stage();
  const over = Promise.withResolvers<string>();
  const flow = asking(over.promise);
  const work = Promise.withResolvers<Json>();
  const run = await stage.start(
    stage.hire({ flows: [flow], tools: [toolOf('work', () => work.promise)] }),
    flow,
  );
  expect((await stage.asked(run)).map(({ title }) => title)).toEqual(['Ann?']);
  over.resolve(reason);
  await calm();
  work.resolve('worked');
  const tree = await stage.tree(run);
  expect(tree.ended?.answer).toBe(
    `{"outcome":"skipped","reason":"${reason}"} {"outcome":"completed","result":"skipped"} done`,
  );
  expect([...tree.approvals.values()].map(({ lapsedBecause }) => lapsedBecause)).toEqual([reason]);
  expect(outline(tree, ({ key }) => !/deep|ask1|call/.test(key))).toEqual([
    'after completed',
    'asks skipped',
    'asks/ann abandoned',
    'asks/pause abandoned',
    'asks/pause/wait1 abandoned',
    'other completed',
  ]);
  expect(stepAt(tree, 'asks').failure).toEqual({ code: 'refused', message: reason });
  expect(stage.problems).toEqual([]);
});

test('[E350] a worker that finds it over has nothing of it left to go through', async () => {
  const stage = new Stage();
  const never = asking(new Promise(() => {}));
  const tools = [toolOf('work', () => 'worked')];
  const first = stage.hire({ flows: [never], tools });
  const run = await stage.start(first, never);
  expect(await stage.asked(run)).toHaveLength(1);
  await stage.bury(first);
  await stage.send(run, { type: 'message', by: 'ann', text: 'Hello.' });
  const next = asking(Promise.resolve(reason), async (scope) => scope.message()?.text ?? 'nothing said');
  stage.hire({ flows: [next], tools });
  await stage.clock.pass(20_000);
  const tree = await stage.tree(run);
  expect([tree.ended?.answer, stage.problems]).toEqual([expect.stringMatching(/ Hello\.$/), []]);
  expect(outline(tree)).toContain('asks skipped');
});
