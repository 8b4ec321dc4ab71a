import { beforeAll, describe, expect, test } from 'vitest';
import { vitrineClient, type Client } from '../../client/client.ts';
import { failureOf } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { keyIn, serving, shareServing, temporaryFolder, type Serving } from '../../../test/serving.ts';
import { scriptedGateway } from '../../gateways/scripted/scripted.ts';

let at: Serving;
let ana: Client['workflows'];
let looker: Client['workflows'];
let other: Client['workflows'];
let bob: Client['workflows'];
let operator: Client['workflows'];

beforeAll(() =>
  shareServing(async () => {
    const data = temporaryFolder();
    const keys = {
      ana: keyIn(data, { name: 'ana', tenant: 'acme', role: 'member' }),
      looker: keyIn(data, { name: 'lo', tenant: 'acme', role: 'viewer' }),
      bob: keyIn(data, { name: 'bob', tenant: 'acme', role: 'member' }),
      operator: keyIn(data, { name: 'ops', tenant: 'acme', role: 'operator' }),
      other: keyIn(data, { name: 'eve', tenant: 'elsewhere', role: 'operator' }),
    };
    const agents = { helper: { gateway: scriptedGateway([]), description: 'Helps.' } };
    const tools = [tool('look')];
    at = await serving({ data, config: { agents, tools, auth: { required: true } } });
    const client = (key: string) => vitrineClient({ url: at.url, key }).workflows;
    [bob, operator] = [client(keys.bob), client(keys.operator)];
    [ana, looker, other] = [client(keys.ana), client(keys.looker), client(keys.other)];
  }),
);

function tool(name: string) {
  const run = () => Promise.resolve('x');
  return { name, description: `It can ${name}.`, schema: {}, effect: 'pure' as const, run };
}

const graph = (name: string, more: readonly Step[] = []) => {
  const ids = ['start', ...more.map(({ id }) => id), 'end'];
  const edges = ids.slice(1).map((to, i) => ({ from: ids[i] ?? '', to }));
  return { name, nodes: [{ id: 'start', type: 'start' }, ...more, { id: 'end', type: 'end' }], edges };
};
type Step = { readonly id: string; readonly [field: string]: string };
const look = { id: 'a', type: 'tool', tool: 'look' };

async function refusal(asked: Promise<unknown>) {
  return asked.then(
    () => undefined,
    (thrown: unknown) => failureOf(thrown),
  );
}

describe('[WR1] a workflow', () => {
  test('begins as a draft, empty or with a graph, under a name nobody has', async () => {
    const draft = await ana.create('empty');
    expect(draft).toMatchObject({ name: 'empty', revision: 1, by: 'ana', problems: [] });
    expect(await refusal(ana.create('empty'))).toMatchObject({ code: 'rejected' });
    expect(await refusal(ana.create('Not A Name'))).toMatchObject({ code: 'malformed' });
    expect(await ana.draft('empty')).toEqual(draft);
  });

  test('is saved with its problems, which are told each time; over a stale revision it is not', async () => {
    const broken = graph('broken', [{ id: 'a', type: 'tool', tool: 'nope' }]);
    const draft = await ana.save('broken', broken, 0);
    expect(draft.problems).toMatchObject([{ node: 'a', field: 'tool', problem: expect.anything() }]);
    expect(await ana.validate('broken')).toEqual(draft.problems);
    expect(await ana.validate('broken', graph('broken', [look]))).toEqual([]);
    expect(await refusal(ana.save('broken', broken, 0))).toBeUndefined();
    expect(await refusal(ana.save('broken', graph('broken'), 0))).toMatchObject({
      code: 'rejected',
      message: expect.stringContaining('ana saved it'),
    });
    expect(await ana.save('broken', graph('broken'))).toMatchObject({ revision: 2, problems: [] });
  });

  test('is checked against what is configured and what the tenant has', async () => {
    await ana.save('part', graph('part'));
    await ana.publish('part');
    const naming = (workflow: string, agent: string) =>
      graph('whole', [
        { id: 'a', type: 'agent', agent, message: 'x' },
        { id: 'w', type: 'workflow', workflow },
      ]);
    expect(await ana.validate('whole', naming('part', 'helper'))).toEqual([]);
    expect(await ana.validate('whole', naming('none', 'nobody'))).toMatchObject([
      { node: 'a', field: 'agent', fix: 'Name one of: helper.' },
      { node: 'w', field: 'workflow' },
    ]);
    expect(await other.validate('whole', naming('part', 'helper'))).toMatchObject([{ node: 'w' }]);
    expect(await ana.validate('part', naming('part', 'helper'))).toMatchObject([
      { field: 'name' },
      { node: 'w', problem: 'The workflow starts itself.' },
    ]);
  });
});

