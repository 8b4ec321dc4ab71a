import fc from 'fast-check';
import { expect, test } from 'vitest';
import { imaginary } from '../../test/imaginary.ts';
import { callTo, closed, ended, journal, opened, started } from '../../test/journal.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import type { Entry, RunEvent } from '../run/events.ts';
import { fold } from '../run/entries.ts';
import { emptyTree, runStatus } from '../run/tree.ts';
import { comesToRest, newWaiting } from './waiting.ts';

function restsOf(entries: readonly Entry[]): number[] {
  const waiting = newWaiting();
  return entries.filter((entry) => comesToRest(waiting, entry)).map(({ seq }) => seq);
}

/** By the tree: where it begins to wait for people, and where it ends. A pause hides that it waits. */
function restsByTree(entries: readonly Entry[]): number[] {
  const tree = emptyTree();
  let wasWaiting = false;
  return entries.flatMap((entry) => {
    fold(tree, entry);
    const isWaiting = runStatus({ ...tree, paused: false }) === 'waiting';
    const { event } = entry;
    const isPutOff = event.type === 'approval.decided' && event.decision === 'defer';
    const isAskedOn = isPutOff || event.type === 'approval.returned';
    const rests = event.type === 'run.ended' || (isWaiting && (!wasWaiting || isAskedOn));
    wasWaiting = isWaiting;
    return rests ? [entry.seq] : [];
  });
}

test('[PR2] an answer is over exactly where the tree waits for people alone, or has ended', () => {
  let questions = 0;
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      const rests = restsOf(entries);
      expect(rests).toEqual(restsByTree(entries));
      questions += rests.length - 1;
    }),
    { numRuns: 300 },
  );
  expect(questions, 'answers that ended at a question').toBeGreaterThan(100);
});

function asks(approval: string, step: number): RunEvent {
  const what = { approval, step, title: 'May I?', fingerprint: approval };
  return { type: 'approval.requested', ...what, priority: 'low', allowed: ['approve', 'reject'] };
}

function decides(approval: string): RunEvent {
  return { type: 'approval.decided', approval, decision: 'approve', by: 'ada' };
}

test('[PR2] a question among work that goes on ends nothing, until that is over', () => {
  const entries = journal(
    started(),
    opened(1, 0, { ...callTo('a', {}), started: true }),
    opened(2, 0, callTo('b', {})),
    asks('q1', 2),
    closed(1),
    decides('q1'),
    { type: 'step.started', step: 2 },
    closed(2),
    ended('Done.'),
  );
  expect(restsOf(entries)).toEqual([5, 9]);
});

test('[PR1] the answers of a run, one after the other, are the run as one viewer is told it', () => {
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      const whole = imaginary.telling({ run: 'r' });
      const all = entries.flatMap((entry) => whole.tell(entry));
      let begin = 0;
      const parts = restsOf(entries).flatMap((end) => {
        const telling = imaginary.telling({ run: 'r' });
        const told = entries.slice(0, end).flatMap((entry) => {
          const frames = telling.tell(entry);
          return entry.seq > begin ? frames : [];
        });
        expect(telling.isOver).toBe(true);
        begin = end;
        return told;
      });
      expect(parts).toEqual(all);
    }),
    { numRuns: 100 },
  );
});
