import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntries } from '../../../test/arbitraries.ts';
import {
  callTo,
  closed,
  ended,
  journal,
  opened,
  retried,
  said,
  started,
  upToEnd,
} from '../../../test/journal.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { Entry, RunEvent } from '../../run/events.ts';
import type { ExecutionFrame } from '../../wire/execution.ts';
import { executionProjection } from './execution.ts';
import { projectionContract } from '../projection.contract.ts';
import { projectAll } from '../projection.ts';

projectionContract('execution', executionProjection({ run: 'run-1' }));

function frames(entries: readonly Entry[]): readonly ExecutionFrame[] {
  return projectAll(executionProjection({ run: 'run-1' }), entries)[1];
}

function told(...events: readonly RunEvent[]): readonly ExecutionFrame[] {
  return frames(journal(...events));
}

/** Without what all frames have. */
function short(sequence: readonly ExecutionFrame[]): unknown[] {
  return sequence.map(({ event, step_id, payload }) => [event, step_id, payload]);
}

test('a step is told when it starts, while it works and when it ends', () => {
  const sequence = told(
    started(),
    opened(1, 0, { kind: 'agent', title: 'Graph', agent: 'Graph', query: 'q'.repeat(250) }),
    opened(2, 1, callTo('query', { text: 'g.V()' })),
    closed(2, { result: { rows: 2 } }),
    said(1, 'Two paths.'),
    closed(1, { usage: { input: 3, output: 4 } }),
    ended('The fibre is cut.'),
  );
  expect(sequence[0]).toEqual({
    event: 'run_started',
    run_id: 'run-1',
    step_id: null,
    timestamp: '2026-11-15T00:00:00.000',
    payload: { workflow_id: 'netops' },
  });
  expect(short(sequence).slice(1)).toEqual([
    [
      'step_started',
      's1',
      {
        step_name: 'Graph',
        step_type: 'agent',
        input_summary: { user_input: `${'q'.repeat(200)}...`, agent: 'Graph' },
      },
    ],
    [
      'step_started',
      's2',
      {
        step_name: 'query',
        step_type: 'tool_call',
        input_summary: { tool: 'query', arguments: '{"text":"g.V()"}' },
        parent_step_id: 's1',
      },
    ],
    [
      'step_completed',
      's2',
      { output_summary: { status: 'completed', output: '{"rows":2}' }, output_preview: '{"rows":2}' },
    ],
    ['step_output', 's1', { intermediate_output: { text: 'Two paths.' } }],
    [
      'step_completed',
      's1',
      {
        output_summary: { status: 'completed', output: 'Two paths.', tokens: 7 },
        output_preview: 'Two paths.',
      },
    ],
    ['run_completed', null, { status: 'completed', final_response: 'The fibre is cut.' }],
  ]);
});

test('[WR32] nodes of a workflow have the types of that wire', () => {
  const kinds = [
    'agent',
    'team',
    'prompt',
    'branch',
    'loop',
    'map',
    'tool',
    'http',
    'code',
    'merge',
    'human',
  ];
  const flow = { name: 'workflow', version: '1' };
  const sequence = told(
    started('x', { flow }),
    ...kinds.map((kind, i) => opened(i + 1, 0, { kind, key: kind })),
    opened(20, 6, { kind: 'branch', key: 'branch 1' }),
  );
  const typed = sequence.flatMap(({ event, payload }) =>
    event === 'step_started' ? [Reflect.get(payload, 'step_type') as string] : [],
  );
  expect(typed).toEqual([
    'agent',
    'hierarchical_crew',
    'llm_call',
    'coordinator',
    'coordinator',
    'parallel_crew',
    'tool_call',
    'tool_call',
    'tool_call',
    'merge',
    'transform',
    'parallel_crew',
  ]);
});

test('[WR32] so have those of a workflow that runs as a skill, and nothing beside it', () => {
  const sequence = told(
    started('x', { flow: { name: 'pipeline', version: '1' } }),
    opened(1, 0, { kind: 'skill', key: 'skill_1' }),
    opened(2, 1, { kind: 'start', key: 'start' }),
    opened(3, 1, { kind: 'branch', key: 'which' }),
    opened(4, 1, { kind: 'loop', key: 'again' }),
    opened(5, 4, { kind: 'round', key: 'round 1' }),
    opened(6, 5, { kind: 'http', key: 'ask' }),
    opened(7, 0, { kind: 'skill', key: 'skill_2' }),
    opened(8, 7, { kind: 'branch', key: 'Graph' }),
  );
  const typed = sequence.flatMap(({ event, payload }) =>
    event === 'step_started' ? [Reflect.get(payload, 'step_type') as string] : [],
  );
  expect(typed).toEqual([
    'transform',
    'transform',
    'coordinator',
    'coordinator',
    'transform',
    'tool_call',
    'transform',
    'parallel_crew',
  ]);
});

