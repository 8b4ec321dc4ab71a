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
import type { ConsoleFrame } from '../../wire/console.ts';
import { consoleProjection } from './run.ts';
import { projectionContract } from '../projection.contract.ts';
import { projectAll } from '../projection.ts';

projectionContract('console', consoleProjection({ run: 'run-1' }));

function frames(entries: readonly Entry[], cardsBefore = 0): readonly ConsoleFrame[] {
  return projectAll(consoleProjection({ run: 'run-1', cardsBefore }), entries)[1];
}

function told(...events: readonly RunEvent[]): readonly ConsoleFrame[] {
  return frames(journal(...events));
}

type DataOf<Event> = Extract<ConsoleFrame, { event: Event }>['data'];

function all<Event extends ConsoleFrame['event']>(
  event: Event,
  from: readonly ConsoleFrame[],
): DataOf<Event>[] {
  return from.filter((frame) => frame.event === event).map(({ data }) => data as DataOf<Event>);
}

const graph = { kind: 'agent', title: 'Graph', agent: 'GraphExplorerAgent' } as const;

test('a card is told when it opens, with agent, query and reasoning, and again when it ends', () => {
  const sequence = told(
    started(),
    opened(1, 0, { kind: 'route', title: 'Coordination' }),
    said(1, 'The graph knows.'),
    closed(1),
    opened(2, 0, { ...graph, query: 'Which paths use the link?', reasoning: 'Paths first.' }),
    opened(3, 2, { kind: 'turn', title: 'Graph', agent: 'GraphExplorerAgent', effect: 'once' }),
    said(3, 'Two paths.'),
    {
      type: 'item.attached',
      step: 3,
      item: { kind: 'visualization', shape: 'table', data: { columns: [], rows: [] } },
    },
    closed(3),
    closed(2, { result: { agent: 'GraphExplorerAgent' } }),
    opened(4, 0, { kind: 'answer', title: 'Answer' }),
    said(4, 'The fibre is cut.'),
    closed(4),
    ended('The fibre is cut.'),
  );
  const card = { step: 1, agent: 'Graph', query: 'Which paths use the link?' };
  const done = {
    ...card,
    duration: '5.0s',
    response: 'Two paths.',
    timestamp: '2026-11-15T00:00:09.000Z',
    visualizations: [{ type: 'table', data: { columns: [], rows: [] } }],
    reasoning: 'Paths first.',
  };
  expect(sequence).toEqual([
    {
      event: 'run_start',
      data: { run_id: 'run-1', alert: 'Why is the link down?', timestamp: '2026-11-15T00:00:00.000Z' },
    },
    { event: 'thread_created', data: { thread_id: 'c-1' } },
    { event: 'step_thinking', data: { agent: 'Orchestrator', status: 'Deciding who works on this…' } },
    { event: 'step_thinking', data: { agent: 'Orchestrator', status: 'The graph knows.' } },
    { event: 'step_start', data: { step: 1, agent: 'Graph' } },
    {
      event: 'step_started',
      data: { ...card, timestamp: '2026-11-15T00:00:04.000Z', reasoning: 'Paths first.' },
    },
    { event: 'step_response', data: done },
    { event: 'step_complete', data: done },
    { event: 'step_thinking', data: { agent: 'Orchestrator', status: 'Writing the answer…' } },
    { event: 'message', data: { text: 'The fibre is cut.' } },
    { event: 'run_complete', data: { steps: 1, tokens: 12, time: '13.0s' } },
    { event: 'done', data: { status: 'completed' } },
  ]);
});

test('every card that is told as started is finished once, and numbers are given once, in order', () => {
  fc.assert(
    fc.property(fc.oneof(plausibleRun, anyEntries), fc.nat({ max: 9 }), (entries, before) => {
      const sequence = frames(upToEnd(entries), before);
      const numbers = all('step_started', sequence).map(({ step }) => step);
      expect(numbers).toEqual(numbers.map((_, i) => before + i + 1));
      for (const name of ['step_response', 'step_complete'] as const) {
        expect(
          all(name, sequence)
            .map(({ step }) => step)
            .toSorted((a, b) => a - b),
        ).toEqual(numbers);
      }
    }),
    { numRuns: 200 },
  );
});