describe('[WR2] what is published', () => {
  test('has no problems: it is refused with all of them', async () => {
    const nodes: Step[] = [
      { id: 'a', type: 'tool', tool: 'nope' },
      { id: 'b', type: 'branch' },
    ];
    const two = { name: 'two', nodes, edges: [{ from: 'a', to: 'c' }] };
    const { problems } = await ana.save('two', two);
    expect(problems.length).toBeGreaterThan(0);
    const refused = await refusal(ana.publish('two'));
    expect(refused).toMatchObject({ code: 'malformed', problems });
    expect((await ana.versions('two')).versions).toMatchObject([{ version: 0, state: 'draft' }]);
  });

  test('stays as it is, is archived and comes back, and is compared by node', async () => {
    await ana.save('kept', graph('kept', [look]));
    expect(await ana.publish('kept', 1)).toMatchObject({ version: 1, open: [] });
    await ana.save('kept', { ...graph('kept', [{ ...look, title: 'Look' }]), title: 'Kept' });
    expect(await ana.diff('kept')).toEqual({
      nodes: [{ node: 'a', change: 'changed', fields: [{ path: 'title', after: 'Look' }] }],
      edges: [],
      other: [{ path: 'title', after: 'Kept' }],
    });
    expect(await ana.publish('kept')).toMatchObject({ version: 2 });
    expect(await ana.version('kept', 1)).toMatchObject({ version: 1, graph: graph('kept', [look]) });
    expect((await ana.archive('kept')).versions.map(({ state }) => state)).toEqual([
      'draft',
      'archived',
      'archived',
    ]);
    expect((await ana.restore('kept')).versions.at(-1)).toMatchObject({ version: 2, state: 'published' });
    expect((await ana.archive('kept', 2)).versions.at(-1)).toMatchObject({ state: 'archived' });
    await ana.dropDraft('kept', 2);
    expect(await refusal(ana.draft('kept'))).toMatchObject({ code: 'unknown' });
    expect((await ana.versions('kept')).versions).toHaveLength(2);
  });

  test('is cloned under another name', async () => {
    await ana.save('first', graph('first', [look]));
    await ana.publish('first');
    expect(await ana.clone('first', { name: 'second' })).toMatchObject({
      name: 'second',
      graph: graph('second', [look]),
      problems: [],
    });
    expect(await refusal(ana.clone('first', { name: 'second' }))).toMatchObject({ code: 'rejected' });
    expect(await refusal(ana.clone('first', { name: 'third', version: 9 }))).toMatchObject({
      code: 'unknown',
    });
  });
});

test('[WR3] workflows are their tenant’s alone, and whoever may only look changes none', async () => {
  await ana.save('mine', graph('mine', [look]));
  await ana.publish('mine');
  const refused = await Promise.all(
    [looker.save('mine', {}), looker.publish('mine'), looker.create('x'), looker.archive('mine')].map(
      refusal,
    ),
  );
  expect(refused.map((failure) => failure?.code)).toEqual(refused.map(() => 'refused'));
  expect(await looker.draft('mine')).toMatchObject({ revision: 1 });
  const strange = await Promise.all(
    [
      other.draft('mine'),
      other.versions('mine'),
      other.version('mine', 1),
      other.diff('mine'),
      other.archive('mine'),
      other.clone('mine', { name: 'x' }),
      other.publish('mine'),
    ].map(refusal),
  );
  expect(strange.map((failure) => failure?.code)).toEqual(strange.map(() => 'unknown'));
  const { workflows } = await other.list();
  expect(workflows).toEqual([]);
});

test('[WR43] settings of teams and guards are checked with the graph, not first when it runs', async () => {
  const settings = (team: object, guards: Json): Record<string, Json> => ({
    ...graph('settled', [look]),
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'a', type: 'team', message: 'x', settings: team as Json },
      { id: 'b', type: 'guard', text: 'x', settings: guards },
      { id: 'end', type: 'end' },
    ],
    edges: [
      { from: 'start', to: 'a' },
      { from: 'a', to: 'b' },
      { from: 'b', to: 'end' },
    ],
  });
  const helper = { name: 'helper', description: 'Helps.' };
  const team = { router: 'helper', writer: 'helper', fallback: 'helper', agents: [helper] };
  expect(await ana.validate('settled', settings(team, [{ guard: 'pii' }]))).toEqual([]);
  const wrong = settings({ ...team, writer: 'nobody', fallback: 'else' }, [
    { guard: 'pii', categories: ['height'] },
    { guard: 'judge', agent: 'nobody', prompt: 'x' },
  ]);
  const problems = await ana.validate('settled', wrong);
  expect(problems.map(({ node, field, code }) => `${node} ${field} ${code}`)).toEqual([
    'a settings.writer settings',
    'a settings.fallback settings',
    expect.stringMatching(/^b settings\.0\.categories\.0 settings$/),
    ...problems.slice(3).map(() => expect.stringContaining('b settings')),
  ]);
  await ana.save('settled', wrong);
  expect(await refusal(ana.publish('settled'))).toMatchObject({ code: 'malformed', problems });
});

test('[DF10] a member changes what they made, an operator all, and anybody clones it', async () => {
  await ana.save('hers', graph('hers', [look]));
  await ana.publish('hers');
  const message =
    'The workflow «hers» was made by ana: ask them or an operator to change it, or clone it under another name.';
  const changes = [bob.save('hers', {}), bob.publish('hers'), bob.archive('hers'), bob.dropDraft('hers', 1)];
  for (const refused of await Promise.all(changes.map(refusal)))
    expect(refused).toMatchObject({ code: 'refused', message });
  expect(await bob.clone('hers', { name: 'his' })).toMatchObject({ name: 'his', by: 'bob' });
  expect(await operator.save('hers', graph('hers'))).toMatchObject({ revision: 2, by: 'ops' });
  expect(await ana.save('hers', graph('hers', [look]))).toMatchObject({ revision: 3, by: 'ana' });
});

test('[WR4] the list goes by names, in pages, and says what a graph may name', async () => {
  for (const name of ['zz1', 'zz2', 'zz3']) await ana.save(name, { ...graph(name), title: name });
  const { workflows, known } = await ana.list({ limit: 200 });
  const names = workflows.map(({ name }) => name);
  expect(names).toEqual(names.toSorted());
  expect(names).toContain('zz2');
  expect(known.agents).toEqual([{ name: 'helper', description: 'Helps.' }]);
  expect(known.tools).toEqual([{ name: 'look', description: 'It can look.' }]);
  const paged: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await ana.list({ limit: 2, after });
    paged.push(...page.workflows.map(({ name }) => name));
    if (page.next === null) break;
    after = page.next;
  }
  expect(paged).toEqual(names);
});
