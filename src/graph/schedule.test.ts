import { expect, test } from 'vitest';
import { nextTimes, scheduleProblems, timesBetween, type Schedule } from './schedule.ts';

const berlin = (cron: string): Schedule => ({ cron, timezone: 'Europe/Berlin' });
const told = (times: readonly number[]) => times.map((at) => new Date(at).toISOString().slice(0, 16));

test('[WR20] on the night without 02:30 it comes at 03:00 by the clock, once; the days around as always', () => {
  expect(told(nextTimes(berlin('30 2 * * *'), Date.UTC(2026, 2, 28), 3))).toEqual([
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
});

test('[WR20] on the night with two of them it comes at the first, once', () => {
  expect(told(nextTimes(berlin('30 2 * * *'), Date.UTC(2026, 9, 24), 3))).toEqual([
    '2026-10-24T00:30',
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
});

test('[WR20] what comes every quarter of an hour misses none and repeats none on either night', () => {
  for (const night of [Date.UTC(2026, 2, 28, 22), Date.UTC(2026, 9, 24, 22)]) {
    const times = nextTimes(berlin('*/15 * * * *'), night, 24);
    expect(times).toEqual(times.map((_, i) => night + (i + 1) * 900_000));
  }
});

test.for([
  ['0 0 31 2 *', 'Europe/Berlin', 'cron', 'never comes'],
  ['0 0 31 4,6 *', 'UTC', 'cron', 'never comes'],
  ['61 * * * *', 'UTC', 'cron', 'Invalid value for minute: 61'],
  ['* * * * * *', 'UTC', 'cron', 'requires exactly 5 parts'],
  ['whenever', 'UTC', 'cron', 'cannot be read'],
  ['0 8 * * *', 'Mars/Olympus', 'timezone', '«Mars/Olympus» is no time zone'],
])('[WR20] «%s» in %s is refused', ([cron = '', timezone = '', part, words]) => {
  expect(scheduleProblems([{ cron, timezone }])).toMatchObject([
    { node: '', field: `schedules.0.${part}`, problem: expect.stringContaining(words ?? '') },
  ]);
});

test('[WR20] what comes on the 29th of February is no problem', () => {
  expect(scheduleProblems([berlin('0 0 29 2 *'), berlin('0 8 * * 1-5')])).toEqual([]);
});

test('[WR20] the last times before a moment are those that come one after the other, however long ago it began', () => {
  const until = Date.UTC(2026, 10, 17, 12);
  for (const cron of ['* * * * *', '*/7 3 * * *', '0 8 * * 1-5', '0 0 1 1 *', '0 0 29 2 *']) {
    const after = Date.UTC(2010, 0, 1);
    const last = timesBetween(berlin(cron), { after, until }, 5);
    expect(last).toHaveLength(cron === '0 0 29 2 *' ? 4 : 5);
    expect(nextTimes(berlin(cron), last[0] ?? 0, last.length - 1)).toEqual(last.slice(1));
    const [next = 0] = nextTimes(berlin(cron), last.at(-1) ?? 0, 1);
    expect(next).toBeGreaterThan(until);
  }
  expect(timesBetween(berlin('* * * * *'), { after: until, until }, 5)).toEqual([]);
});