test('several calls at once each have their own card, and each is finished when one of them fails', () => {
  const sequence = told(
    started(),
    opened(1, 0, { kind: 'branch' }),
    opened(2, 1, callTo('search', { query: 'A?' })),
    opened(3, 1, callTo('search', { query: 'B?' })),
    opened(4, 1, callTo('ping', { host: 'h', count: 2 })),
    closed(3, { outcome: 'failed', failure: { code: 'timed-out', message: 'No answer.' } }),
    closed(2, { result: { hits: 3 } }),
    closed(1, { outcome: 'failed' }),
    ended(undefined, { outcome: 'failed', failure: { code: 'unavailable', message: 'The model is away.' } }),
  );
  expect(all('step_started', sequence).map(({ agent, query }) => [agent, query])).toEqual([
    ['search', 'A?'],
    ['search', 'B?'],
    ['ping', '{"host":"h","count":2}'],
  ]);
  expect(all('step_complete', sequence).map(({ step, response, error }) => [step, response, error])).toEqual([
    [2, 'FAILED: [timed-out] No answer.', true],
    [1, '{"hits":3}', undefined],
    [3, 'ABANDONED', true],
  ]);
  expect(sequence.slice(-2)).toEqual([
    { event: 'error', data: { message: 'The model is away.' } },
    { event: 'done', data: { status: 'failed' } },
  ]);
  expect(all('run_complete', sequence)).toEqual([]);
});

test('a card that is tried again keeps its number and says only what its last attempt said', () => {
  const sequence = told(
    started(),
    opened(1, 0, graph),
    opened(2, 1, { kind: 'turn', agent: 'GraphExplorerAgent' }),
    said(2, 'Half an ans'),
    opened(3, 2, { kind: 'stage', title: 'Looking', origin: '0' }),
    retried(2),
    opened(4, 2, { kind: 'stage', title: 'Looking', origin: '0' }),
    closed(4),
    said(2, 'The whole answer.'),
    closed(2),
    closed(1),
    ended('x'),
  );
  expect(
    all('step_complete', sequence).map(({ step, response, parent }) => [step, response, parent]),
  ).toEqual([
    [2, 'ABANDONED', 1],
    [3, '', 1],
    [1, 'The whole answer.', undefined],
  ]);
  expect(all('step_thinking', sequence).map(({ status }) => status)).toContain(
    'Retrying Step 2 (attempt 2): The worker died.',
  );
});

test('what the orchestrator says before it calls is the reasoning of the card', () => {
  const sequence = told(
    started(),
    opened(1, 0, { kind: 'turn', title: 'Model' }),
    said(1, 'First I look at the graph.'),
    closed(1),
    opened(2, 0, callTo('graph', { query: 'Links?' })),
    opened(3, 0, callTo('graph', { query: 'Paths?' })),
  );
  expect(all('step_started', sequence).map(({ reasoning }) => reasoning)).toEqual([
    'First I look at the graph.',
    undefined,
  ]);
});

test('what the run says between its steps is shown when the next one opens', () => {
  const sequence = told(
    started(),
    said(0, '**System notice**: '),
    said(0, 'no more tools.'),
    opened(1, 0, { kind: 'turn', title: 'Model' }),
    said(1, 'Done.'),
    closed(1),
    said(0, 'Done.'),
    ended('Done.'),
  );
  expect(all('step_thinking', sequence).map(({ status }) => status)).toEqual(['no more tools.', 'Thinking…']);
  expect(all('message', sequence)).toEqual([{ text: 'Done.' }]);
});

test('thoughts in the arguments of a call become its reasoning', () => {
  const input = { input: '[ORCHESTRATOR_THINKING]The link first.[/ORCHESTRATOR_THINKING] Which paths?' };
  const [card] = all('step_started', told(opened(1, 0, callTo('graph', input))));
  expect(card).toMatchObject({ query: 'Which paths?', reasoning: 'The link first.' });
});

test('lengths are cut on the wire, never in the middle of a character, and not in the journal', () => {
  const entries = journal(
    started(),
    opened(1, 0, { ...graph, query: `${'q'.repeat(499)}😀`, reasoning: 'r'.repeat(600) }),
    said(1, 'x'.repeat(1_500)),
    said(1, 'y'.repeat(1_500)),
    closed(1),
    ended('a'.repeat(9_000)),
  );
  const before = structuredClone(entries);
  const sequence = frames(entries);
  const [card] = all('step_complete', sequence);
  expect(card?.query).toBe('q'.repeat(499));
  expect(card?.response).toBe(`${'x'.repeat(1_500)}${'y'.repeat(500)}…`);
  expect(card?.reasoning).toBe(`${'r'.repeat(500)}…`);
  expect(all('message', sequence)[0]?.text).toHaveLength(9_000);
  expect(entries).toEqual(before);
});

