// How much what one reads jumps, as browsers report it.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

interface Shift {
  readonly value: number;
  readonly at: number;
  readonly moved: readonly string[];
}

/** As browsers report it: the most that moved within five seconds, without a second of rest between. */
export function shiftOf(shifts: readonly Shift[]): number {
  let most = 0;
  let began = -Infinity;
  let last = -Infinity;
  let sum = 0;
  for (const { value, at } of shifts) {
    const isNew = at - last > 1_000 || at - began > 5_000;
    if (isNew) began = at;
    sum = isNew ? value : sum + value;
    last = at;
    most = Math.max(most, sum);
  }
  return most;
}

/** From now on what moves without anybody having touched it is counted. */
export async function watchShifts(page: Page): Promise<void> {
  await page.evaluate(`
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, startTime, hadRecentInput, sources } of list.getEntries())
        if (!hadRecentInput) shifts.push({ value, at: startTime, moved: sources.map(({ node }) => node?.className ?? '') });
    }).observe({ type: 'layout-shift', buffered: true });
  `);
}

/** What was counted so far. */
export async function shiftsOn(page: Page): Promise<readonly Shift[]> {
  return (await page.evaluate('shifts')) as Shift[];
}

/** Fails where it jumped by more than browsers call good. */
export async function expectStill(page: Page): Promise<void> {
  const shifts = await shiftsOn(page);
  expect(shiftOf(shifts), JSON.stringify(shifts)).toBeLessThanOrEqual(0.1);
}
