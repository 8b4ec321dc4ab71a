import { describe, expect, test } from 'vitest';
import { Stage, codes } from '../../../test/stage.ts';
import { answerIn, graphOf, outline, partOf, runOf, workflowFlow } from '../../../test/workflow/world.ts';
import { toolOf } from '../../../test/world.ts';
import { flatApproval } from '../../run/flat-approval.ts';
import type { Json } from '../../run/values.ts';

function world() {
  const notes: Json[] = [];
  const note = toolOf('note', (input) => notes.push(input), { effect: 'idempotent' });
  return { notes, catalog: { flows: [workflowFlow], tools: [note] } };
}

async function play(graph: ReturnType<typeof graphOf>, data?: Json) {
  const stage = new Stage();
  const { notes, catalog } = world();
  const worker = stage.hire(catalog);
  const run = await stage.start(worker, workflowFlow, await runOf(stage.store, graph, data));
  return { stage, run, notes, worker, catalog };
}

const template = (id: string, value: Json) => ({ id, type: 'template', value });
const human = (more: object = {}) => ({
  id: 'check',
  type: 'human',
  shows: '{{nodes.draft.output}}',
  ...more,
});

describe('[WF8] a question of a graph', () => {
  const drawn = 'draft>check check.approved>yes check.rejected>no check.expired>late';
  const graph = (more: object = {}) =>
    graphOf(
      [
        template('draft', { to: 'all' }),
        human(more),
        template(
          'yes',
          '{{nodes.check.output.decision}} {{nodes.check.output.by}} {{nodes.check.output.value}}',
        ),
        template('no', 'no: {{nodes.check.output.rationale}}'),
        template('late', 'late'),
      ],
      drawn,
    );

  test.for([
    [{ decision: 'approve' }, 'approve ann {"to":"all"}'],
    [{ decision: 'reject', rationale: 'too soon' }, 'no: too soon'],
    [{ decision: 'edit', arguments: { to: 'some' } }, 'edit ann {"to":"some"}'],
  ] as const)('goes on by what is decided: %j', async ([decision, answer]) => {
    const { stage, run } = await play(graph({ allowed: ['edit'] }));
    await stage.decide(run, decision as object);
    expect((await stage.tree(run)).ended?.answer).toBe(answer);
  });

  test('expires into its own path', async () => {
    const { stage, run } = await play(graph({ expiresIn: 3_600 }));
    await stage.clock.pass(3_700_000);
    expect((await stage.tree(run)).ended?.answer).toBe('late');
  });

  test('is put off where that is allowed, comes back then, and expires by the calendar all the same', async () => {
    const { stage, run } = await play(graph({ allowed: ['defer'], expiresIn: 7_200 }));
    await stage.decide(run, { decision: 'defer', until: stage.clock.now() + 3_600_000 });
    expect((await stage.asked(run)).map((one) => flatApproval(one).status)).toEqual(['deferred']);
    await stage.clock.pass(3_603_000);
    expect((await stage.asked(run)).map((one) => flatApproval(one).status)).toEqual(['undecided']);
    await stage.clock.pass(3_603_000);
    expect((await stage.tree(run)).ended?.answer).toBe('late');
    const other = await play(graph());
    await other.stage.decide(other.run, { decision: 'defer' });
    expect(codes(await other.stage.tree(other.run))).toEqual(['DECISION_REFUSED']);
  });

  test('takes what is filled in, if it fits its form, also as an edit', async () => {
    const form = { type: 'object', required: ['to'], properties: { to: { type: 'string' } } };
    const { stage, run } = await play(graph({ form, allowed: ['edit'] }));
    await stage.decide(run, { decision: 'approve', answer: { to: 3 } });
    await stage.decide(run, { decision: 'edit', arguments: { of: 'x' } });
    expect(codes(await stage.tree(run))).toEqual(['DECISION_REFUSED', 'DECISION_REFUSED']);
    await stage.decide(run, { decision: 'approve', answer: { to: 'me' } });
    expect((await stage.tree(run)).ended?.answer).toBe('approve ann {"to":"me"}');
  });

  test('with a form, what is shown is that form filled in: agreed to as it is where it fits, or changed', async () => {
    const form = (type: string): Json => ({ type: 'object', properties: { to: { type } } });
    const { stage, run } = await play(graph({ form: form('string') }));
    expect((await stage.asked(run))[0]?.allowed).toEqual(['approve', 'reject', 'edit']);
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('approve ann {"to":"all"}');
    const other = await play(graph({ form: form('number') }));
    await other.stage.decide(other.run, { decision: 'approve' });
    expect((await other.stage.tree(other.run)).notices.at(-1)?.message).toBe(
      'To approve this, give an «answer» that fits its schema, or «edit» what is shown.',
    );
    await other.stage.decide(other.run, { decision: 'edit', arguments: { to: 3 } });
    expect((await other.stage.tree(other.run)).ended?.answer).toBe('edit ann {"to":3}');
  });

  test.for([
    [{ decision: 'reject', rationale: 'no budget' }, 'refused', 'ann rejected «Post?»: no budget'],
    [undefined, 'timed-out', 'Nobody decided «Post?» in time.'],
  ] as const)('fails where nothing goes on from a no: %j', async ([decision, code, message]) => {
    const alone = graphOf(
      [template('draft', 1), human({ title: 'Post?', expiresIn: 60 })],
      'draft>check check.approved>end',
    );
    const { stage, run } = await play(alone);
    if (decision) await stage.decide(run, decision);
    else await stage.clock.pass(70_000);
    expect((await stage.tree(run)).ended?.failure).toMatchObject({ code, message });
  });
});

