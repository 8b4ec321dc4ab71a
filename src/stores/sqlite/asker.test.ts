import { expect, test } from 'vitest';
import { askerIn } from './sqlite.worker.ts';
import type { RunRow } from '../store.ts';

const asker = askerIn({
  run(run) {
    if (run === 'damaged') throw new Error('a row that makes no sense');
    return run === 'mine' ? ({ tenant: 'me' } as RunRow) : undefined;
  },
});

test.for([
  ['read', { run: 'mine', after: 0 }, 'me'],
  ['get', 'mine', 'me'],
  ['pending', 'mine', 'me'],
  ['list', { tenant: 'me' }, 'me'],
  ['find', { tenant: 'me', idempotencyKey: 'k' }, 'me'],
  ['blob', { tenant: 'me', blob: 'b' }, 'me'],
  ['held', 'me', 'me'],
  ['get', 'unknown', ''],
  ['read', { run: 'damaged', after: 0 }, ''],
  ['questions', undefined, ''],
] as const)('[V136] to %s is work of the tenant it is about', ([name, argument, whose]) => {
  expect(asker(name, argument)).toBe(whose);
});
