import { describe, expect, test } from 'vitest';
import { Stage } from '../../test/stage.ts';
import { answerIn, graphOf, outline, runOf, workflowFlow } from '../../test/workflow/world.ts';
import { toolOf } from '../../test/world.ts';
import { localTenant } from '../run/owner.ts';
import type { Json } from '../run/values.ts';
import type { Store } from '../stores/store.ts';

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
  else if (what === 'archived')
    await definitions.move({ ...key(name), version: 1, state: 'archived', by: 'bob' });
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
