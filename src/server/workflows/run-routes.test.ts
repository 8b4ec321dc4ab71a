import { beforeAll, describe, expect, test } from 'vitest';
import { vitrineClient, type Client } from '../../client/client.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { keyIn, serving, shareServing, temporaryFolder, type Serving } from '../../../test/serving.ts';
import { graphOf, partOf } from '../../../test/workflow/world.ts';
import { toolOf } from '../../../test/world.ts';
import type { Json } from '../../run/values.ts';
import { decodeAll } from '../../run/entries.ts';

type Graph = Record<string, Json>;

let at: Serving;
let client: Client;
let stranger: Client;
let colleague: Client;
let operator: Client;
const gates = new Map<string, (value: Json) => void>();
/** What was done once, and what fails the next time it is asked for. */
const done: string[] = [];
const failing = new Set<string>();

function attempt(value: string): Json {
  if (failing.delete(value)) throw new RunError('unavailable', `No ${value} today.`);
  done.push(value);
  return value;
}

beforeAll(() =>
  shareServing(async () => {
    const data = temporaryFolder();
    const key = keyIn(data, { name: 'ana', tenant: 'acme', role: 'member' });
    const keys = [
      keyIn(data, { name: 'bob', tenant: 'acme', role: 'member' }),
      keyIn(data, { name: 'ops', tenant: 'acme', role: 'operator' }),
    ];
    const other = keyIn(data, { name: 'eve', tenant: 'elsewhere', role: 'member' });
    const gate = toolOf(
      'gate',
      (input) =>
        new Promise<Json>((resolve) => gates.set(String(Reflect.get(Object(input), 'name')), resolve)),
    );
    const flaky = toolOf('flaky', (input) => attempt(String(Reflect.get(Object(input), 'value'))), {
      effect: 'once',
    });
    const config = {
      tools: [flaky, toolOf('note', (input) => input, { effect: 'idempotent' }), gate],
      workflows: { shared: { ...graphOf([note('a')], ''), name: 'shared' } as unknown as Graph },
      auth: { required: true },
    };
    at = await serving({ data, config });
    client = vitrineClient({ url: at.url, key });
    stranger = vitrineClient({ url: at.url, key: other });
    [colleague, operator] = keys.map((one) => vitrineClient({ url: at.url, key: one })) as [Client, Client];
  }),
);

const note = (id: string, value: Json = id) => ({ id, type: 'tool', tool: 'note', arguments: { value } });
const held = (id: string, name: string) => ({ id, type: 'tool', tool: 'gate', arguments: { name } });

async function publish(name: string, nodes: Parameters<typeof graphOf>[0], edges = '') {
  const graph = { ...graphOf(nodes, edges), name } as unknown as Graph;
  await client.workflows.save(name, graph);
  return client.workflows.publish(name);
}

async function answerOf(run: string) {
  for await (const { status, answer, failure } of client.follow(run))
    if (status === 'completed' || status === 'failed') return { status, answer, failure };
  throw new Error(`run ${run} came to no end`);
}

async function refusal(asked: Promise<unknown>) {
  return asked.then(
    () => undefined,
    (thrown: unknown) => failureOf(thrown),
  );
}

const echo = { id: 'echo', type: 'template', value: '{{input.text}} / {{input.?n.orValue(0)}}' };

