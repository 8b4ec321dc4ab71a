import { expect, test } from 'vitest';
import type { Operation } from '../batch.ts';
import { newRun } from '../store.contract.ts';
import type { Mailbox } from '../store.ts';
import { unsentRuns } from './thread.ts';

const create: Operation = { name: 'create', argument: newRun('r') };
const ends: Operation = {
  name: 'append',
  argument: {
    fence: { run: 'r', epoch: 1 },
    head: 1,
    last: 2,
    frames: 'x',
    summary: { status: 'completed', approvals: 0 },
    ends: true,
  },
};
const stop = { id: 'c', run: 'r', command: { type: 'stop', by: 'ann' } } as const;

function mailbox() {
  const asked: string[] = [];
  const unsent = unsentRuns();
  const known: Mailbox = {
    send: async () => {
      throw new Error('The answer got lost.');
    },
    pending: async (run) => {
      asked.push(run);
      return [stop];
    },
  };
  const committed = (operation: Operation, result?: unknown): void =>
    unsent.committed([operation], { results: [result], refusals: [], hints: [] });
  return { asked, committed, of: unsent.over(known) };
}

test('[Q133] of a run that was created here and sent nothing the mailbox is known to be empty', async () => {
  const { asked, committed, of } = mailbox();
  committed(create, { run: 'r', created: true });
  expect([await of.pending('r'), asked]).toEqual([[], []]);
  expect([await of.pending('another'), asked]).toEqual([[stop], ['another']]);
});

test('[Q133] what may have been sent is asked for, whatever became of it', async () => {
  const { committed, of } = mailbox();
  committed(create, { run: 'r', created: true });
  await expect(of.send(stop)).rejects.toThrow('lost');
  expect(await of.pending('r')).toEqual([stop]);
});

test.for<{ readonly name: string; readonly after: readonly Operation[]; readonly created?: boolean }>([
  { name: 'was there before', after: [], created: false },
  { name: 'has ended', after: [ends] },
  { name: 'was erased', after: [{ name: 'erase', argument: 'r' }] },
])('[Q133] of a run that $name the store is asked', async ({ after, created = true }) => {
  const { committed, of } = mailbox();
  committed(create, { run: 'r', created });
  for (const operation of after) committed(operation);
  expect(await of.pending('r')).toEqual([stop]);
});
