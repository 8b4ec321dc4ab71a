import { describe, expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { answerIn, graphOf, outline, runOf, workflowFlow } from '../../../test/workflow/world.ts';
import type { Flow } from '../../engine/scope.ts';
import { toolOf } from '../../../test/world.ts';
import { localTenant } from '../../run/owner.ts';
import type { Json } from '../../run/values.ts';
import type { Store } from '../../stores/store.ts';

const catalog = { flows: [workflowFlow], tools: [toolOf('note', (input) => input)] };
const key = (name: string) => ({ tenant: localTenant, kind: 'workflow', name });
const template = (id: string, value: Json) => ({ id, type: 'template', value });
const calls = (workflow: string, more: object = {}) => ({ id: 'inner', type: 'workflow', workflow, ...more });

async function play(graphs: readonly object[], data?: Json) {
  const stage = new Stage();
  const worker = stage.hire(catalog);
  const [first, ...others] = graphs;
  for (const other of others) await runOf(stage.store, other as { name: string });
  const run = await stage.start(
    worker,
    workflowFlow,
    await runOf(stage.store, first as { name: string }, data),
  );
  return { stage, run, worker };
}

const asking = (what: string) => ({
  ...graphOf(
    [
      { id: 'ask', type: 'human', shows: `{{input.n}} ${what}` },
      template('said', `{{nodes.ask.output.value}}`),
    ],
    'ask.approved>said',
  ),
  name: 'asking',
});
const outer = { ...graphOf([calls('asking', { input: { n: '{{input.n + 1}}' } })], ''), name: 'outer' };

/** What may become of a definition while a run of it waits. */
async function spoil(
  definitions: Store['definitions'],
  what: 'changed' | 'broken' | 'archived' | 'erased',
  name: string,
): Promise<void> {
  const bodies = { changed: { ...asking('new'), name }, broken: { name, nodes: 'none' } };
  if (what === 'erased') await definitions.erase(key(name));
  else if (what === 'archived') await definitions.move({ ...key(name), version: 1, state: 'archived' });
  else await definitions.publish({ ...key(name), body: JSON.stringify(bodies[what]), by: 'bob' });
}

describe('[WF17] a workflow in another', () => {
  test('is recorded first, sees its own input alone, and gives what it comes to', async () => {
    const { stage, run } = await play([outer, asking('old')], { n: 1 });
    await stage.decide(run, { decision: 'approve' });
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('2 old');
    expect(outline(tree).filter((line) => line.startsWith('inner'))).toEqual([
      'inner completed',
      'inner/ask completed',
      'inner/ask/ask 1 completed',
      'inner/end completed',
      'inner/said completed',
      'inner/start completed',
      'inner/the definition completed',
    ]);
  });

  test.for(['changed', 'broken', 'archived', 'erased'] as const)(
    'goes on as it was recorded once it is %s, whoever works on',
    async (what) => {
      const { stage, run, worker } = await play([outer, asking('old')], { n: 1 });
      await worker.quit();
      for (const name of ['asking', 'outer']) await spoil(stage.store.definitions, what, name);
      stage.hire(catalog);
      await stage.decide(run, { decision: 'approve' });
      expect((await stage.tree(run)).ended?.answer).toBe('2 old');
      expect((await stage.tree(run)).notices).toEqual([]);
    },
  );

  test('that is not there, or whose input does not fit, is a failure of its node', async () => {
    const missing = graphOf(
      [calls('nobody'), template('why', '{{nodes.inner.error}}')],
      'inner.failed>why why>end',
    );
    const { stage, run } = await play([missing]);
    expect(answerIn(await stage.tree(run))).toEqual({
      code: 'unknown',
      message: 'There is no published workflow «nobody».',
    });
    const strict = { ...asking('x'), input: { type: 'object', required: ['m'] } };
    const unfit = await play([outer, strict], { n: 1 });
    expect((await unfit.stage.tree(unfit.run)).ended?.failure?.message).toMatch(
      /input of «asking» does not fit: .*m/,
    );
  });

  test.for([
    [['a'], 'a → a → a'],
    [['a', 'b'], 'a → b → a'],
  ] as const)('that calls itself over %j comes to an end, and says why', async ([names, path]) => {
    const graphs = names.map((name, i) => ({
      ...graphOf([calls(names[(i + 1) % names.length] ?? name)], ''),
      name,
    }));
    const { stage, run } = await play(graphs);
    const tree = await stage.tree(run);
    expect(tree.ended?.failure).toMatchObject({ code: 'over-budget' });
    expect(tree.ended?.failure?.message).toContain(`too deeply, 8 are the most: ${path}`);
  });
});

const says = (name: string, what: string) => ({
  ...graphOf([template('said', what)], ''),
  name,
});
const middle = { ...graphOf([calls('low')], ''), name: 'middle' };
const rounds = { nodes: [calls('middle')], edges: [] };
const waiting = {
  ...graphOf(
    [
      { id: 'ask', type: 'human', shows: '?' },
      { id: 'each', type: 'loop', times: 1, max: 1, body: rounds },
      template('last', '{{nodes.each.output.last}}'),
    ],
    'ask.approved>each each>last',
  ),
  name: 'waiting',
};

/** As runs were recorded before workflows were looked up ahead. */
const before: Flow = {
  ...workflowFlow,
  run(scope, input) {
    const without = new Proxy(scope, {
      get(target, name) {
        if (name === 'lookAhead') return () => Promise.resolve(null);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    return workflowFlow.run(without, input);
  },
};

describe('[WF40] workflows that a run may come to', () => {
  test.for(['changed', 'broken', 'archived', 'erased'] as const)(
    'are those of its beginning, also inside others, once they are %s',
    async (what) => {
      const { stage, run, worker } = await play([waiting, middle, says('low', 'old')]);
      await worker.quit();
      for (const name of ['middle', 'low']) await spoil(stage.store.definitions, what, name);
      stage.hire(catalog);
      await stage.decide(run, { decision: 'approve' });
      const tree = await stage.tree(run);
      expect(tree.ended?.answer).toBe('old');
      expect(tree.notices).toEqual([]);
      expect(outline(tree).filter((line) => line.startsWith('workflow '))).toEqual([
        'workflow low completed',
        'workflow middle completed',
      ]);
    },
  );

  test('and are not there yet, are looked up when a node comes to them', async () => {
    const { stage, run } = await play([waiting, middle]);
    await runOf(stage.store, says('low', 'late'));
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('late');
    const never = await play([waiting, middle]);
    await never.stage.decide(never.run, { decision: 'approve' });
    expect((await never.stage.tree(never.run)).ended?.failure?.message).toBe(
      'There is no published workflow «low».',
    );
  });

  test('are looked up as ever by a run that has gone on without that', async () => {
    const stage = new Stage();
    const worker = stage.hire({ ...catalog, flows: [before] });
    for (const other of [middle, says('low', 'old')]) await runOf(stage.store, other);
    const run = await stage.start(worker, before, await runOf(stage.store, waiting));
    await worker.quit();
    await runOf(stage.store, says('low', 'new'));
    stage.hire(catalog);
    await stage.decide(run, { decision: 'approve' });
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('new');
    expect(tree.notices).toEqual([]);
    expect(outline(tree).filter((line) => line.startsWith('workflow '))).toEqual([]);
  });
});