describe('[WR10] a run of a workflow', () => {
  test('begins with words or with data, once for an idempotency key, as an app called after it', async () => {
    await publish('echoes', [echo]);
    const words = await client.workflows.start('echoes', { input: 'hello' });
    expect(await answerOf(words.run)).toMatchObject({ status: 'completed', answer: 'hello / 0' });
    const request = { input: { text: 'x', n: 2 }, idempotencyKey: 'once' };
    const data = await client.workflows.start('echoes', request);
    expect(await client.workflows.start('echoes', request)).toEqual(data);
    expect(await refusal(client.workflows.start('echoes', { ...request, input: 'y' }))).toMatchObject({
      code: 'rejected',
    });
    expect(await answerOf(data.run)).toMatchObject({ answer: 'x / 2' });
    const asApp = await client.start({ app: 'workflow:echoes', text: 'as an app' });
    expect(await answerOf(asApp.run)).toMatchObject({ answer: 'as an app / 0' });
    const { runs } = await client.runs({ app: 'workflow:echoes' });
    expect(runs).toHaveLength(3);
  });

  test('goes on with what it began with, whatever becomes of the definition', async () => {
    await publish('kept', [held('wait', 'kept'), { id: 'say', type: 'template', value: 'old' }], 'wait>say');
    const { run } = await client.workflows.start('kept');
    await expect.poll(() => gates.has('kept')).toBe(true);
    const second = await publish('kept', [{ id: 'say', type: 'template', value: 'new' }]);
    expect(second).toMatchObject({ version: 2, open: [{ version: 1, runs: 1 }] });
    expect((await client.workflows.versions('kept')).versions[1]).toMatchObject({ version: 1, open: 1 });
    await client.workflows.save('kept', { broken: true });
    await client.workflows.archive('kept');
    gates.get('kept')?.('go');
    expect(await answerOf(run)).toMatchObject({ status: 'completed', answer: 'old' });
    expect(await client.workflows.graphOf(run)).toMatchObject({ name: 'kept', version: 1 });
  });

  test('[CV22] that is dry is labelled so, and changes nothing', async () => {
    await publish('tried', [note('a', 'b')]);
    const { run } = await client.workflows.start('tried', { dry: true, labels: { team: 'x' } });
    expect(await answerOf(run)).toMatchObject({
      status: 'completed',
      answer: 'Not done: this is a dry run.',
    });
    const { runs } = await client.runs({ app: 'workflow:tried' });
    expect(runs).toMatchObject([{ run, labels: { team: 'x', dry: 'yes' } }]);
  });

  test('is of the newest published version, of another that is named, or of the draft', async () => {
    for (const value of ['1', '2']) await publish('versions', [{ id: 'say', type: 'template', value }]);
    await client.workflows.save('versions', {
      ...(graphOf([{ id: 'say', type: 'template', value: 'draft' }], '') as unknown as Graph),
      name: 'versions',
    });
    const answers = async (request: object) =>
      (await answerOf((await client.workflows.start('versions', request)).run)).answer;
    expect(await answers({})).toBe('2');
    expect(await answers({ version: 1 })).toBe('1');
    expect(await answers({ mode: 'draft' })).toBe('draft');
    const { runs } = await client.runs({ app: 'workflow:versions', limit: 1 });
    const drafted = await client.workflows.graphOf(runs[0]?.run ?? '');
    expect(drafted.version).toBeUndefined();
    await client.workflows.save('versions', {});
    expect(await client.workflows.graphOf(drafted.run)).toEqual(drafted);
  });

  test('is refused, and nothing begins, where there is nothing to run or the input does not fit', async () => {
    const input = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const strict = { ...graphOf([echo], ''), input, name: 'strict' } as unknown as Graph;
    await client.workflows.save('strict', strict);
    await client.workflows.publish('strict');
    const start = async (name: string, request: object) => refusal(client.workflows.start(name, request));
    expect(await start('strict', { input: { n: 'x' } })).toMatchObject({ code: 'malformed' });
    expect(await start('strict', { version: 7 })).toMatchObject({ code: 'unknown' });
    expect(await start('nowhere', {})).toMatchObject({ code: 'unknown' });
    expect(await start('shared', { mode: 'draft' })).toMatchObject({ code: 'unknown' });
    await client.workflows.save('strict', {});
    expect(await start('strict', { mode: 'draft' })).toMatchObject({
      code: 'malformed',
      problems: expect.arrayContaining([expect.objectContaining({ field: 'nodes' })]),
    });
    await client.workflows.archive('strict', 1);
    expect(await start('strict', { version: 1 })).toMatchObject({ code: 'rejected' });
    expect((await client.runs({ app: 'workflow:strict' })).runs).toEqual([]);
  });

  test('is its tenant’s, and a workflow of the configuration is everybody’s to run', async () => {
    await publish('own', [echo]);
    expect(await refusal(stranger.workflows.start('own'))).toMatchObject({ code: 'unknown' });
    const { run } = await stranger.workflows.start('shared');
    expect(await stranger.workflows.graphOf(run)).toMatchObject({ name: 'shared', version: 1 });
    expect(await refusal(client.workflows.graphOf(run))).toMatchObject({ code: 'unknown' });
  });
});

