import { expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import { answering, graphOf, partOf, runOf } from '../../../test/workflow/world.ts';
import { toolOf } from '../../../test/world.ts';
import { dryLabels } from '../../run/dry-run.ts';
import type { Json } from '../../run/values.ts';
import { exampleOf } from '../../schema/example.ts';
import { misfit } from '../../schema/misfit.ts';
import { workflow } from './workflow.ts';

const effects = { look: 'pure', post: 'once', put: 'idempotent', connection_crm_send: 'once' } as const;

/** A run of a graph in a world where everything that happens is counted. */
async function play(nodes: Parameters<typeof graphOf>[0], edges: string, labels: object = dryLabels) {
  const stage = new Stage();
  const happened: string[] = [];
  const tools = Object.entries(effects).map(([name, effect]) =>
    toolOf(name, () => ({ seen: name, times: happened.push(name) }), { effect }),
  );
  const model = answering('model', () => (happened.push('model'), '{"confidence": 1, "feedback": ""}'));
  const flow = workflow({
    flow: () => ({ run: () => Promise.resolve(`${happened.push('team')}`) }),
    effectOf: (tool) => tools.find(({ name }) => name === tool)?.effect,
  });
  const worker = stage.hire({ flows: [flow], agents: [model], tools });
  const asked = await runOf(stage.store, graphOf(nodes, edges));
  const run = await stage.start(worker, flow, { ...asked, flow, labels });
  return { stage, run, happened, tree: await stage.tree(run) };
}

const answer = { type: 'object', required: ['risk'], properties: { risk: { enum: ['high', 'low'] } } };
const nodes = [
  { id: 'see', type: 'tool', tool: 'look', arguments: {} },
  { id: 'ask', type: 'prompt', agent: 'model', message: 'Is {{input.text}} at risk?' },
  { id: 'rate', type: 'agent', agent: 'model', message: 'Rate it.', answer },
  { id: 'tools', type: 'agent', agent: 'model', message: 'Use them.', tools: ['post'] },
  { id: 'crew', type: 'team', message: 'Find out.', settings: {} },
  { id: 'call', type: 'http', connection: 'crm', method: 'POST', path: '/x' },
  { id: 'safe', type: 'guard', text: 'Mail ann@example.org.' },
  { id: 'later', type: 'wait', for: 3_456_000 },
  {
    id: 'good',
    type: 'review',
    judge: 'model',
    body: partOf([{ id: 'made', type: 'tool', tool: 'put', arguments: {} }], ''),
  },
  { id: 'all', type: 'merge', how: 'agent', agent: 'model' },
  { id: 'post', type: 'tool', tool: 'post', arguments: { risk: '{{nodes.rate.output.risk}}' } },
];
const order = nodes.map(({ id }) => id);
const inARow = order
  .slice(1)
  .map((id, i) => `${order[i]}>${id}`)
  .join(' ');

test('[CV22] in a dry run no model is asked, what is not pure is not done, nothing is waited for; each says so', async () => {
  const { happened, tree } = await play(nodes, inARow);
  expect(tree.ended?.outcome).toBe('completed');
  expect(happened).toEqual(['look']);
  const step = (key: string) => [...tree.steps.values()].find((one) => one.key === key);
  const outputs = Object.fromEntries(
    order.map((id) => [id, Reflect.get(Object(step(id)?.result), 'output')]),
  );
  expect(outputs).toMatchObject({
    see: { seen: 'look' },
    ask: 'model on: Is hello at risk?',
    rate: { risk: 'high' },
    crew: 'The team on: Find out.',
    call: 'Not done: this is a dry run.',
    safe: 'Mail ann@example.org.',
    later: { until: expect.stringMatching(/Z$/) },
    good: { confidence: 1 },
    post: 'Not done: this is a dry run.',
  });
  const noticed = [...tree.steps.values()].filter(({ notices }) =>
    notices.some(({ code }) => code === 'DRY_RUN'),
  );
  expect(noticed).toHaveLength(order.length);
  const calls = [...tree.steps.values()].filter(({ kind }) => kind === 'call');
  expect(calls.map(({ status }) => status)).toEqual(['completed', 'skipped', 'skipped', 'skipped']);
});

test('[CV22] people are asked in a dry run, and without its label the same graph is done', async () => {
  const asking = [{ id: 'ok', type: 'human', title: 'Post?' }, nodes[10] ?? { id: '', type: 'end' }];
  const graph = [nodes[2] ?? { id: '', type: 'end' }, ...asking];
  const { stage, run, happened } = await play(graph, 'rate>ok ok.approved>post');
  expect(await stage.asked(run)).toMatchObject([{ title: 'Post?' }]);
  await stage.decide(run, { decision: 'approve' });
  expect((await stage.tree(run)).ended?.outcome).toBe('completed');
  expect(happened).toEqual([]);
  expect((await play([{ ...nodes[10], id: 'post', type: 'tool', arguments: {} }], '', {})).happened).toEqual([
    'post',
  ]);
});

const schemas: readonly Json[] = [
  {
    type: 'object',
    properties: { a: { type: 'string', minLength: 9 }, b: { type: 'array', items: answer } },
  },
  { type: ['number', 'null'], minimum: 3, maximum: 5 },
  { anyOf: [{ const: 7 }, { type: 'string' }] },
  { type: 'array', minItems: 2, items: { type: 'boolean' } },
  { type: 'number', maximum: 0.5 },
  { type: 'string', maxLength: 2 },
  { type: 'string', pattern: '^x$', examples: ['x'] },
];

test.for(schemas)('[CV22] what stands for JSON fits what is wanted: %j', (schema) => {
  expect(misfit(schema, exampleOf(schema))).toBeUndefined();
});

test('[CV22] where nothing is found that fits, the node fails and says what to give', async () => {
  const answered = { type: 'string', pattern: '^[0-9]{3}$' };
  const { tree } = await play(
    [{ id: 'n', type: 'prompt', agent: 'model', message: 'x', answer: answered }],
    '',
  );
  expect(tree.ended?.failure?.message).toMatch(/fits «answer» of «n».*Give it «examples»/);
});
