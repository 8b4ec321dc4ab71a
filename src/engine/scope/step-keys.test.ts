import { describe, expect, test } from 'vitest';
import { Stage, stepAt } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import type { Scope } from '../scope.ts';

async function runOf(body: (scope: Scope) => Promise<unknown>, tools = [toolOf('read', () => 1)]) {
  const flow = flowOf(async (scope) => String(await body(scope)));
  const stage = new Stage();
  const run = await stage.start(stage.hire({ flows: [flow], tools }), flow);
  return { stage, run, tree: await stage.tree(run) };
}

describe('keys', () => {
  test('[E10] are given, or the kind and a count; ids are the order of opening', async () => {
    const { tree } = await runOf(async (scope) => {
      await scope.call('read', {});
      await scope.step({}, async (inner) => inner.call('read', {}));
      await scope.call('read', {}, { key: 'named' });
      await scope.call('read', {});
    });
    const seen = [...tree.steps.values()].map(({ id, parent, key }) => [id, parent, key]);
    expect(seen).toEqual([
      [0, 0, ''],
      [1, 0, 'call1'],
      [2, 0, 'step1'],
      [3, 2, 'call1'],
      [4, 0, 'named'],
      [5, 0, 'call2'],
    ]);
  });

  const twice: { readonly name: string; readonly body: (scope: Scope) => Promise<unknown> }[] = [
    {
      name: 'two steps',
      body: async (scope) => {
        await scope.step({ key: 'same' }, async () => 1);
        await scope.step({ key: 'same' }, async () => 2);
      },
    },
    {
      name: 'a step and a branch',
      body: async (scope) => {
        await scope.step({ key: 'same' }, async () => 1);
        await scope.parallel({ other: async () => 1, same: async () => 2 });
      },
    },
    {
      name: 'branches of two parallels',
      body: async (scope) => {
        await scope.parallel({ same: async () => 1 });
        await scope.parallel({ same: async () => 2 });
      },
    },
    {
      name: 'a given key that looks like a counted one',
      body: async (scope) => {
        await scope.call('read', {}, { key: 'call1' });
        await scope.call('read', {});
      },
    },
  ];

  test.for(twice)('[E11] used twice fail at the first execution: $name', async ({ body }) => {
    const { tree } = await runOf(body);
    expect(tree.ended).toMatchObject({ outcome: 'failed', failure: { code: 'malformed' } });
    expect(tree.ended?.failure?.message).toMatch(/In «hello» the key «(same|call1)» is used twice\./);
    const keys = [...tree.steps.values()].map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
    expect([...tree.steps.values()].filter(({ status }) => status === 'abandoned')).toEqual([]);
  });

  test('[E12] left out by two operations at once fail at the first execution', async () => {
    const { tree } = await runOf(async (scope) => {
      await Promise.all([scope.call('read', { n: 1 }), scope.call('read', { n: 2 })]);
    });
    expect(tree.ended?.failure).toMatchObject({
      code: 'malformed',
      message: 'In «hello» two unnamed operations are under way at once (call1, call); give each a key.',
    });
  });

  test('[E12] may be left out one after the other, also after a failure', async () => {
    const { tree } = await runOf(async (scope) => {
      await scope.step({}, async () => Promise.reject(new RunError('refused', 'No.'))).catch(() => {});
      await scope.step({}, async () => 1);
      return 'both';
    });
    expect(tree.ended?.answer).toBe('both');
  });
});

describe('parallel', () => {
  test('[E13] opens all branches in their order, in one append', async () => {
    const { stage, run, tree } = await runOf((scope) =>
      scope.parallel({
        slow: async (branch) => branch.call('read', { n: 1 }),
        quick: async () => 1,
        third: async () => 2,
      }),
    );
    const keys = [...tree.steps.values()].map(({ key }) => key);
    expect(keys.slice(0, 4)).toEqual(['', 'slow', 'quick', 'third']);
    const chunks = await stage.store.journal.read(run, 2);
    expect(chunks[0]?.frames.match(/"step.opened"/g)?.length).toBeGreaterThanOrEqual(3);
  });

  test('[E13] settles every branch, and throws the first failure in branch order, not in time', async () => {
    const slow = Promise.withResolvers<Json>();
    const ends: string[] = [];
    const flow = flowOf(async (scope) => {
      await scope.parallel({
        late: async (branch) => {
          await branch.call('slow', {});
          ends.push('late');
          throw new RunError('refused', 'The late one.');
        },
        early: async () => {
          ends.push('early');
          throw new RunError('timed-out', 'The early one.');
        },
        fine: async (branch) => (await branch.call('slow', {}), ends.push('fine')),
      });
      return 'never';
    });
    const stage = new Stage();
    const run = await stage.start(
      stage.hire({ flows: [flow], tools: [toolOf('slow', () => slow.promise)] }),
      flow,
    );
    expect(ends).toEqual(['early']);
    slow.resolve(1);
    const tree = await stage.tree(run);
    expect(tree.ended?.failure).toMatchObject({ code: 'refused', message: 'The late one.' });
    expect(ends.toSorted()).toEqual(['early', 'fine', 'late']);
    expect(['late', 'early', 'fine'].map((key) => stepAt(tree, key).status)).toEqual([
      'failed',
      'failed',
      'completed',
    ]);
  });

  test('[E13 E20] throws the same failure after a recovery, though both are known at once then', async () => {
    const halt = { first: true };
    const flow = flowOf(async (scope) => {
      const failed = await scope
        .parallel({
          one: async (branch) => (
            await branch.call('slow', {}),
            Promise.reject(new RunError('refused', 'One.'))
          ),
          two: async () => Promise.reject(new RunError('refused', 'Two.')),
        })
        .catch((thrown: RunError) => thrown.message);
      await scope.call('halt', {}, { key: 'halt' });
      return JSON.stringify(failed);
    });
    const tools = [
      toolOf('slow', () => calm().then(() => 1)),
      toolOf('halt', () => (halt.first ? ((halt.first = false), new Promise<Json>(() => {})) : 1)),
    ];
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], tools });
    const run = await stage.start(first, flow);
    await calm();
    stage.hire({ flows: [flow], tools });
    await stage.bury(first);
    expect((await stage.tree(run)).ended?.answer).toBe('"One."');
  });
});

const circle: unknown[] = [];
circle.push(circle);

test.for([
  ['a number beyond numbers', 10n],
  ['a circle', circle],
] as const)('[V174] a step that returns %s is told what it did, as its own fault', async ([, given]) => {
  const flow = flowOf(async (scope) => {
    await scope.step({ key: 'odd', title: 'Odd' }, async () => given as unknown as Json);
    return 'never';
  });
  const stage = new Stage();
  const { failure } = (await stage.tree(await stage.start(stage.hire({ flows: [flow] }), flow))).ended ?? {};
  expect(failure?.message).toContain('«Odd» returned something that is not JSON');
});

test('[E15] a failure nobody awaits is recorded, and does not end the process', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const { tree } = await runOf(async (scope) => {
    const floating = [
      scope.step({ key: 'fails' }, async () => Promise.reject(new RunError('refused', 'No.'))),
      scope.turn('nobody', { messages: [] }),
      scope.parallel({ branch: async () => Promise.reject(new RunError('refused', 'No.')) }),
    ];
    await scope.call('read', {}, { key: 'read' });
    return floating.length;
  });
  await calm();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  expect([stepAt(tree, 'fails').status, tree.ended?.answer]).toEqual(['failed', '3']);
});