describe('[WR11] the graph of a run', () => {
  test('says how each node stands, by its path, also inside others and where nothing has begun', async () => {
    const inside = (...nodes: Parameters<typeof partOf>[0]) => partOf(nodes, '');
    await publish(
      'drawn',
      [
        { id: 'way', type: 'branch', cases: [{ port: 'left', when: 'false' }] },
        note('dead'),
        { id: 'each', type: 'map', items: '[1, 2]', max: 2, body: inside(note('inner')) },
        held('wait', 'drawn'),
        { id: 'turns', type: 'loop', times: 2, body: inside(note('round')) },
        { id: 'safe', type: 'failsafe', body: inside(note('try')), fallback: inside(note('catch')) },
      ],
      'way.left>dead way.otherwise>each each>wait wait>turns turns>safe',
    );
    const { run } = await client.workflows.start('drawn');
    await expect.poll(() => gates.has('drawn')).toBe(true);
    const now = await client.workflows.graphOf(run);
    expect(now.nodes.map(({ path, node, state }) => `${path} (${node}) ${state}`)).toEqual([
      'start (start) completed',
      'way (way) completed',
      'dead (dead) skipped',
      'each (each) completed',
      'wait (wait) running',
      'turns (turns) pending',
      'safe (safe) pending',
      'end (end) pending',
      'each/branch 1/inner (each/inner) completed',
      'each/branch 2/inner (each/inner) completed',
      'turns/round (turns/round) pending',
      'safe/try (safe/try) pending',
      'safe/fallback/catch (safe/fallback/catch) pending',
    ]);
    gates.get('drawn')?.('go');
    expect(await answerOf(run)).toMatchObject({ status: 'completed' });
    const then = await client.workflows.graphOf(run);
    expect(then.nodes.slice(8).map(({ path, state }) => `${path} ${state}`)).toEqual([
      'each/branch 1/inner completed',
      'each/branch 2/inner completed',
      'turns/round 1/round completed',
      'turns/round 2/round completed',
      'safe/body/try completed',
      'safe/fallback/catch pending',
    ]);
    const { steps } = await client.tree(run);
    for (const { step, path, state } of then.nodes.filter((one) => one.step !== undefined))
      expect(steps.find(({ id }) => id === step)).toMatchObject({
        key: path.split('/').at(-1),
        status: state,
      });
  });

  test('says which node waits for a person, and by which question', async () => {
    await publish('asked', [{ id: 'ask', type: 'human', title: 'Sure?', shows: 'x' }], 'ask.approved>end');
    const { run } = await client.workflows.start('asked');
    const stateOf = async () =>
      (await client.workflows.graphOf(run)).nodes.find(({ node }) => node === 'ask');
    await expect.poll(async () => (await stateOf())?.state).toBe('waiting');
    const { approvals: [approval = ''] = [] } = (await stateOf()) ?? {};
    const question = (await client.approvals({ run })).approvals[0];
    expect(question).toMatchObject({ id: approval, title: 'Sure?' });
    await client.decide(approval, { decision: 'approve', fingerprint: question?.fingerprint });
    await answerOf(run);
    expect(await stateOf()).toMatchObject({ state: 'completed', approvals: [approval] });
  });

  test('[WR42] has the nodes of workflows inside, each as it was recorded', async () => {
    await publish('deep', [held('stop', 'deep'), note('old')], 'stop>old');
    await publish('middle', [{ id: 'down', type: 'workflow', workflow: 'deep' }]);
    await publish('top', [{ id: 'sub', type: 'workflow', workflow: 'middle' }, note('later')], 'sub>later');
    const { run } = await client.workflows.start('top');
    await expect.poll(() => gates.has('deep')).toBe(true);
    await publish('deep', [note('new')]);
    const states = async () =>
      (await client.workflows.graphOf(run)).nodes
        .filter(({ node }) => node.startsWith('sub'))
        .map(({ path, node, state }) => `${path} (${node}) ${state}`);
    expect(await states()).toEqual([
      'sub (sub) running',
      'sub/start (sub/start) completed',
      'sub/down (sub/down) running',
      'sub/end (sub/end) pending',
      'sub/down/start (sub/down/start) completed',
      'sub/down/stop (sub/down/stop) running',
      'sub/down/old (sub/down/old) pending',
      'sub/down/end (sub/down/end) pending',
    ]);
    gates.get('deep')?.('go');
    await answerOf(run);
    expect((await states()).filter((state) => !state.endsWith('completed'))).toEqual([]);
  });

  test('is not there for a run of something else', async () => {
    expect(await refusal(client.workflows.graphOf('run_none'))).toMatchObject({ code: 'unknown' });
  });
});

