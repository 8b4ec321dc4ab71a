import { expect, test } from 'vitest';
import type { RunTree } from '../../src/run/tree.ts';
import { seedOf, tell } from '../long.ts';
import { calm, type Odds, type Shared, type SimProcess, type Simulation } from '../simulation.ts';
import { judge } from './judge.ts';
import { overMemory } from './over-memory.ts';
import { flows, Scene } from './scene.ts';

const stormy: Odds = {
  crash: 0.004,
  freeze: 0.002,
  lost: 0.01,
  ambiguous: 0.01,
  cut: 0.01,
  deaf: 0.05,
  clock: 0.005,
};
const frozen: Odds = { crash: 0.001, freeze: 0.02, lost: 0, ambiguous: 0, cut: 0, deaf: 0.05, clock: 0.01 };
const weathers: readonly Odds[] = [stormy, frozen, stormy, frozen, calm];

/** Shares are files of their own, so that they run at the same time. */
const shares = 4;
const schedules = Math.ceil(Number(process.env['SCHEDULES'] ?? 4_000) / shares);

/** A share of the schedules, each with its own seed. */
export function schedulesAreSurvived(share: number): void {
  test(`[L3 L4 L5 L6 L7] [R36] [R39] [R57] ${schedules} schedules with crashes, freezes and lost commits: one writer, nothing lost, nothing twice`, async () => {
    const first = seedOf('simulation') + (share - 1) * schedules;
    const met = ['crash', 'freeze', 'lost', 'ambiguous', 'deaf', 'clock'] as const;
    tell(`simulation ${share}`, await survive({ first, count: schedules, over: overMemory, pace: 1, met }));
  }, 3_600_000);
}

interface Storm {
  /** Seeds. */
  readonly first: number;
  readonly count: number;
  readonly over: (sim: Simulation) => Shared;
  /** How many times as many moments everything takes. */
  readonly pace: number;
  /** What the schedules must have met, so that they show anything. */
  readonly met: readonly string[];
}

/** Plays schedules, and gives what was met in them. */
export async function survive({ first, count, met, ...storm }: Storm): Promise<Record<string, number>> {
  const seen = { schedules: count, expired: 0, doubts: 0, takeovers: 0, parked: 0, stopped: 0 };
  const faults = new Map<string, number>();
  for (let seed = first; seed < first + count; seed += 1) {
    const played = await play(seed, weathers[seed % weathers.length] ?? calm, storm);
    const wrongs = await judge(played);
    expect(wrongs, `seed ${seed}`).toEqual([]);
    const { sim } = played.scene;
    const here: Readonly<Record<string, number>> = { ...sim.seen, ...sim.shared.met() };
    for (const what of met) faults.set(what, (faults.get(what) ?? 0) + (here[what] ?? 0));
    for (const tree of played.trees) {
      seen.takeovers += tree.takeovers;
      seen.stopped += tree.ended?.outcome === 'stopped' ? 1 : 0;
      seen.parked += tree.epoch - 1 - tree.takeovers;
      seen.expired += [...tree.approvals.values()].filter(
        ({ decided }) => decided?.decision === 'expire',
      ).length;
      seen.doubts += [...tree.approvals.values()].filter(({ title }) => title.startsWith('Did')).length;
    }
  }
  const all = { ...seen, ...Object.fromEntries(faults) };
  for (const [what, times] of Object.entries(all))
    expect(times, `schedules saw ${what}`).toBeGreaterThanOrEqual(count / 300);
  return all;
}

async function play(
  seed: number,
  odds: Odds,
  { over, pace }: Pick<Storm, 'over' | 'pace'>,
): Promise<{ scene: Scene; trees: RunTree[] }> {
  const scene = new Scene(seed, odds, over);
  const { sim } = scene;
  scene.hire();
  scene.hire();
  const person = sim.spawn('person');
  const door = sim.spawn('door');
  await begin(scene, door);
  sim.kill(door);
  for (let i = 0; i < 6; i += 1) {
    for (const run of scene.runs)
      sim.schedule(person, () => void scene.act(person, run), Math.floor(sim.random() * 20_000));
  }
  await sim.until(() => false, 250 * pace);
  sim.odds = calm;
  await scene.lookForLostWakeUps();
  const helper = sim.spawn('helper');
  let isOver = false;
  for (let round = 0; round < 60 && !isOver; round += 1) {
    await sim.until(() => false, 60 * pace);
    await scene.lookForLostWakeUps();
    isOver = (
      await Promise.all(scene.runs.map(async (run) => (await scene.treeOf(run)).ended !== undefined))
    ).every(Boolean);
    if (round % 4 === 3) for (const run of scene.runs) void scene.help(helper, run);
  }
  return { scene, trees: await Promise.all(scene.runs.map((run) => scene.treeOf(run))) };
}

/** Runs are created by someone who then goes away, so that workers must find them. */
async function begin(scene: Scene, door: SimProcess): Promise<void> {
  const flow = flows[Math.floor(scene.sim.random() * flows.length)] ?? flows[0];
  if (!flow) throw new Error('no flows');
  const engine = scene.engineOf(door);
  let started: { run: string } | undefined;
  const odds = scene.sim.odds;
  scene.sim.odds = calm;
  void engine.start({ app: 'sim', flow, input: { text: 'go' } }).then((result) => (started = result));
  await scene.sim.until(() => started !== undefined, 1_000);
  scene.sim.odds = odds;
  if (!started) throw new Error('the run was not created');
  scene.runs.push(started.run);
}
