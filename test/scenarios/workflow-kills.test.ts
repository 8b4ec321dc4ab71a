import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startModel } from '../../demo/model/server.ts';
import { startNetwork } from '../../demo/network/server.ts';
import type { Point } from '../kill/job.ts';
import type { Line } from '../kill/ledger.ts';
import { disturbed, inFolder, shapeOf, startLedger, type Outcome } from '../kill/sweep.ts';
import { isLong, pieceOf, seedOf, sized, tell } from '../long.ts';
import { Chance } from '../random.ts';
import { Coverage, seedsFrom } from '../workflow/coverage.ts';
import { commandFor, decideInTime } from '../workflow/decided.ts';
import { demoPlayNames, demoPlays, type DemoPlayName } from '../workflow/demo-plays.ts';
import { drawGraph, leafGraph } from '../workflow/random-graph.ts';
import { drawnCatalog, drawnInput, noted } from '../workflow/random-world.ts';
import { interpret } from '../workflow/reference.ts';
import { answerOf, callsIn, countOf, played, tooOften } from '../workflow/taken-over.ts';
import { outline } from '../workflow/world.ts';

const atOnce = 2;
let model: Awaited<ReturnType<typeof startModel>>;
let ledger: Awaited<ReturnType<typeof startLedger>>;
beforeAll(async () => {
  [model, ledger] = await Promise.all([startModel({ pace: 0 }), startLedger()]);
});
afterAll(() => Promise.all([model.close(), ledger.stop()]));

/** Each case has an operations centre of its own, in this process: it outlives whoever is killed. */
function killDemo(demo: DemoPlayName, point: Point): Promise<Outcome> {
  const { decide, effects } = demoPlays[demo];
  return inFolder(async (folder) => {
    const settings = { baseUrl: `${model.url}/v1`, model: 'vitrine-scripted' };
    const centre = await startNetwork({ model: settings });
    const places = { centre: centre.url, model: model.url };
    try {
      return await disturbed(
        { folder, point, text: demo, work: { flow: 'workflow', demo, places } },
        {
          decide: (_, asked) => commandFor(decide, asked),
          wrongs: async () => {
            const done = await doneAt(centre.url);
            return done.length === effects ? [] : [`done were ${done.join()}`];
          },
        },
      );
    } finally {
      await centre.close();
    }
  });
}

async function doneAt(centre: string): Promise<readonly string[]> {
  const read = async (path: string): Promise<unknown> => (await fetch(`${centre}${path}`)).json();
  const { notices } = (await read('/notices')) as { notices: { id: string; kind: string }[] };
  const dispatches = (await read('/dispatches')) as { dispatch_id: string }[];
  return [
    ...notices.filter(({ kind }) => kind === 'notice').map(({ id }) => id),
    ...dispatches.map(({ dispatch_id: id }) => id),
  ];
}

test.for(demoPlayNames)(
  '[WF19 L1 L4 L5] SIGKILL of «%s» of the demo at its records: the same tree, the same answer, nothing done twice',
  { timeout: 10_800_000 },
  async (demo) => {
    const undisturbed = await killDemo(demo, { when: 'never' });
    expect(undisturbed.wrongs).toEqual([]);
    expect(answerOf(undisturbed.tree)).toMatch(demoPlays[demo].ends);
    const shape = timeless(undisturbed);
    const records = undisturbed.entries.length - 2;
    const seen = { before: 0, after: 0, kills: 0, unborn: 0, missed: 0 };
    // What is killed at a commit is killed at each of its records: the next place is behind it.
    const sweep = async (when: 'before' | 'after', first: number): Promise<void> => {
      for (let entry = first; entry <= records;) {
        const outcome = await killDemo(demo, { when, entry });
        const name = `${when} ${entry}`;
        const next = Math.max(outcome.cutAt, entry) + 1;
        seen.kills += 1;
        seen.missed += outcome.wasCut ? 0 : 1;
        seen[when] += Math.min(next, records + 1) - entry;
        entry = next;
        if (outcome.entries.length === 0) {
          seen.unborn += 1;
          expect(when, 'only a run that was never created may be missing').toBe('before');
        } else {
          expect(outcome.wrongs, name).toEqual([]);
          expect(timeless(outcome), name).toEqual(shape);
        }
        if (!isLong) return;
      }
    };
    const from = isLong ? [1, 1] : [records / 3, (records * 2) / 3].map(Math.floor);
    await Promise.all([sweep('before', from[0] ?? 1), sweep('after', from[1] ?? 1)]);
    tell(`kills of «${demo}»`, { records, ...seen });
    if (isLong) expect(seen).toMatchObject({ before: records, after: records, unborn: 1 });
    expect(seen.missed).toBeLessThanOrEqual(seen.kills * 0.1);
  },
);

