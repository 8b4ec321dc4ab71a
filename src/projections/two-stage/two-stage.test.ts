import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEntries } from '../../../test/arbitraries.ts';
import { callTo, closed, ended, journal, opened, retried, said, started } from '../../../test/journal.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import { disorderIn } from '../../../test/two-stage-order.ts';
import type { Entry, RunEvent } from '../../run/events.ts';
import { TwoStageFrame } from '../../wire/two-stage.ts';
import { projectionContract } from '../projection.contract.ts';
import { twoStageProjection, twoStageProtocol } from './two-stage.ts';

projectionContract('two-stage', twoStageProjection({ run: 'run-1' }));

/** The frames of each answer: an answer ends where nothing goes on until a person decides. */
function answers(entries: readonly Entry[]): TwoStageFrame[][] {
  const telling = twoStageProtocol.telling({ run: 'run-1' });
  const all: TwoStageFrame[][] = [[]];
  for (const entry of entries) {
    for (const { data } of telling.tell(entry)) all.at(-1)?.push(TwoStageFrame.parse(JSON.parse(data)));
    if (telling.isOver) all.push([]);
  }
  return all.filter((frames) => frames.length > 0);
}

function phase(name: 'tool_phase' | 'action_phase' | 'complete', batch: number): RunEvent {
  return { type: 'phase.entered', step: 0, phase: name, batch, cycle: 1, reason: 'asked' };
}

const turn = { kind: 'turn', agent: 'model' } as const;
const labels = { requestId: 'req_1', projectId: 'P7' };

describe('two-stage', () => {
  test('[TS1] whatever a journal says, its frames fit the schema, and nothing in them is null', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.oneof(plausibleRun, anyEntries), (entries) => {
        for (const frame of answers(entries).flat()) for (const field of Object.keys(frame)) seen.add(field);
        const telling = twoStageProtocol.telling({ run: 'run-1' });
        const text = entries.flatMap((entry) => telling.tell(entry).map(({ data }) => data));
        for (const data of text)
          for (const value of Object.values(JSON.parse(data) as object)) expect(value).not.toBeNull();
      }),
      { numRuns: 150, seed: 4 },
    );
    for (const field of ['chunk', 'toolCalls', 'toolResults', 'notice', 'done', 'error', 'paused', 'stopped'])
      expect(seen).toContain(field);
  });

  test('[TS2] every answer has exactly one done, with fullContent, as its last frame', () => {
    fc.assert(
      fc.property(plausibleRun, (entries) => {
        for (const frames of answers(entries)) {
          expect(frames.filter(({ done }) => done)).toHaveLength(1);
          expect(frames.at(-1)).toMatchObject({ done: true, fullContent: expect.any(String) });
          expect(frames.at(-1)?.chunk).toBeUndefined();
        }
      }),
      { numRuns: 150 },
    );
  });

  test('[PR34] of any run the frames are in order, and tell all that happened once', () => {
    fc.assert(
      fc.property(plausibleRun, (entries) => {
        expect(disorderIn(answers(entries).flat(), entries, 'run-1')).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('[PR34] a frame that is missing, comes twice or changes places with its neighbour is noticed', () => {
    const runs = fc.sample(plausibleRun, { numRuns: 60, seed: 6 }).filter(({ length }) => length < 80);
    const missed = new Set<string>();
    const tried = new Set<string>();
    for (const entries of runs) {
      const frames = answers(entries).flat();
      for (const [i, frame] of frames.entries()) {
        for (const field of Object.keys(frame)) tried.add(field);
        const next = frames[i + 1];
        const variants: [string, TwoStageFrame[]][] = [
          ['dropped', frames.toSpliced(i, 1)],
          ['doubled', frames.toSpliced(i, 0, frame)],
        ];
        if (next && JSON.stringify(next) !== JSON.stringify(frame))
          variants.push([`swapped with ${JSON.stringify(next)}`, frames.toSpliced(i, 2, next, frame)]);
        for (const [how, changed] of variants)
          if (disorderIn(changed, entries, 'run-1').length === 0)
            missed.add(`${JSON.stringify(frame)} ${how}`);
      }
    }
    expect([...missed]).toEqual([]);
    for (const field of ['chunk', 'toolCalls', 'toolResults', 'notice', 'done', 'paused', 'stopped'])
      expect(tried).toContain(field);
  });

  test('[TS3] tells phases, calls, results, blocked repeats and the answer', () => {
    const list = callTo('list_files', { path: '.' });
    const entries = journal(
      started('What is there?', { labels }),
      phase('tool_phase', 1),
      opened(1, 0, turn),
      said(1, 'Let me see.'),
      closed(1),
      opened(2, 0, { ...list, started: true }),
      closed(2, { result: ['a.md'] }),
      phase('action_phase', 1),
      phase('tool_phase', 2),
      opened(3, 0, list),
      closed(3, { outcome: 'reused', reusedFrom: 2, result: ['a.md'] }),
      phase('action_phase', 2),
      opened(4, 0, turn),
      said(4, 'One fi'),
      retried(4),
      said(4, 'One file.'),
      closed(4),
      phase('complete', 2),
      ended('One file.'),
    );
    const [frames = []] = answers(entries);
    const brief = frames.map(({ requestId, projectId, ...rest }) => {
      expect([requestId, projectId]).toEqual(['req_1', 'P7']);
      return rest;
    });
    expect(brief).toMatchObject([
      { phase: 'tool_phase', toolBatchId: 0 },
      { phase: 'tool_phase', toolBatchId: 1 },
      { chunk: 'Let me see.' },
      { toolCalls: [{ id: 'c', function: { name: 'list_files', arguments: '{"path":"."}' } }] },
      { toolResults: [{ toolCallId: 'c', success: true, result: ['a.md'], attempts: 1 }] },
      { phase: 'action_phase', toolBatchId: 1 },
      { phase: 'tool_phase', toolBatchId: 2 },
      { toolCalls: [{ id: 'c' }] },
      {
        toolResults: [{ success: false, error: 'DUPLICATE_BLOCKED', attempts: 0 }],
        blockedSignatures: ['s'],
      },
      { phase: 'action_phase', toolBatchId: 2 },
      { chunk: '\n\nOne fi' },
      { chunk: expect.stringContaining('left off') },
      { chunk: 'One file.' },
      { phase: 'complete', toolBatchId: 2 },
      { phase: 'complete', blockedSignatures: ['s'], done: true, fullContent: 'One file.' },
    ]);
    expect(frames[8]?.toolResults?.[0]?.details).toMatchObject({
      previous_timestamp: '2026-11-15T00:00:06.000Z',
      previous_summary: ['a.md'],
      signature: 's',
    });
  });
});
