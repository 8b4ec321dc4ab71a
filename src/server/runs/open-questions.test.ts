import { expect, test } from 'vitest';
import { journal, opened, said, started } from '../../../test/journal.ts';
import type { RunEvent } from '../../run/events.ts';
import { indexedAll } from '../../run/facts.ts';
import { foldAll, encodeAll } from '../../run/entries.ts';
import { undecidedApprovals } from '../../run/tree.ts';
import { memoryStore } from '../../stores/memory.ts';
import { openQuestions } from './open-questions.ts';
import { treesOf } from './trees.ts';

const asked = (approval: string, step: number): RunEvent => ({
  type: 'approval.requested',
  approval,
  step,
  title: `May I ${approval}?`,
  fingerprint: 'f',
  priority: 'high',
  arguments: { path: '/etc' },
  allowed: ['approve', 'reject'],
});

/** A run that has said much before it asked, and as its store keeps it. */
async function waiting(more: readonly RunEvent[]) {
  const talk = Array.from({ length: 500 }, () => said(1, 'a word '));
  const entries = journal(
    started('x'),
    opened(1, 0),
    opened(2, 0),
    ...talk,
    asked('a1', 1),
    asked('a2', 2),
    ...more,
  );
  const tree = foldAll(entries);
  const store = memoryStore({ now: () => 0 });
  const claim = { worker: 'w', lease: 1_000 };
  const names = { run: 'r', tenant: 't', conversation: 'c', app: 'a', title: 'x', flow: 'f@1' };
  await store.dispatch.create({ ...names, last: 0, frames: '', claim });
  const append = async (from: number, to: number): Promise<void> => {
    const part = entries.slice(from, to);
    await store.journal.append({
      fence: { run: 'r', epoch: 1 },
      head: from,
      last: to,
      frames: encodeAll(part),
      indexed: indexedAll(part, foldAll(entries.slice(0, from))),
      summary: { status: 'waiting', approvals: tree.undecided },
    });
  };
  for (let from = 0; from < entries.length; from += 50)
    await append(from, Math.min(from + 50, entries.length));
  const row = await store.dispatch.get('r');
  if (!row) throw new Error('it is there');
  let read = 0;
  const reading = {
    read: async (run: string, after: number) => {
      const chunks = await store.journal.read(run, after);
      read += chunks.length;
      return chunks;
    },
  };
  const context = { home: { journal: reading }, trees: treesOf(reading, () => (entry) => entry) };
  return { row, tree, questions: await openQuestions(context, row), read: () => read };
}

test('[V216] what a run asks is read from the entries that asked it, not from its whole journal', async () => {
  const { questions, tree, read } = await waiting([]);
  expect(questions).toEqual(undecidedApprovals(tree));
  expect(questions).toHaveLength(2);
  expect(read()).toBeLessThanOrEqual(4);
});

test('[V216] what was decided is not among it, and what was put off says by whom', async () => {
  const decided = { type: 'approval.decided', by: 'ada' } as const;
  const { questions, tree } = await waiting([
    { ...decided, approval: 'a1', decision: 'approve' },
    { ...decided, approval: 'a2', decision: 'defer' },
  ]);
  expect(questions).toEqual(undecidedApprovals(tree));
  expect(questions).toMatchObject([{ approval: 'a2', deferred: { by: 'ada' } }]);
});

test('[V216] what lapsed with its step is not among it either', async () => {
  const { questions, tree, row } = await waiting([{ type: 'step.closed', step: 1, outcome: 'failed' }]);
  expect(row.facts.open).toHaveLength(2);
  expect(questions).toEqual(undecidedApprovals(tree));
  expect(questions).toMatchObject([{ approval: 'a2' }]);
});
