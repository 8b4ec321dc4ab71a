// As many viewers as were promised, in a process of their own. Nothing here is timed: `npm run bench -- viewers` is.
import { expect, test } from 'vitest';
import { sized, tell } from '../long.ts';
import { fullHouse, manyRuns, oneRun, storm } from '../viewers/scenes.ts';

const enough = { timeout: sized(300_000, 1_200_000) };

test(
  '[L11, R09] 2,000 watch one run, 200 of them take nothing: all get all, and who stalls costs a bounded buffer',
  enough,
  async () => {
    const scene = await oneRun({ healthy: 1_800, stalled: 200, past: 8, seconds: 4, perSecond: 20 });
    expect(scene.faults).toEqual([]);
    expect(scene.complete).toBe(true);
    expect(scene.heldPerStalled).toBeGreaterThan(1);
    expect(scene.heldPerStalled).toBeLessThan(256);
    // Held without a bound, what they have not taken would be 1,600 MB.
    expect(scene.memory).toBeLessThan(300);
  },
);

test(
  '[L14, R48] viewers of 200 runs come and go: each sees its own run, whole and in order',
  enough,
  async () => {
    const scene = await manyRuns({ runs: 200, each: 5, seconds: 4, perSecond: 5 });
    expect(scene.faults).toEqual([]);
    expect(scene.complete).toBe(true);
    expect(scene.reconnects).toBeGreaterThan(20);
  },
);

const crowd = sized(2_000, 5_000);

test(`[R10, R12] ${crowd} are cut off and come back at once, and miss nothing`, enough, async () => {
  const scene = await storm({ viewers: crowd, times: 2 });
  expect(scene.faults).toEqual([]);
  expect(scene.complete).toBe(true);
  tell('a storm', { 'MB at its peak': Math.round(scene.peak) });
  expect(scene.peak).toBeLessThan(600);
});

const [busy, idle] = [sized(60, 1_000), sized(10, 100)];

test(`[R49] ${busy} runs at once, ${idle} viewers that take nothing: memory is bounded`, enough, async () => {
  const scene = await fullHouse({ runs: busy, stalled: idle, past: 8 });
  tell('a full house', { 'MB before': Math.round(scene.before), 'MB after': Math.round(scene.after) });
  expect(scene.faults).toEqual([]);
  expect(scene.complete).toBe(true);
  expect(scene.heldPerStalled).toBeLessThan(256);
  expect(scene.after).toBeLessThan(1_024);
});
