import { expect, test } from 'vitest';
import { manyRuns, oneRun, storm } from '../viewers/scenes.ts';

test('[L11, R09] many watch one run, some take nothing: all get all, and who stalls costs a bounded buffer', async () => {
  const scene = await oneRun({ healthy: 270, stalled: 30, past: 12, seconds: 4, perSecond: 50 });
  expect(scene.faults).toEqual([]);
  expect(scene.complete).toBe(true);
  expect(scene.heldPerStalled).toBeGreaterThan(1);
  expect(scene.heldPerStalled).toBeLessThan(256);
  expect(scene.memory).toBeLessThan(150);
});

test('[L14, R48] viewers of many runs come and go: each sees its own run, whole and in order', async () => {
  const scene = await manyRuns({ runs: 60, each: 5, seconds: 5, perSecond: 10 });
  expect(scene.faults).toEqual([]);
  expect(scene.complete).toBe(true);
  expect(scene.reconnects).toBeGreaterThan(20);
});

test('[R10, R12] everyone is cut off and comes back at once, and misses nothing', async () => {
  const scene = await storm({ viewers: 1_000, times: 3 });
  expect(scene.faults).toEqual([]);
  expect(scene.complete).toBe(true);
  expect(scene.peak).toBeLessThan(600);
});
