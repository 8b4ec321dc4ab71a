import { describe, expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { answerIn, answering, graphOf, runOf, workflowFlow } from '../../../test/workflow/world.ts';
import type { Json } from '../../run/values.ts';

async function play(graph: ReturnType<typeof graphOf>, said: readonly string[] = []) {
  const stage = new Stage();
  const told: string[] = [];
  const answers = [...said];
  const model = answering('model', (text) => {
    told.push(text);
    return answers.shift() ?? `said ${text.length}`;
  });
  const catalog = { flows: [workflowFlow], agents: [model] };
  const worker = stage.hire(catalog);
  const run = await stage.start(worker, workflowFlow, await runOf(stage.store, graph));
  return { stage, run, told, worker, catalog, tree: await stage.tree(run) };
}

const template = (id: string, value: Json) => ({ id, type: 'template', value });
const prompt = (more: object = {}) =>
  graphOf([{ id: 'p', type: 'prompt', agent: 'model', message: 'Say it.', ...more }], '');

describe('[WF20] a prompt that wants JSON', () => {
  const answer = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } };

  test('gives what fits, wherever it stands in the answer', async () => {
    const { tree } = await play(prompt({ answer }), ['Here: ```json\n{"n": 3}\n```']);
    expect(answerIn(tree)).toEqual({ n: 3 });
  });

  test('is asked once more with the reason, and then fails', async () => {
    const { tree, told } = await play(prompt({ answer }), ['{"n": "x"}', 'nothing']);
    expect(told[1]).toMatch(/does not fit: n must be number.*JSON Schema: \{"type":"object"/);
    expect(tree.ended?.failure?.message).toBe(
      'model was asked twice for JSON, and its answer does not fit: there is no JSON in it.',
    );
  });
});

test.for(['agent', 'prompt'])(
  '[WF24] of an answer in sections, %s gives what a person reads',
  async (type) => {
    const sections =
      '---QUERY---\nSELECT 1\n---RESULTS---\n{}\n---ANALYSIS---\nAll is well.\n---CITATIONS---\n[KB-1]';
    const graph = graphOf([{ id: 'p', type, agent: 'model', message: 'How is it?' }], '');
    expect((await play(graph, [sections])).tree.ended?.answer).toBe('All is well.\n\nSources:\n[KB-1]');
    expect((await play(graph, [' as it is\n'])).tree.ended?.answer).toBe(' as it is\n');
  },
);

describe('[WF21] a merge', () => {
  const both = [template('a', 'A'), template('b', { b: 1 }), template('c', 'C')];
  const branch = { id: 'way', type: 'branch', cases: [{ port: 'never', when: 'false' }] };
  const merged = (more: object) =>
    graphOf(
      [branch, ...both, { id: 'm', type: 'merge', ...more }],
      'way.otherwise>a way.otherwise>b way.never>c a>m b>m c>m',
    );

  test.for([
    [{}, { a: 'A', b: { b: 1 } }],
    [{ how: 'list' }, ['A', { b: 1 }]],
    [{ of: ['b'], how: 'list' }, [{ b: 1 }]],
  ] as const)('gives what led to it, or what it names: %j', async ([more, output]) => {
    expect(answerIn((await play(merged(more))).tree)).toEqual(output);
  });

  test('joins texts, or has an agent make one of them', async () => {
    expect((await play(merged({ how: 'text' }))).tree.ended?.answer).toBe('A\n\n---\n\n{"b":1}');
    const { tree, told } = await play(merged({ how: 'agent', agent: 'model' }), ['one text']);
    expect(tree.ended?.answer).toBe('one text');
    expect(told[0]).toMatch(/A\n\n---\n\n\{"b":1\}$/);
  });

  test('that takes the first begins then, and whoever recovers it finds who that was', async () => {
    const graph = graphOf(
      [
        { id: 'slow', type: 'human' },
        { id: 'quick', type: 'human' },
        { id: 'm', type: 'merge', first: true },
        { id: 'more', type: 'human', shows: '{{nodes.m.output.by}}' },
        template('told', '{{nodes.m.output}}'),
        template('also', '{{nodes.slow.output.by}}'),
      ],
      'slow.approved>m slow.approved>also quick.approved>m m>more more.approved>told',
    );
    const { stage, run, worker, catalog } = await play(graph);
    const questionOf = async (title: string) =>
      (await stage.asked(run)).find((one) => one.title === title)?.approval ?? '';
    await stage.decide(run, { approval: await questionOf('quick'), by: 'quick' });
    expect((await stage.asked(run)).map(({ title }) => title)).toEqual(['slow', 'more']);
    await stage.decide(run, { approval: await questionOf('slow'), by: 'slow' });
    await worker.quit();
    stage.hire(catalog);
    await stage.decide(run, { approval: await questionOf('more') });
    expect(answerIn(await stage.tree(run))).toMatchObject({ told: { by: 'quick' }, also: 'slow' });
  });
});

test('[WF23] a question that a merge did not wait for is not waited for, whatever its answer would lead to', async () => {
  const graph = graphOf(
    [{ id: 'slow', type: 'human' }, template('quick', 'B'), { id: 'm', type: 'merge', first: true }],
    'slow.approved>m quick>m',
  );
  const { stage, run } = await play(graph);
  expect((await stage.tree(run)).ended?.answer).toBe('B');
});

describe('[WF22] a guard', () => {
  const graph = (settings: Json) =>
    graphOf(
      [
        { id: 'g', type: 'guard', text: 'Write to ann@example.com.', settings },
        template('no', '{{nodes.g.output.violations}}'),
      ],
      'g.blocked>no no>end g>end',
    );

  test('hides what it finds, or does not let it pass', async () => {
    const { tree } = await play(graph([{ guard: 'pii', action: 'redact' }]));
    expect(tree.ended?.answer).toMatch(/^Write to \[.*\]\.$/);
    const blocked = await play(graph([{ guard: 'pii', action: 'block' }]));
    expect(answerIn(blocked.tree)).toEqual(['email']);
  });

  test('says which setting does not fit', async () => {
    const { tree } = await play(graph([{ guard: 'pii', action: 'eat' }]));
    expect(tree.ended?.failure?.message).toMatch(/«settings\.0\.action» of «g»/);
  });
});
