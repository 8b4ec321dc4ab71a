import { expect, test } from 'vitest';
import { Parts } from './parts.ts';

test('[W250] what many look at is made once for each change', () => {
  let made = 0;
  let value = 1;
  const parts = new Parts();
  const source = parts.source('one', () => {
    made += 1;
    return { value };
  });
  const told: number[] = [];
  for (let i = 0; i < 5; i += 1) source.subscribe(() => told.push(source.getSnapshot().value));
  const before = source.getSnapshot();
  value = 2;
  parts.look();
  expect(told).toEqual([2, 2, 2, 2, 2]);
  expect(made).toBe(2);
  parts.look();
  expect(source.getSnapshot()).not.toBe(before);
  expect([told.length, made]).toEqual([5, 3]);
});