describe('[WF9] what a person has done again', () => {
  const nodes = [
    template('source', 'source'),
    { id: 'draft', type: 'tool', tool: 'note', arguments: { hint: '{{edits}}' } },
    template('polish', 'draft {{nodes.draft.output}}'),
    { id: 'check', type: 'human', shows: '{{nodes.polish.output}}', redo: ['draft', 'source'] },
    template('told', '{{nodes.polish.output}} of {{nodes.source.output}}'),
  ];
  const graph = graphOf(nodes, 'source>draft draft>polish polish>check check.approved>told');
  const again = (hint: string) => ({ decision: 'edit', arguments: hint, answer: { redo: 'draft' } }) as const;

  test('is done in a step of its own with the edits, asked about anew, and is what comes after sees', async () => {
    const { stage, run, notes } = await play(graph);
    await stage.decide(run, again('shorter'));
    expect((await stage.asked(run)).map(({ arguments: shown, redo }) => [shown, redo])).toEqual([
      ['draft 2', ['draft', 'source']],
    ]);
    await stage.decide(run, { decision: 'approve' });
    const tree = await stage.tree(run);
    expect(tree.ended?.answer).toBe('draft 2 of source');
    expect(notes).toEqual([{ hint: null }, { hint: 'shorter' }]);
    expect(outline(tree, ({ kind }) => kind !== 'call').filter((line) => line.startsWith('check'))).toEqual([
      'check completed',
      'check/again 2 completed',
      'check/again 2/draft completed',
      'check/again 2/polish completed',
      'check/ask 1 completed',
      'check/ask 2 completed',
    ]);
  });

  test('is done five times at most', async () => {
    const { stage, run, notes } = await play(graph);
    for (let i = 1; i <= 5; i += 1) await stage.decide(run, again(`hint ${i}`));
    expect((await stage.asked(run))[0]?.redo).toBeUndefined();
    await stage.decide(run, again('once more'));
    expect(codes(await stage.tree(run))).toEqual(['DECISION_REFUSED']);
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('draft 6 of source');
    expect(notes).toHaveLength(6);
  });

  test('must be named by the question, and is refused elsewhere', async () => {
    const { stage, run } = await play(graph);
    await stage.decide(run, { decision: 'edit', answer: { redo: 'told' } });
    const tree = await stage.tree(run);
    expect(codes(tree)).toEqual(['DECISION_REFUSED']);
    expect(tree.notices[0]?.message).toMatch(/\{"redo": "draft"\}; there is: draft, source/);
  });

  test('survives the end of its worker at any moment', async () => {
    const { stage, run, worker, catalog } = await play(graph);
    await stage.decide(run, again('shorter'));
    stage.hire(catalog);
    await stage.bury(worker);
    await stage.decide(run, { decision: 'approve' });
    expect((await stage.tree(run)).ended?.answer).toBe('draft 2 of source');
  });
});

test('[WF8] questions in maps and loops are independent, and are decided in any order', async () => {
  const body = partOf([{ id: 'ask', type: 'human', shows: '{{item}}' }], '');
  const graph = graphOf(
    [
      { id: 'all', type: 'map', items: 'input.list', atOnce: 3, body },
      {
        id: 'some',
        type: 'loop',
        over: 'input.list',
        max: 5,
        body: partOf([{ id: 'again', type: 'human', shows: '{{item}}' }], ''),
      },
    ],
    '',
  );
  const { stage, run } = await play(graph, { list: ['a', 'b', 'c'] });
  expect(
    (await stage.asked(run))
      .map(({ arguments: shown }) => JSON.stringify(shown))
      .toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(['"a"', '"a"', '"b"', '"c"']);
  for (const what of ['c', 'a', 'a', 'b', 'b', 'c']) {
    const approval = (await stage.asked(run)).find(({ arguments: shown }) => shown === what)?.approval;
    await stage.decide(run, { decision: 'approve', ...(approval ? { approval } : {}) });
  }
  const tree = await stage.tree(run);
  const { all, some } = answerIn(tree) as {
    all: { value: string }[];
    some: { all: unknown[] };
  };
  expect(all.map(({ value }) => value)).toEqual(['a', 'b', 'c']);
  expect(some.all).toHaveLength(3);
});

test('[WF10] a wait of forty days goes on over restarts, at its time', async () => {
  const day = 86_400_000;
  const { stage, run, worker, catalog } = await play(
    graphOf(
      [
        { id: 'long', type: 'wait', for: 'input.days * 86400' },
        template('then', '{{nodes.long.output.until}}'),
      ],
      'long>then',
    ),
    { days: 40 },
  );
  const until = new Date(stage.clock.now() + 40 * day).toISOString();
  // Nobody looks for work while time passes: it would be looked for each second.
  await worker.quit();
  await stage.clock.pass(20 * day);
  const second = stage.hire(catalog);
  await stage.clock.pass(60_000);
  expect(await stage.state(run)).toBe('waiting');
  await second.quit();
  await stage.clock.pass(20 * day - 120_000);
  stage.hire(catalog);
  await stage.clock.pass(30_000);
  expect((await stage.tree(run)).ended).toBeUndefined();
  await stage.clock.pass(60_000);
  expect((await stage.tree(run)).ended?.answer).toBe(until);
});
