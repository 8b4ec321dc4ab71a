import { expect, test } from 'vitest';
import type { ListedRun } from '../../../src/client/client.ts';
import { newestFirst, readFilter, writeFilter } from './run-filter.ts';

test('[W66] what is looked for stands in the address, and what is none of it is left out', () => {
  const filter = { text: 'fibre & cut', status: 'failed', agent: 'a=b', label: 'project=books' } as const;
  expect(readFilter(writeFilter(filter))).toEqual(filter);
  expect(readFilter('status=odd&text=%20&x=1')).toEqual({});
  expect(writeFilter({ text: '' })).toBe('');
});

test('[W66] of a run that is known twice the newer one stands in the list, the newest run first', () => {
  const listed = (run: string, createdAt: number, seq: number) => ({ run, createdAt, seq }) as ListedRun;
  const shown = newestFirst([listed('a', 1, 5), listed('b', 2, 1)], [listed('a', 1, 9), listed('b', 2, 0)]);
  expect(shown.map(({ run, seq }) => [run, seq])).toEqual([
    ['b', 1],
    ['a', 9],
  ]);
});
