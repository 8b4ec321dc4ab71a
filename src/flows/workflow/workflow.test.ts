import { describe, expect, test } from 'vitest';
import { RunError } from '../../run/failure.ts';
import type { RunTree } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import { Stage } from '../../../test/stage.ts';
import { answerIn, graphOf, runOf, workflowFlow } from '../../../test/workflow/world.ts';
import { toolOf } from '../../../test/world.ts';

const tools = [
  toolOf('note', (input) => input, { effect: 'idempotent' }),
  toolOf('connection_crm_get', (input) => input),
  toolOf('break', () => {
    throw new RunError('unavailable', 'It is down.');
  }),
];

async function play(graph: ReturnType<typeof graphOf>, data?: Json) {
  const stage = new Stage();
  const worker = stage.hire({ flows: [workflowFlow], tools });
  const run = await stage.start(worker, workflowFlow, await runOf(stage.store, graph, data));
  return { stage, run, tree: await stage.tree(run) };
}

function shown(tree: RunTree): string[] {
  return [...tree.steps.values()]
    .filter(({ parent, id }) => parent === 0 && id !== 0)
    .map(({ key, status }) => `${key} ${status}`);
}

const note = (id: string, value: Json = id) => ({ id, type: 'tool', tool: 'note', arguments: { value } });

describe('[WF1] a node', () => {
  test('is a step whose key is its id, whose kind is its type, and whose result is what it gave', async () => {
    const { tree } = await play(
      graphOf([note('a'), { id: 'b', type: 'template', value: '{{nodes.a.output.value}}!' }], 'a>b'),
    );
    const steps = [...tree.steps.values()].filter(({ id }) => id !== 0);
    expect(steps.map(({ key, kind, result }) => ({ key, kind, result }))).toEqual([
      { key: 'start', kind: 'start', result: { port: 'done', output: { text: 'hello' } } },
      { key: 'a', kind: 'tool', result: { port: 'done', output: { value: 'a' } } },
      { key: 'b', kind: 'template', result: { port: 'done', output: 'a!' } },
      { key: 'end', kind: 'end', result: { port: 'done', output: 'a!' } },
      { key: 'call1', kind: 'call', result: { value: 'a' } },
    ]);
    expect(tree.ended?.answer).toBe('a!');
  });
});

describe('[WF2] a join', () => {
  const branch = {
    id: 'way',
    type: 'branch',
    cases: [
      { port: 'left', when: 'input.n < 0' },
      { port: 'right', when: 'input.n > 0' },
    ],
  };
  const joined = graphOf(
    [branch, note('a'), note('a2'), note('b'), note('join')],
    'way.left>a a>a2 way.right>b a2>join b>join',
  );

  test.for([
    [-1, ['a completed', 'a2 completed', 'b skipped', 'join completed']],
    [1, ['a skipped', 'a2 skipped', 'b completed', 'join completed']],
    [0, ['a skipped', 'a2 skipped', 'b skipped', 'join skipped']],
  ] as const)('after a branch with %s waits for what comes, and for nothing else', async ([n, expected]) => {
    const { tree } = await play(joined, { n });
    expect(shown(tree).slice(2, -1)).toEqual(expected);
    expect(tree.ended?.outcome).toBe(n === 0 ? 'failed' : 'completed');
    if (n === 0) expect(tree.ended?.failure?.message).toMatch(/came to no end/);
  });
});

describe('[WF3] a failure', () => {
  test('leaves by its port, where something goes on from there, and says why', async () => {
    const { tree } = await play(
      graphOf(
        [
          { id: 'x', type: 'tool', tool: 'break' },
          { id: 'why', type: 'template', value: '{{nodes.x.error.message}}' },
        ],
        'x.failed>why why>end',
      ),
    );
    expect(shown(tree)).toEqual(['start completed', 'x failed', 'why completed', 'end completed']);
    expect(tree.ended?.answer).toBe('It is down.');
  });

  test('else ends the graph: nothing new begins, and the first in the order of nodes is its failure', async () => {
    const { tree } = await play(
      graphOf(
        [
          note('a'),
          { id: 'x', type: 'tool', tool: 'break' },
          { id: 'y', type: 'tool', tool: 'missing' },
          note('b'),
        ],
        'a>b x>b y>b',
      ),
    );
    expect(shown(tree)).toEqual([
      'start completed',
      'a completed',
      'x failed',
      'y failed',
      'b skipped',
      'end skipped',
    ]);
    expect(tree.ended?.failure).toEqual({ code: 'unavailable', message: 'It is down.' });
  });
});

test('[WF4] the answer is that of the first end in the order of nodes, and JSON is told as text', async () => {
  const ends = [
    { id: 'late', type: 'end', output: { n: '{{input.n}}' } },
    { id: 'soon', type: 'end', output: 'soon' },
  ];
  const { tree } = await play(graphOf([...ends, note('a'), note('b')], 'a>b b>late start>soon'), { n: 1 });
  expect(tree.ended?.answer).toBe('{"n":1}');
});

describe('[WF5] input', () => {
  const graph = {
    ...graphOf([note('a')], ''),
    input: { type: 'object', required: ['link'], properties: { link: { type: 'string' } } },
  };

  test.for([
    [{ link: 3 }, /«g» does not fit: link must be string/],
    [undefined, /«g» does not fit: .*link/],
  ] as const)(
    'that does not fit is refused, with the field, before anything begins: %j',
    async ([data, says]) => {
      await expect(play(graph, data)).rejects.toThrow(says);
    },
  );

  test('and so is a graph that cannot be run', async () => {
    await expect(play(graphOf([note('a', '{{nodes.b.output}}')], ''))).rejects.toThrow(
      /cannot be run: node «a», arguments: «nodes.b» is used before it can exist/,
    );
  });
});

describe('[WF41] what is filled into a path', () => {
  test.for([
    ['/v/{{input.x}}/y', '../a', '/v/..%2Fa/y'],
    ['/v/{{input.x}}', 'a?admin=1#b;c', '/v/a%3Fadmin%3D1%23b%3Bc'],
    ['/v?a={{input.x}}&b=%20', 'é&b=2', '/v?a=%C3%A9%26b%3D2&b=%20'],
    ['{{input.x}}', 'a b\ud800', 'a%20b%EF%BF%BD'],
    ['/v/{{input.x}}', 7, '/v/7'],
  ] as const)('stays one part of it, or one value of its query: %s with %j', async ([path, x, sent]) => {
    const request = { id: 'a', type: 'http', connection: 'crm', method: 'GET', path };
    const { tree } = await play(graphOf([request], ''), { x });
    expect(answerIn(tree)).toEqual({ method: 'GET', path: sent });
  });
});
