import { describe, expect, test } from 'vitest';
import { Stage } from '../../../test/stage.ts';
import {
  answerIn,
  answering,
  graphOf,
  outline,
  partOf,
  runOf,
  workflowFlow,
} from '../../../test/workflow/world.ts';
import { toolOf } from '../../../test/world.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';

type Drawn = Parameters<typeof partOf>[0][number];

async function play(graph: ReturnType<typeof graphOf>, data?: Json, judged: readonly string[] = []) {
  const stage = new Stage();
  const notes: Json[] = [];
  const verdicts = [...judged];
  const worker = stage.hire({
    flows: [workflowFlow],
    tools: [
      toolOf('note', (input) => notes.push(input), { effect: 'idempotent' }),
      toolOf('break', (input) => {
        notes.push(input);
        throw new RunError('unavailable', 'It is down.');
      }),
      toolOf('hang', () => new Promise<Json>(() => {}), { timeout: 3_600_000 }),
      toolOf('odd', (input) => {
        const { n } = input as { n: number };
        if (n % 2 === 0) throw new RunError('unavailable', `${n} is even.`);
        return n;
      }),
      toolOf(
        'connection_crm_send',
        (input, { idempotencyKey }) => {
          notes.push(idempotencyKey);
          throw new RunError('unavailable', 'It answered 500.', { retryable: true });
        },
        { effect: 'once' },
      ),
    ],
    agents: [answering('judge', () => verdicts.shift() ?? 'nothing')],
  });
  const run = await stage.start(worker, workflowFlow, await runOf(stage.store, graph, data));
  return { stage, run, notes, tree: await stage.tree(run) };
}

const only = (node: Drawn) => graphOf([node], '');
const template = (id: string, value: Json) => ({ id, type: 'template', value });
const counts = partOf([template('count', '{{index}} {{last}}')], '');

describe('[WF11] a loop', () => {
  test.for([
    [{ times: 2 }, { rounds: 2, last: '1 0 null' }],
    [
      { over: 'input.list', max: 9, body: partOf([template('x', '{{item}}')], '') },
      { rounds: 3, last: 7, all: [5, 6, 7] },
    ],
    [
      { until: 'index == 1', max: 9 },
      { rounds: 2, last: '1 0 null' },
    ],
    [
      { over: '[]', max: 9 },
      { rounds: 0, last: null, all: [] },
    ],
  ] as const)('does its body in rounds: %j', async ([more, output]) => {
    const { tree } = await play(only({ id: 'l', type: 'loop', body: counts, ...more }), { list: [5, 6, 7] });
    expect(answerIn(tree)).toEqual(output);
  });

  test('leaves by `exhausted` where its cap came first, and shows its rounds', async () => {
    const loop = { id: 'l', type: 'loop', until: 'false', max: 2, body: counts };
    const graph = graphOf(
      [loop, template('no', 'not done'), template('yes', 'done')],
      'l.exhausted>no l>yes',
    );
    const { tree } = await play(graph);
    expect(tree.ended?.answer).toBe('not done');
    expect(outline(tree).filter((line) => line.startsWith('l'))).toEqual([
      'l completed',
      'l/round 1 completed',
      'l/round 1/count completed',
      'l/round 2 completed',
      'l/round 2/count completed',
    ]);
  });

  test('says what its condition gave that is neither true nor false', async () => {
    const { tree } = await play(only({ id: 'l', type: 'loop', until: '"yes"', max: 2, body: counts }));
    expect(tree.ended?.failure?.message).toBe('«until» of «l» gives neither true nor false, but yes.');
  });
});

describe('[WF12] a map', () => {
  const odd = partOf([{ id: 'odd', type: 'tool', tool: 'odd', arguments: { n: '{{item}}' } }], '');
  const map = (more: object = {}) => only({ id: 'm', type: 'map', items: 'input.list', body: odd, ...more });

  test('gives what came of each, in the order of items', async () => {
    const { tree } = await play(map({ atOnce: 2 }), { list: [5, 3, 1] });
    expect(tree.ended?.answer).toBe('[5,3,1]');
    expect(outline(tree).filter((line) => /^m\/branch \d+ /.test(line))).toEqual([
      'm/branch 1 completed',
      'm/branch 2 completed',
      'm/branch 3 completed',
    ]);
  });

  test('fails with the first failure, or goes on and tells each', async () => {
    const list = [1, 2, 3, 4];
    expect((await play(map(), { list })).tree.ended?.failure?.message).toBe('2 is even.');
    const error = (n: number) => ({ error: { code: 'unavailable', message: `${n} is even.` } });
    const { tree } = await play(map({ keepGoing: true }), { list });
    expect(answerIn(tree)).toEqual([1, error(2), 3, error(4)]);
  });

  test('over more than it may is refused before anything begins', async () => {
    const list = Array.from({ length: 1_001 }, (_, i) => i);
    const { tree } = await play(map(), { list });
    expect(tree.ended?.failure?.message).toMatch(/has 1001 items; 1000 are the most/);
    expect(tree.spent.calls).toBe(0);
  });
});

describe('[WF13] a review', () => {
  const body = partOf([template('draft', 'draft {{index}}: {{last == null ? "" : last.feedback}}')], '');
  const graph = graphOf(
    [
      { id: 'r', type: 'review', judge: 'judge', max: 2, body },
      template('sure', '{{nodes.r.output.value}}'),
      template('unsure', 'unsure {{nodes.r.output.confidence}}'),
    ],
    'r>sure r.unsure>unsure',
  );
  const verdict = (confidence: number) => JSON.stringify({ confidence, feedback: `${confidence}!` });

  test('is done again with what the judge said, until the judge is sure', async () => {
    const { tree } = await play(graph, undefined, [verdict(0.5), verdict(0.9)]);
    expect(tree.ended?.answer).toBe('draft 1: 0.5!');
  });

  test('leaves by `unsure` where it never is', async () => {
    const { tree } = await play(graph, undefined, [verdict(0.5), verdict(0.6)]);
    expect(tree.ended?.answer).toBe('unsure 0.6');
  });
});

