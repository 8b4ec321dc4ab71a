import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deadline } from './deadline.ts';

const never = new AbortController().signal;
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

test('[M5] the time is up when it is up', () => {
  const clock = deadline(100, never);
  vi.advanceTimersByTime(99);
  expect(clock.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect([clock.signal.aborted, clock.isOver()]).toEqual([true, true]);
});

test('[M5] the clock stands still while anyone is asked', () => {
  const clock = deadline(100, never);
  vi.advanceTimersByTime(60);
  const [first, second] = [clock.pause(), clock.pause()];
  vi.advanceTimersByTime(10_000);
  first();
  vi.advanceTimersByTime(10_000);
  second();
  vi.advanceTimersByTime(39);
  expect(clock.isOver()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(clock.isOver()).toBe(true);
});

test('[M5] a caller who gives up ends it, but not as a timeout', () => {
  const caller = new AbortController();
  const clock = deadline(100, caller.signal);
  caller.abort(new Error('enough'));
  expect([clock.signal.reason, clock.isOver()]).toEqual([new Error('enough'), false]);
  expect(deadline(100, caller.signal).signal.aborted).toBe(true);
});

test('[M5] a cleared clock leaves no timer, not even after a pause', () => {
  const clock = deadline(100, never);
  const goOn = clock.pause();
  clock.clear();
  goOn();
  expect(vi.getTimerCount()).toBe(0);
});
