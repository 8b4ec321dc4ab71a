import { expect, test } from 'vitest';
import { systemClock, workedTime } from '../loop/machine.ts';

test('[E65 E68] time in which a process was stopped, or its machine asleep, was not worked', () => {
  let elapsed = 1_000;
  const worked = workedTime({ elapsed: () => elapsed, busy: () => 0 });
  const begun = worked();
  const after = (milliseconds: number): number => {
    elapsed += milliseconds;
    return worked() - begun;
  };
  expect(after(10)).toBe(10);
  expect(after(4_000)).toBe(4_010);
  // Nobody looked for eight hours, not even a timer: of that, one tick counts.
  expect(after(8 * 3_600_000)).toBe(5_010);
  expect(after(20)).toBe(5_030);
});

test('[E65] time in which one function kept the thread to itself was worked', () => {
  let [elapsed, used] = [1_000, 500];
  const worked = workedTime({ elapsed: () => elapsed, busy: () => used });
  const begun = worked();
  elapsed += 25_000;
  used += 24_000;
  expect(worked() - begun).toBe(24_000);
});

test('[E65] the machine’s time goes on as long as the process does', async () => {
  const begun = systemClock.worked();
  await systemClock.sleep(30, new AbortController().signal);
  expect(systemClock.worked() - begun).toBeGreaterThan(20);
});