test('[WF14] a failsafe gives what its fallback makes of the failure', async () => {
  const body = partOf([{ id: 'x', type: 'tool', tool: 'break', arguments: {} }], '');
  const fallback = partOf([template('why', '{{error.code}}: {{error.message}}')], '');
  const { tree } = await play(only({ id: 'f', type: 'failsafe', body, fallback }));
  expect(tree.ended?.answer).toBe('unavailable: It is down.');
  expect(outline(tree, ({ kind }) => kind !== 'call').filter((line) => line.startsWith('f'))).toEqual([
    'f completed',
    'f/body failed',
    'f/body/x failed',
    'f/fallback completed',
    'f/fallback/why completed',
  ]);
});

describe('[WF15] a node that may be tried again', () => {
  test('is, in steps of its own, after its pause, and fails as it did last', async () => {
    const node = { id: 'x', type: 'tool', tool: 'odd', arguments: { n: 2 }, retry: { times: 2, pause: 60 } };
    const { stage, run, tree } = await play(only(node));
    expect(outline(tree).filter((line) => line.startsWith('x'))).toContain('x/pause 1/wait1 running');
    await stage.clock.pass(125_000);
    const after = await stage.tree(run);
    expect(after.ended?.failure?.message).toBe('2 is even.');
    expect(outline(after).filter((line) => /^x\/~\d /.test(line))).toEqual(['x/~2 failed', 'x/~3 failed']);
  });

  test('[WF42] sends the same request under the same key, and another one under its own', async () => {
    const send = { type: 'http', connection: 'crm', method: 'POST', path: '/x', retry: { times: 2 } };
    const keysOf = async (...nodes: readonly Drawn[]) => (await play(graphOf(nodes, 'a.failed>b'))).notes;
    const same = await keysOf({ id: 'a', ...send }, { id: 'b', ...send });
    expect(same).toHaveLength(6);
    expect(new Set(same.slice(0, 3)).size).toBe(1);
    expect(new Set(same.slice(3)).size).toBe(1);
    expect(new Set(same).size).toBe(2);
    const body = '{{now}}';
    const changing = { id: 'a', ...send, body, retry: { times: 1, pause: 60 } };
    const { stage, notes } = await play(graphOf([changing], ''));
    await stage.clock.pass(65_000);
    expect(new Set(notes).size).toBe(2);
  });

  test('is not, where a person said no', async () => {
    const graph = graphOf([{ id: 'h', type: 'human', retry: { times: 3 } }], 'h.approved>end');
    const { stage, run } = await play(graph);
    await stage.decide(run, { decision: 'reject' });
    expect(outline(await stage.tree(run)).filter((line) => line.startsWith('h'))).toEqual([
      'h failed',
      'h/ask 1 completed',
    ]);
  });
});

describe('[WF25] a node that has only so long', () => {
  const bounded = (body: ReturnType<typeof partOf>) =>
    graphOf(
      [{ id: 'f', type: 'loop', times: 1, within: 30, body }, template('late', '{{nodes.f.error.code}}')],
      'f.failed>late late>end f>end',
    );

  test('fails as timed out with all that is in it, and leaves by `failed`', async () => {
    const { stage, run } = await play(bounded(partOf([{ id: 'x', type: 'tool', tool: 'hang' }], '')));
    await stage.clock.pass(29_000);
    expect((await stage.tree(run)).ended).toBeUndefined();
    await stage.clock.pass(2_000);
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('timed-out');
    expect(outline(tree).filter((line) => line.startsWith('f'))).toEqual([
      'f failed',
      'f/round 1 abandoned',
      'f/round 1/x abandoned',
      'f/round 1/x/call1 abandoned',
    ]);
  });

  test.for([
    ['a person', { id: 'x', type: 'human', shows: 1 }],
    ['a time', { id: 'x', type: 'wait', for: 3_600 }],
  ] as const)('counts no time in which it waits for %s', async ([, node]) => {
    const { stage, run } = await play(bounded(partOf([node], '')));
    await stage.clock.pass(3_605_000);
    if (node.type === 'human') await stage.decide(run, { decision: 'approve' });
    expect(answerIn(await stage.tree(run))).toMatchObject({ rounds: 1 });
  });
});

test('[WF16] what data brings is never read as a template or an expression', async () => {
  const graph = graphOf(
    [template('a', '{{input.text}}'), template('b', '{{nodes.a.output}} {{input.text}}')],
    'a>b',
  );
  const { tree } = await play(graph, { text: '{{input.secret}} {{1 + 1}}', secret: 's' });
  expect(tree.ended?.answer).toBe('{{input.secret}} {{1 + 1}} {{input.secret}} {{1 + 1}}');
});

test('[WF6] expressions see what was skipped as nothing, and when their node began', async () => {
  const branch = { id: 'b', type: 'branch', cases: [{ port: 'x', when: 'false' }] };
  const graph = graphOf(
    [
      branch,
      template('skipped', 1),
      template('t', {
        was: '{{nodes.skipped.output}}',
        port: '{{nodes.b.port}}',
        now: '{{now}}',
        day: '{{timestamp(now).getFullYear()}}',
      }),
    ],
    'b.x>skipped b.otherwise>t skipped>t',
  );
  const { tree } = await play(graph);
  expect(answerIn(tree)).toEqual({
    was: null,
    port: 'otherwise',
    now: '2023-11-14T22:13:20.000Z',
    day: 2023,
  });
});