/** Without the times at which something was. */
function timeless({ tree }: Outcome): unknown {
  const time = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z)?/g;
  return JSON.parse(JSON.stringify(shapeOf(tree)).replaceAll(time, 'then'));
}

/** Kills a drawn graph somewhere, and compares with the simulation of it, which nobody disturbed. */
async function killDrawn(seed: number): Promise<{ wasCut: boolean; breaks: number }> {
  const graph = drawGraph(seed);
  const chance = new Chance(seed);
  const data = drawnInput(seed);
  const play = { graph, others: [leafGraph], data, decide: decideInTime, catalog: drawnCatalog, chance };
  const whole = await played(play, { seen: { apart: 0, twice: 0, late: 0 } });
  const { answer, breaks } = interpret(graph, data, decideInTime);
  const when = chance.pick(['before', 'after'] as const);
  const point: Point = { when, entry: chance.between(2, whole.entries.length - 4) };
  const name = `SEED=${seed} ${JSON.stringify(point)}`;
  return inFolder(async (folder) => {
    const file = join(folder, 'ledger.jsonl');
    const work = { flow: 'workflow', drawn: seed, ledger: { socket: ledger.socket, file } } as const;
    const outcome = await disturbed(
      { folder, point, text: '', work },
      { decide: (_, asked) => commandFor(decideInTime, asked), wrongs: () => [] },
    );
    expect(outcome.wrongs, name).toEqual([]);
    expect(answerOf(outcome.tree), name).toEqual(answer);
    expect(tooOften(effectsIn(file), callsIn(outcome.tree, noted)), name).toEqual([]);
    if (breaks === 0) {
      expect(outline(outcome.tree), name).toEqual(outline(whole.tree));
      expect(countOf(effectsIn(file)), name).toEqual(countOf(whole.ledger.values()));
    }
    return { wasCut: outcome.wasCut, breaks };
  });
}

function effectsIn(file: string): string[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => (JSON.parse(line) as Line).what);
}

test(
  '[WF19 L1 L4 L5] SIGKILL of any graph: it comes to what an interpreter without durability does, and nothing is done twice',
  { timeout: 10_800_000 },
  async () => {
    const first = seedOf('kills of random graphs');
    const all = seedsFrom(first, sized(4, 40), sized(8, 0));
    const coverage = new Coverage();
    for (const seed of all) coverage.look(drawGraph(seed));
    const seeds = pieceOf(all);
    const seen = { graphs: seeds.length, cut: 0, broken: 0 };
    const queue = seeds.entries();
    const sweep = async (): Promise<void> => {
      for (const [, seed] of queue) {
        const { wasCut, breaks } = await killDrawn(seed);
        seen.cut += wasCut ? 1 : 0;
        seen.broken += breaks > 0 ? 1 : 0;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sweep));
    tell('kills of random graphs', { ...seen, ...coverage.counts });
    expect(seen.cut).toBeGreaterThan(seen.graphs * 0.7);
    expect(seen.broken).toBeLessThan(seen.graphs);
    expect(coverage.counts.levels).toBe(5);
    expect(coverage.missing.length, coverage.missing.join()).toBeLessThanOrEqual(sized(4, 0));
    expect(coverage.unjoined.length, coverage.unjoined.join()).toBeLessThanOrEqual(sized(8, 0));
    expect(coverage.counts.joins).toBeGreaterThan(0);
    expect(coverage.counts.inLoops + coverage.counts.inMaps).toBeGreaterThan(sized(0, 5));
  },
);
