import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Within } from './time/deadlines.ts';

test('it aborts with the outer signal, for its reason', () => {
  const outer = new AbortController();
  const { signal } = new Within(outer.signal);
  expect(signal.aborted).toBe(false);
  outer.abort('enough');
  expect(signal).toMatchObject({ aborted: true, reason: 'enough' });
});

test('within one that has aborted it has aborted from the start', () => {
  const { signal } = new Within(AbortSignal.abort('before'));
  expect(signal).toMatchObject({ aborted: true, reason: 'before' });
});

test('once it has aborted by itself the outer signal goes on, and holds nothing of it', () => {
  const outer = new AbortController();
  const within = new Within(outer.signal);
  within.abort('own');
  within.abort('again');
  expect(within.signal.reason).toBe('own');
  expect(outer.signal.aborted).toBe(false);
  expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
});