test('an action is told at once, and its card says so', () => {
  const data = { status: 'dispatched', dispatch_id: 'd-1' };
  const sequence = told(
    started(),
    opened(1, 0, callTo('dispatch_engineer', { site: 'SYD' })),
    { type: 'item.attached', step: 1, item: { kind: 'action', name: 'dispatch_engineer', data } },
    closed(1, { result: 'ok' }),
  );
  expect(all('action_executed', sequence)).toMatchObject([
    { step: 1, action_name: 'dispatch_engineer', action_data: data },
  ]);
  expect(all('step_complete', sequence)).toMatchObject([
    { response: 'Action executed: dispatch_engineer', is_action: true, action: data },
  ]);
});

test('[V53] [S39] people see pauses, stops, takeovers and questions, and what became of them', () => {
  const sequence = told(
    started('Go on', { earlier: ['run-0'] }),
    { type: 'worker.took', worker: 'w', epoch: 1, reason: 'started' },
    opened(1, 0, callTo('delete_user', { id: 4 })),
    {
      type: 'approval.requested',
      approval: 'a-1',
      step: 1,
      title: 'Delete user 4?',
      fingerprint: 'e',
      priority: 'high',
      allowed: ['approve', 'reject'],
      arguments: { id: 4, note: 'a\u202eb', blob: 'mine', preview: 'harmless' },
    },
    { type: 'approval.lapsed', approval: 'a-1', fingerprint: 'e', reason: 'The agent has gone on.' },
    {
      type: 'approval.requested',
      approval: 'a-2',
      step: 1,
      title: 'Delete user 4?',
      fingerprint: 'f',
      priority: 'high',
      allowed: ['approve', 'reject'],
      arguments: 'the first\u200bone',
      exchange: { asked: 'List them', answered: 'Olivia, \u202eJohn' },
    },
    {
      type: 'approval.decided',
      approval: 'a-2',
      decision: 'approve',
      by: 'ada',
      rationale: 'He asked for it.',
      shown: 'f',
    },
    { type: 'step.started', step: 1 },
    { type: 'worker.took', worker: 'w2', epoch: 2, reason: 'recovered' },
    { type: 'run.paused', by: 'ada' },
    { type: 'run.resumed', by: 'ada' },
    { type: 'message.queued', message: 'm', text: 'And user 5?', by: 'ada' },
    { type: 'notice.posted', step: 1, code: 'SLOW', message: 'This takes long.' },
    { type: 'stop.requested', by: 'ada', reason: 'Enough.' },
    ended(undefined, { outcome: 'stopped' }),
  );
  expect(all('status_change', sequence)).toEqual([
    {
      status: 'waiting',
      message: 'Delete user 4?',
      approval: 'a-1~e',
      step: 1,
      arguments: `{
  "id": 4,
  "note": "a\\u202eb",
  "blob": "mine",
  "preview": "harmless"
}`,
    },
    { status: 'in_progress', message: 'A question lapsed: The agent has gone on.', approval: 'a-1~e' },
    {
      status: 'waiting',
      message: 'Delete user 4?',
      approval: 'a-2~f',
      step: 1,
      arguments: 'the first\\u200bone',
      exchange: { asked: 'List them', answered: 'Olivia, \\u202eJohn' },
    },
    { status: 'in_progress', message: 'Approved by ada: He asked for it.', approval: 'a-2~f' },
    { status: 'in_progress', message: 'Another worker took over where the last one ended.' },
    { status: 'paused', message: 'Paused by ada.' },
    { status: 'in_progress', message: 'Resumed by ada.' },
    { status: 'cancelling', message: 'Stopped by ada: Enough.' },
  ]);
  expect(all('user_message', sequence)).toEqual([{ text: 'Go on' }]);
  expect(all('step_thinking', sequence)).toEqual([
    { agent: 'User', status: 'And user 5?' },
    { agent: 'delete_user', status: 'This takes long.' },
  ]);
  expect(all('step_complete', sequence)).toMatchObject([
    { response: 'STOPPED', error: true, duration: '7.0s' },
  ]);
  expect(sequence.at(-1)).toEqual({ event: 'done', data: { status: 'cancelled' } });
});
