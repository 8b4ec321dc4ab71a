import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codes, Stage } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf, toolOf } from '../../../test/world.ts';
import type { RunTree } from '../../run/tree.ts';
import type { Scope } from '../scope.ts';

/** Branches whose work is over when it is told to be. */
function fan(count: number, atOnce: number) {
  const ends = new Map<string, () => void>();
  const seen = { most: 0, done: new Map<string, number>() };
  const work = toolOf('work', async (input) => {
    const { name } = input as { name: string };
    await new Promise<void>((resolve) => ends.set(name, resolve));
    ends.delete(name);
    seen.done.set(name, (seen.done.get(name) ?? 0) + 1);
    return name;
  });
  const names = Array.from({ length: count }, (_, i) => `b${i}`);
  const flow = flowOf(async (scope) => {
    const branches = Object.fromEntries(
      names.map((name) => [name, async (branch: Scope) => (await branch.call('work', { name })).outcome]),
    );
    const done = await scope.parallel(branches, {}, { atOnce });
    return Object.keys(done).join();
  });
  const end = async (name: string | undefined): Promise<void> => {
    seen.most = Math.max(seen.most, ends.size);
    ends.get(name ?? '')?.();
    await calm();
  };
  return { flow, work, end, seen, running: () => [...ends.keys()], names };
}

function shown({ steps }: RunTree): string {
  return [...steps.values()]
    .filter(({ kind }) => kind === 'branch')
    .map(({ status }) => status[0])
    .join('');
}

describe('a fan with a bound', () => {
  test('[E305] shows all branches, works on so many at a time, and begins them in their order', async () => {
    const stage = new Stage();
    const { flow, work, end, running } = fan(5, 2);
    const run = await stage.start(stage.hire({ flows: [flow], tools: [work] }), flow);
    expect([running(), shown(await stage.tree(run))]).toEqual([['b0', 'b1'], 'rrppp']);
    await end('b1');
    expect([running(), shown(await stage.tree(run))]).toEqual([['b0', 'b2'], 'rcrpp']);
    for (const name of ['b0', 'b2', 'b3', 'b4']) await end(name);
    expect((await stage.tree(run)).ended?.answer).toBe('b0,b1,b2,b3,b4');
  });

  test('[E305] whatever order its branches end in and whenever workers die, never more work at once', async () => {
    const covered = { crashes: 0, bounded: 0 };
    const drawn = fc.record({
      count: fc.integer({ min: 1, max: 6 }),
      atOnce: fc.integer({ min: 1, max: 4 }),
      moves: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(drawn, async ({ count, atOnce, moves }) => {
        const stage = new Stage();
        const { flow, work, end, seen, running, names } = fan(count, atOnce);
        const catalog = { flows: [flow], tools: [work] };
        let worker = stage.hire(catalog);
        let crashes = 0;
        const run = await stage.start(worker, flow);
        for (const move of [...moves, ...names.map((_, i) => i)]) {
          if (move === 5) {
            // Whoever loses three in a row is set aside.
            if ((crashes += 1) > 2) continue;
            const dead = worker;
            worker = stage.hire(catalog);
            await stage.bury(dead);
            covered.crashes += 1;
          } else await end(running()[move % Math.max(1, running().length)]);
        }
        for (let rest = names.length; rest > 0; rest -= 1) await end(running()[0]);
        const tree = await stage.tree(run);
        expect(tree.ended?.answer).toBe(names.join());
        expect(codes(tree).filter((code) => code !== 'ON_ITS_OWN')).toEqual([]);
        expect(seen.most).toBeLessThanOrEqual(atOnce);
        covered.bounded += atOnce < count ? 1 : 0;
      }),
      { numRuns: 25 },
    );
    expect(covered.crashes).toBeGreaterThan(5);
    expect(covered.bounded).toBeGreaterThan(5);
  });

  test('[E305] of none at a time is malformed', async () => {
    const stage = new Stage();
    const flow = flowOf((scope) =>
      scope.parallel({ a: async () => 1 }, {}, { atOnce: 0 }).then(String, String),
    );
    const run = await stage.start(stage.hire({ flows: [flow] }), flow);
    expect((await stage.tree(run)).ended?.answer).toContain(
      '«atOnce» must be a number of branches, 1 or more.',
    );
  });
});
