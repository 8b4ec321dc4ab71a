import { describe, expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { answerIn, graphOf, partOf, runOf, workflowFlow } from '../../../test/workflow/world.ts';
import { toolOf } from '../../../test/world.ts';
import { failureOf } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';

type Drawn = Parameters<typeof graphOf>[0];

const template = (id: string, value: Json) => ({ id, type: 'template', value });
const note = { id: 'note', type: 'tool', tool: 'note', arguments: { item: '{{item}}' } };
const million = Array.from({ length: 1_000_000 }, () => 0);

/** How a run of it ends, or why none begins, and how often something was done. Nothing here looks at a clock. */
async function endOf(graph: object, data: Json) {
  const stage = new Stage();
  let done = 0;
  const tools = [toolOf('note', () => (done += 1)), toolOf('say', () => '{{input.secret}}')];
  const worker = stage.hire({ flows: [workflowFlow], tools });
  try {
    const wanted = await runOf(stage.store, graph as { name: string }, data);
    const tree = await stage.tree(await stage.start(worker, workflowFlow, wanted));
    return { stage, done, tree, why: tree.ended?.failure?.message ?? '' };
  } catch (thrown) {
    return { stage, done, tree: undefined, why: failureOf(thrown).message };
  }
}

const hostile: readonly (readonly [string, object, Json, RegExp])[] = [
  [
    'a pattern that is tried in every way, in the schema of the input',
    { ...graphOf([template('a', 'x')], ''), input: { properties: { text: { pattern: '^(a+)+$' } } } },
    { text: `${'a'.repeat(20_000)}!` },
    /input of «g» does not fit: .*text/,
  ],
  [
    'the same pattern in an expression',
    graphOf([template('a', '{{input.text.matches("^(a+)+$")}}')], ''),
    { text: `${'a'.repeat(50)}!` },
    /Use «fits» instead of «matches»/,
  ],
  [
    'a list gone through inside another',
    graphOf([template('a', '{{input.list.map(x, input.list.map(y, x + y))}}')], ''),
    { list: [1, 2] },
    /cannot be gone through inside another one/,
  ],
  ['what every object inherits', graphOf([template('a', '{{input.__proto__}}')], ''), {}, /No such key/],
  ['who made an object', graphOf([template('a', '{{input.constructor}}')], ''), {}, /No such key/],
  [
    'a map over a million',
    graphOf([{ id: 'm', type: 'map', items: 'input.list', body: partOf([note], '') }], ''),
    { list: million },
    /has 1000000 items; 1000 are the most/,
  ],
  [
    'maps in maps in maps',
    graphOf([mapIn(3)], ''),
    { list: million.slice(0, 1_000) },
    /limits\.calls: It may come to 1000000000 calls/,
  ],
];

function mapIn(levels: number): Drawn[number] {
  const body = partOf([levels === 1 ? note : mapIn(levels - 1)], '');
  return { id: `m${levels}`, type: 'map', items: 'input.list', body };
}

describe('[WF32] what would cost too much, or is not the data’s own, is refused by counting:', () => {
  test.for(hostile)('%s', async ([, graph, data, words]) => {
    const { why, done, tree } = await endOf(graph, data);
    expect(why).toMatch(words);
    expect([done, tree?.ended?.outcome ?? 'failed']).toEqual([0, 'failed']);
  });

  test('a loop over thousands, which ends at its cap and says so', async () => {
    const loop = { id: 'l', type: 'loop', over: 'input.list', max: 3, body: partOf([note], '') };
    const { tree, done } = await endOf(
      graphOf([loop, template('left', '{{nodes.l.output.rounds}}')], 'l.exhausted>left'),
      { list: million.slice(0, 5_000) },
    );
    expect([tree?.ended?.answer, done]).toEqual(['3', 3]);
  });
});

test('[WF32] nodes, ports and fields may be called like what every object has, and mean themselves', async () => {
  const data = JSON.parse('{"__proto__": {"polluted": true}, "toString": "mine"}') as Json;
  const graph = graphOf(
    [
      { id: 'constructor', type: 'branch', cases: [{ port: 'valueOf', when: 'input.toString == "mine"' }] },
      template('toString', '{{input}}'),
      template('hasOwnProperty', 'never'),
      { id: 'all', type: 'merge', of: ['toString', 'constructor'] },
    ],
    'constructor.valueOf>toString constructor.otherwise>hasOwnProperty toString>all hasOwnProperty>all',
  );
  const { tree } = await endOf(graph, data);
  expect(tree?.ended?.outcome).toBe('completed');
  const answer = answerIn(tree ?? expect.fail('it did not begin')) as Record<string, object>;
  expect(Object.keys(answer)).toEqual(['toString', 'constructor']);
  expect(JSON.stringify(answer['toString'])).toBe(JSON.stringify(data));
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
});

test('[WF16] what tools say and people write is never read as a template either', async () => {
  const graph = graphOf(
    [
      { id: 'say', type: 'tool', tool: 'say' },
      { id: 'ask', type: 'human', shows: '{{nodes.say.output}}', allowed: ['edit'] },
      template('end1', '{{nodes.say.output}} {{nodes.ask.output.value}}'),
    ],
    'say>ask ask.approved>end1',
  );
  const { stage, tree } = await endOf(graph, { secret: 's' });
  const [row] = await stage.store.dispatch.list({ tenant: 'local' });
  expect(tree?.ended).toBeUndefined();
  await stage.decide(row?.run ?? '', { decision: 'edit', arguments: '{{input.secret}} {{1 + 1}}' });
  const after = await stage.tree(row?.run ?? '');
  expect(after.ended?.answer).toBe('{{input.secret}} {{input.secret}} {{1 + 1}}');
});
