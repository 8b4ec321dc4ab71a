import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/run/events.ts';
import { flatTree, type FlatTree } from '../../../src/run/flat-tree.ts';
import { fold } from '../../../src/run/entries.ts';
import { emptyTree } from '../../../src/run/tree.ts';
import { summaryOf } from '../chat/summary.ts';
import { rowsOf } from '../trace/rows.ts';

const usage = { input: 0, output: 0 };
const no = { code: 'refused', message: 'Ana rejected «users».' } as const;

function opened(step: number, parent: number, kind: string): RunEvent {
  return { type: 'step.opened', step, parent, key: `s${step}`, kind, title: 'Users' };
}

function treeOf(...events: readonly RunEvent[]): FlatTree {
  const tree = emptyTree();
  events.forEach((event, i) => fold(tree, { seq: i + 1, at: i + 1, event }));
  return flatTree(tree);
}

function statusesIn(tree: FlatTree): readonly unknown[] {
  const rows = rowsOf(tree, { folded: new Set(), sought: [] });
  return [summaryOf(tree).top[0]?.status, ...rows.slice(1).map(({ status }) => status)];
}

const failed: RunEvent = { type: 'step.closed', step: 1, outcome: 'failed', failure: no, usage };

test.for<[name: string, inside: RunEvent[], shown: string[]]>([
  [
    'to the turn of an agent',
    [opened(2, 1, 'turn'), { type: 'step.closed', step: 2, outcome: 'skipped', failure: no, usage }],
    ['skipped', 'skipped', 'skipped'],
  ],
  [
    'to a question about it',
    [
      opened(2, 1, 'ask'),
      { type: 'step.closed', step: 2, outcome: 'completed', result: { decision: 'reject' }, usage },
    ],
    ['skipped', 'skipped', 'completed'],
  ],
  [
    'by somebody else',
    [opened(2, 1, 'turn'), { type: 'step.closed', step: 2, outcome: 'failed', failure: no, usage }],
    ['failed', 'failed', 'failed'],
  ],
])('[W311] a no is shown as skipped, not as a failure: %s', ([, inside, shown]) => {
  expect(statusesIn(treeOf(opened(1, 0, 'agent'), ...inside, failed))).toEqual(shown);
});
