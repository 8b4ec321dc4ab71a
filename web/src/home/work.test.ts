import { expect, test } from 'vitest';
import type { FlatTree } from '../../../src/client/client.ts';
import { workOf } from './work.ts';

let id = 0;
const call = (tool: string, milliseconds: number, more: object = {}) => ({
  id: (id += 1),
  kind: 'call',
  title: tool,
  openedAt: 1_000 + milliseconds,
  milliseconds,
  ...more,
});
const tree = (steps: readonly object[], more: object = {}): FlatTree =>
  ({ startedAt: 1_000, steps, notices: [], failure: undefined, ...more }) as unknown as FlatTree;

test('[W202] what runs did not do twice, what they had no budget for, their first steps and slowest tools', () => {
  const trees = [
    tree([call('read', 20), call('read', 5, { reusedFrom: 1 }), { ...call('x', 0), kind: 'turn' }]),
    tree([call('read', 40), call('send', 900)], { notices: [{ code: 'BUDGET_EXHAUSTED' }] }),
    tree([call('send', 100)], { failure: { code: 'over-budget', message: '' } }),
    tree([], { startedAt: null }),
  ];
  expect(workOf(trees)).toEqual({
    runs: 4,
    reused: 1,
    budgetStops: 2,
    firstStep: { half: 40, most: 100 },
    slowest: [
      { tool: 'send', took: 900 },
      { tool: 'read', took: 40 },
    ],
  });
});

test('[W202] nothing is known of what never ran', () => {
  expect(workOf([])).toEqual({ runs: 0, reused: 0, budgetStops: 0, firstStep: undefined, slowest: [] });
});