test('every step that was started ends once, and nothing is told of it afterwards', () => {
  fc.assert(
    fc.property(fc.oneof(plausibleRun, anyEntries), (entries) => {
      const open = new Set<string | null>();
      const known = new Set<string | null>();
      for (const { event, step_id } of frames(upToEnd(entries))) {
        if (event === 'step_started') {
          open.add(step_id);
          known.add(step_id);
        }
        if (event !== 'step_completed' && event !== 'step_failed') continue;
        expect(open.delete(step_id)).toBe(true);
      }
      expect([...open]).toEqual([]);
      expect(known.has(null)).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test('all that steps say is told, joined by what the entries are and nothing else', () => {
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      const expected = new Map<string | null, string>();
      for (const { event } of entries) {
        if (event.type !== 'text.appended' || event.channel !== 'content') continue;
        const id = event.step === 0 ? null : `s${event.step}`;
        if (event.text !== '') expected.set(id, (expected.get(id) ?? '') + event.text);
      }
      const found = new Map<string | null, string>();
      for (const { event, step_id, payload } of frames(entries)) {
        if (event !== 'step_output') continue;
        const { text } = payload.intermediate_output;
        if (typeof text === 'string') found.set(step_id, (found.get(step_id) ?? '') + text);
      }
      expect(found).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

test('the first piece is told at once, the others when they make a frame or half a second has passed', () => {
  const texts = (gap: number) => {
    const pieces = Array.from({ length: 100 }, (_, i) => said(1, `word${i % 10} `));
    const entries = journal(started(), opened(1, 0), ...pieces, closed(1));
    const timed = entries.map((entry) => ({ ...entry, at: entry.seq * gap }));
    return frames(timed).flatMap(({ event, payload }) => (event === 'step_output' ? [payload] : []));
  };
  expect(texts(1)[0]).toEqual({ intermediate_output: { text: 'word0 ' } });
  expect(texts(1)).toHaveLength(1 + Math.ceil((99 * 6) / 204));
  expect(texts(100)).toHaveLength(1 + Math.ceil(99 / 6));
  expect(texts(600)).toHaveLength(1 + Math.ceil(99 / 2));
});

test('[V53] [S39] a step that waits for a person is an interrupted run, and the stream goes on', () => {
  const sequence = told(
    started(),
    opened(1, 0, callTo('delete_user', { id: 4 })),
    {
      type: 'approval.requested',
      approval: 'a-1',
      step: 1,
      title: 'Delete user 4?',
      fingerprint: 'f',
      priority: 'high',
      allowed: ['approve', 'reject'],
      expiresAt: Date.UTC(2026, 10, 16),
      arguments: 'turn\u202earound',
      exchange: { asked: 'List them', answered: 'Olivia' },
    },
    { type: 'approval.decided', approval: 'a-1', decision: 'reject', by: 'ada', shown: 'f' },
    { type: 'approval.lapsed', approval: 'a-1', fingerprint: 'f', reason: 'The agent has gone on.' },
    closed(1, { outcome: 'skipped', failure: { code: 'refused', message: 'ada said no.' } }),
    ended('Nothing was deleted.'),
  );
  expect(short(sequence).slice(2)).toEqual([
    [
      'run_completed',
      null,
      {
        status: 'interrupted',
        interrupt: {
          approval_id: 'a-1~f',
          step_id: 's1',
          title: 'Delete user 4?',
          arguments: 'turn\\u202earound',
          exchange: { asked: 'List them', answered: 'Olivia' },
          priority: 'high',
          allowed_decisions: ['approve', 'reject'],
          expires_at: '2026-11-16T00:00:00.000',
        },
      },
    ],
    ['step_output', null, { intermediate_output: { approval_id: 'a-1~f', decision: 'reject', by: 'ada' } }],
    [
      'step_output',
      null,
      { intermediate_output: { approval_id: 'a-1~f', lapsed: true, reason: 'The agent has gone on.' } },
    ],
    [
      'step_completed',
      's1',
      { output_summary: { status: 'skipped', reason: 'ada said no.' }, output_preview: '' },
    ],
    ['run_completed', null, { status: 'completed', final_response: 'Nothing was deleted.' }],
  ]);
});

test('a new attempt closes what the former one opened, and its preview is its own', () => {
  const sequence = told(
    started(),
    opened(1, 0, { kind: 'turn' }),
    said(1, 'Half'),
    opened(2, 1, { kind: 'stage', origin: '0' }),
    retried(1),
    said(1, 'Whole'),
    closed(1),
  );
  expect(short(sequence).slice(3)).toEqual([
    ['step_started', 's2', expect.objectContaining({ step_type: 'transform', parent_step_id: 's1' })],
    ['step_failed', 's2', { error: 'The step was abandoned.' }],
    ['step_output', 's1', { intermediate_output: { attempt: 2, reason: 'The worker died.' } }],
    ['step_output', 's1', { intermediate_output: { text: 'Whole' } }],
    ['step_completed', 's1', expect.objectContaining({ output_preview: 'Whole' })],
  ]);
});

test('long answers are cut and say so, and a run that was stopped says by whom', () => {
  const long = told(started(), opened(1, 0), said(1, 'x'.repeat(400)), closed(1), ended('y'.repeat(60_000)));
  const [preview, response] = [long.at(-2)?.payload, long.at(-1)?.payload];
  expect(preview).toMatchObject({ output_preview: `${'x'.repeat(300)}...` });
  expect(response).toMatchObject({
    final_response: `${'y'.repeat(50_000)}\n\n[The response is longer; the run has all of it.]`,
  });
  const stop: RunEvent = { type: 'stop.requested', by: 'ada', reason: 'Enough.' };
  const stopped = told(started(), opened(1, 0), stop, ended(undefined, { outcome: 'stopped' }));
  expect(short(stopped).slice(-2)).toEqual([
    ['step_failed', 's1', { error: 'The step was stopped.' }],
    ['run_failed', null, { error: 'Stopped by ada: Enough.', status: 'failed' }],
  ]);
});
