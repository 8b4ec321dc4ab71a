import { expect, test } from 'vitest';
import { Dense } from '../database/dense.ts';
import { seedOf, sized, tell } from '../long.ts';
import { calm, type Odds } from '../simulation.ts';

const rough: Odds = { ...calm, crash: 0.003, freeze: 0.002, cut: 0.02, deaf: 0.05 };
const weathers: readonly Odds[] = [calm, rough];
const count = sized(600, 20_000);

test(`[Q60 Q62] ${count} schedules of writers on the same runs and lines: as if one after the other`, async () => {
  const first = seedOf('store storm');
  const seen = {
    schedules: count,
    operations: 0,
    transactions: 0,
    guarded: 0,
    refused: 0,
    conflicts: 0,
    idle: 0,
    cut: 0,
    crash: 0,
    freeze: 0,
  };
  for (let seed = first; seed < first + count; seed += 1) {
    const dense = new Dense(seed, weathers[seed % weathers.length] ?? calm);
    for (let i = 0; i < 4; i += 1) dense.hire();
    await dense.sim.until(() => dense.wrongs.length > 0, 400);
    expect(dense.wrongs, `seed ${seed}`).toEqual([]);
    const { server } = dense.shared;
    for (const what of ['transactions', 'guarded', 'refused', 'conflicts', 'idle'] as const)
      seen[what] += server.seen[what];
    for (const what of ['cut', 'crash', 'freeze'] as const) seen[what] += dense.sim.seen[what];
    seen.operations += dense.operations;
  }
  tell('store storm', seen);
  for (const [what, times] of Object.entries(seen))
    expect(times, `schedules saw ${what}`).toBeGreaterThan(count / 100);
}, 3_600_000);