const flaky = (id: string, value: Json = id) => ({ id, type: 'tool', tool: 'flaky', arguments: { value } });

describe('[WR40] a run that failed', () => {
  test('goes on from its failed node: what was done is kept, and nothing is done twice', async () => {
    const each = {
      id: 'each',
      type: 'map',
      items: "['x', 'y', 'z']",
      max: 3,
      body: partOf([flaky('inner', '{{item}}')], ''),
    };
    await publish(
      'goes-on',
      [flaky('a'), flaky('beside'), each, flaky('last')],
      'a>each beside>each each>last',
    );
    done.length = 0;
    failing.add('y');
    const { run } = await client.workflows.start('goes-on');
    expect(await answerOf(run)).toMatchObject({ status: 'failed', failure: { message: 'No y today.' } });
    const on = await client.workflows.goOn(run);
    expect(on.from).toBe(run);
    expect(await answerOf(on.run)).toMatchObject({ status: 'completed', answer: 'last' });
    expect(done.toSorted()).toEqual(['a', 'beside', 'last', 'x', 'y', 'z']);
    const { nodes, from } = await client.workflows.graphOf(on.run);
    expect(from).toBe(run);
    expect(nodes.map(({ path, state, kept }) => `${path} ${state}${kept ? ' kept' : ''}`)).toEqual([
      'start completed kept',
      'a completed kept',
      'beside completed kept',
      'each completed',
      'last completed',
      'end completed',
      'each/branch 1/inner completed kept',
      'each/branch 2/inner completed',
      'each/branch 3/inner completed kept',
    ]);
    expect((await client.workflows.goOn(run)).run).toBe(on.run);
    expect(await refusal(client.workflows.goOn(on.run))).toMatchObject({ code: 'rejected' });
  });

  test('goes on inside a workflow inside, and what a graph has dealt with stays as it was', async () => {
    await publish('inside', [flaky('first', 'in 1'), flaky('second', 'in 2')], 'first>second');
    await publish(
      'outside',
      [flaky('risky', 'r'), note('instead'), { id: 'sub', type: 'workflow', workflow: 'inside' }],
      'risky.failed>instead instead>sub risky>sub',
    );
    done.length = 0;
    for (const value of ['r', 'in 2']) failing.add(value);
    const { run } = await client.workflows.start('outside');
    expect(await answerOf(run)).toMatchObject({ status: 'failed' });
    await publish('inside', [flaky('other')]);
    const on = await client.workflows.goOn(run);
    expect(await answerOf(on.run)).toMatchObject({ status: 'completed', answer: 'in 2' });
    expect(done).toEqual(['in 1', 'in 2']);
    const { nodes } = await client.workflows.graphOf(on.run);
    expect(nodes.find(({ node }) => node === 'risky')).toMatchObject({ state: 'failed', kept: true });
  });

  test('is gone on with by whoever asked for it, and by an operator', async () => {
    await publish('theirs', [flaky('mine')]);
    failing.add('mine');
    const { run } = await client.workflows.start('theirs');
    await answerOf(run);
    expect(await refusal(stranger.workflows.goOn(run))).toMatchObject({ code: 'unknown' });
    expect(await refusal(colleague.workflows.goOn(run))).toMatchObject({
      code: 'refused',
      message: `Run ${run} was asked for by ana: they can go on with it, or an operator.`,
    });
    const on = await operator.workflows.goOn(run);
    expect(await answerOf(on.run)).toMatchObject({ status: 'completed' });
    const [chunk] = await at.server.context.home.journal.read(on.run, 0);
    expect(decodeAll(chunk?.frames ?? '')[0]?.event).toMatchObject({ who: 'ana', forkedFrom: { run } });
  });
});

