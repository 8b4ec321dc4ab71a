import { expect, test } from 'vitest';
import { foldAll } from './entries.ts';
import type { RunEvent } from './events.ts';
import { onlyQuestion } from './only-question.ts';

const opened: RunEvent = { type: 'step.opened', step: 1, parent: 0, key: 'a', kind: 'call', title: 'a' };
const asks = (approval: string, more: object = {}): RunEvent => ({
  type: 'approval.requested',
  approval,
  step: 1,
  title: 'May I?',
  fingerprint: `f-${approval}`,
  priority: 'medium',
  allowed: ['approve'],
  ...more,
});
const lapsed: RunEvent = { type: 'approval.lapsed', approval: 'a1', fingerprint: 'f-a1', reason: 'moved' };
const treeOf = (...events: readonly RunEvent[]) =>
  foldAll(events.map((event, i) => ({ seq: i + 1, at: i + 1, event })));

test('[V52] who names only a run means the one question it asks', () => {
  expect(onlyQuestion(treeOf(opened, asks('a1')), 'r').approval).toBe('a1');
});

test.for([
  ['nothing is asked', [opened], 'Run r asks nothing.'],
  ['two things are asked', [opened, asks('a1'), asks('a2')], 'Run r asks 2 things: name one of a1, a2.'],
  [
    'it was asked anew',
    [opened, asks('a1'), lapsed, asks('a2', { insteadOf: 'a1' })],
    'What run r asks has changed since it was first asked: look at a2.',
  ],
] as const)('[V52] and is refused where %s', ([, events, says]) => {
  expect(() => onlyQuestion(treeOf(...events), 'r')).toThrow(says);
});

test('[F12] a question that lapses is over, decided or not, and its step goes on', () => {
  const tree = treeOf(opened, asks('a1'), lapsed);
  expect([tree.undecided, tree.steps.get(1)?.status]).toEqual([0, 'running']);
  expect(tree.approvals.get('a1')).toMatchObject({ lapsedAt: 3, lapsedBecause: 'moved' });
  const decided: RunEvent = { type: 'approval.decided', approval: 'a1', decision: 'approve', by: 'ann' };
  expect(treeOf(opened, asks('a1'), lapsed, decided).approvals.get('a1')?.decided).toBeUndefined();
  expect(treeOf(opened, asks('a1'), decided, lapsed).approvals.get('a1')?.lapsedAt).toBe(4);
  expect(treeOf(opened, lapsed).notices).toMatchObject([{ code: 'OUT_OF_PLACE' }]);
});