describe('[WR41] a node that is tried alone', () => {
  test('has what the last run gave, and nothing else is done', async () => {
    const say = {
      id: 'say',
      type: 'template',
      value: '{{size(nodes.a.output)}} {{nodes.b.output}} {{input.text}}',
    };
    await publish('tried', [flaky('a'), flaky('b'), say, flaky('after')], 'a>b b>say say>after');
    const first = await client.workflows.start('tried', { input: { text: 'one' } });
    expect(await answerOf(first.run)).toMatchObject({ status: 'completed' });
    done.length = 0;
    await answerOf((await client.workflows.start('tried', { input: { text: 'dry' }, dry: true })).run);
    const alone = await client.workflows.tryNode('tried', 'say');
    expect(alone.from).toBe(first.run);
    expect(await answerOf(alone.run)).toMatchObject({ status: 'completed', answer: '1 b one' });
    const given = await client.workflows.tryNode('tried', 'say', {
      input: { text: '{{two}}' },
      outputs: { a: 'x'.repeat(40_000), b: '{{y}}' },
    });
    expect(await answerOf(given.run)).toMatchObject({ answer: '40000 {{y}} {{two}}' });
    expect(given.from).toBe(first.run);
    expect(done).toEqual([]);
    const graph = await client.workflows.graphOf(alone.run);
    expect(graph).toMatchObject({ name: 'tried', tries: 'say', from: first.run });
    expect(graph.nodes.map(({ path, state, kept }) => `${path} ${state}${kept ? ' kept' : ''}`)).toEqual([
      'start completed',
      'a completed kept',
      'b completed kept',
      'say completed',
      'end completed',
    ]);
    const { runs } = await client.runs({ app: 'workflow:tried', limit: 1 });
    expect(runs[0]?.title).toBe('Try «say»');
  });

  test('is of the draft, may be one that no path has led to, and asks what it asks', async () => {
    const ask = { id: 'ask', type: 'human', title: 'Sure?', shows: '{{nodes.way.output}}' };
    const way = { id: 'way', type: 'branch', cases: [{ port: 'left', when: 'false' }] };
    await publish(
      'paths',
      [way, ask, flaky('right')],
      'way.left>ask ask.approved>end way.otherwise>right right>end',
    );
    const { run } = await client.workflows.start('paths');
    await answerOf(run);
    const changed = { ...ask, title: 'Really?' };
    const draft = graphOf(
      [way, changed, flaky('right')],
      'way.left>ask ask.approved>end way.otherwise>right right>end',
    );
    await client.workflows.save('paths', { ...draft, name: 'paths' } as unknown as Graph);
    done.length = 0;
    const alone = await client.workflows.tryNode('paths', 'ask');
    await expect.poll(async () => (await client.approvals({ run: alone.run })).approvals.length).toBe(1);
    const [question] = (await client.approvals({ run: alone.run })).approvals;
    expect(question).toMatchObject({ title: 'Really?', arguments: 'otherwise' });
    await client.decide(question?.id ?? '', { decision: 'approve', fingerprint: question?.fingerprint });
    expect(await answerOf(alone.run)).toMatchObject({ status: 'completed' });
    expect(done).toEqual([]);
  });

  test('needs no run before it, and is refused where it cannot be tried', async () => {
    const each = {
      id: 'each',
      type: 'map',
      items: 'input.list',
      max: 3,
      body: partOf([note('inner', '{{item}}')], ''),
    };
    await publish('fresh', [each]);
    const alone = await client.workflows.tryNode('fresh', 'each', { input: { list: [1, 2] } });
    expect(alone.from).toBeUndefined();
    expect(await answerOf(alone.run)).toMatchObject({ answer: '[{"value":1},{"value":2}]' });
    const tried = async (name: string, node: string, more = {}) =>
      refusal(client.workflows.tryNode(name, node, more));
    expect(await tried('fresh', 'none')).toMatchObject({
      code: 'unknown',
      message: expect.stringMatching(/^The workflow «fresh» has no node «none»: it has start, each/),
    });
    expect(await tried('fresh', 'start')).toMatchObject({ code: 'malformed' });
    expect(await tried('fresh', 'each/inner')).toMatchObject({
      code: 'malformed',
      message: '«each/inner» is inside another node: try «each», with what is in it.',
    });
    expect(await tried('fresh', 'each', { run: 'run_none' })).toMatchObject({ code: 'unknown' });
    expect(await tried('nowhere', 'each')).toMatchObject({ code: 'unknown' });
    expect(await refusal(stranger.workflows.tryNode('fresh', 'each'))).toMatchObject({ code: 'unknown' });
    await client.workflows.save('fresh', {});
    expect(await tried('fresh', 'each')).toMatchObject({ code: 'malformed', problems: expect.anything() });
  });
});
