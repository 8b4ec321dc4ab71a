import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callTo, closed, ended, journal, opened, retried, said, started } from '../../../test/journal.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { Entry, RunEvent } from '../../run/events.ts';
import type { DottedFrame } from '../../wire/console.ts';
import { dottedConsoleProjection } from './run.ts';
import { projectionContract } from '../projection.contract.ts';
import { projectAll } from '../projection.ts';

projectionContract('console, second generation', dottedConsoleProjection({ run: 'run-1' }));

function frames(entries: readonly Entry[]): readonly DottedFrame[] {
  return projectAll(dottedConsoleProjection({ run: 'run-1' }), entries)[1];
}

function told(...events: readonly RunEvent[]): readonly DottedFrame[] {
  return frames(journal(...events));
}

test('calls have ids, cards within cards are summed up, and messages come in pieces', () => {
  const sequence = told(
    started(),
    opened(1, 0, { kind: 'agent', title: 'Graph', agent: 'graph', query: 'Paths?' }),
    opened(2, 1, callTo('query', { query: 'g.V()' })),
    closed(2, { result: 'two' }),
    said(1, 'Two paths.'),
    closed(1),
    opened(3, 0, { kind: 'answer', title: 'Answer' }),
    said(3, 'The fibre '),
    said(3, 'is cut.'),
    closed(3),
    ended('The fibre is cut.'),
  );
  const time = (second: number) => `2026-11-15T00:00:0${second}.000Z`;
  const outer = { id: 'run-1-s1', step: 1, agent: 'Graph', query: 'Paths?' };
  const inner = { id: 'run-1-s2', step: 2, agent: 'query', query: 'g.V()', parent: 'run-1-s1' };
  expect(sequence).toEqual([
    { event: 'run.start', data: { run_id: 'run-1', alert: 'Why is the link down?', timestamp: time(0) } },
    { event: 'session.created', data: { session_id: 'c-1', thread_id: 'c-1' } },
    {
      event: 'tool_call.start',
      data: { ...outer, timestamp: time(1) },
    },
    {
      event: 'tool_call.start',
      data: { ...inner, timestamp: time(2) },
    },
    {
      event: 'tool_call.complete',
      data: { ...inner, duration: '1.0s', response: 'two', timestamp: time(3) },
    },
    {
      event: 'tool_call.complete',
      data: {
        ...outer,
        duration: '4.0s',
        response: 'Two paths.',
        timestamp: time(5),
        sub_steps: [{ index: 1, query: 'g.V()', result_summary: 'two', agent: 'query' }],
      },
    },
    { event: 'status', data: { message: 'Orchestrator: Writing the answer…' } },
    { event: 'message.start', data: { id: 'run-1-s3' } },
    { event: 'message.delta', data: { id: 'run-1-s3', text: 'The fibre ' } },
    { event: 'message.delta', data: { id: 'run-1-s3', text: 'is cut.' } },
    { event: 'message.complete', data: { id: 'run-1-s3', text: 'The fibre is cut.' } },
    { event: 'run.complete', data: { steps: 2, time: '10.0s' } },
    { event: 'done', data: { status: 'completed' } },
  ]);
});

/** A client as it would be written: a message is what its pieces make, and begins again when it is started again. */
function messages(sequence: readonly DottedFrame[]): Map<string, { text: string; whole?: string }> {
  const known = new Map<string, { text: string; whole?: string }>();
  for (const { event, data } of sequence) {
    if (event === 'message.start') known.set(data.id, { text: '' });
    if (event === 'message.delta')
      known.set(data.id, { text: (known.get(data.id)?.text ?? '?') + data.text });
    if (event === 'message.complete')
      known.set(data.id, { text: '', ...known.get(data.id), whole: data.text });
  }
  return known;
}

/** The cards of a client that knows a call by its id alone: one that begins twice stands there twice, one that is not known is not closed. */
function cards(sequence: readonly DottedFrame[]): { readonly id: string; isOver: boolean }[] {
  const known: { readonly id: string; isOver: boolean }[] = [];
  for (const { event, data } of sequence) {
    if (event === 'tool_call.start') known.push({ id: data.id, isOver: false });
    if (event !== 'tool_call.complete') continue;
    const [card, ...others] = known.filter(({ id, isOver }) => id === data.id && !isOver);
    expect([card?.id, others], `the end of ${data.id}`).toEqual([data.id, []]);
    if (card) card.isOver = true;
  }
  return known;
}

test('[P94] a call is known by its id: it begins once and ends once, in every turn of a session', () => {
  const seen = { cards: 0, within: 0 };
  fc.assert(
    fc.property(fc.array(plausibleRun, { minLength: 1, maxLength: 3 }), (turns) => {
      const sequence = turns.flatMap(
        (entries, i) => projectAll(dottedConsoleProjection({ run: `run-${i}` }), entries)[1],
      );
      const told = cards(sequence);
      expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
      expect(told.filter(({ isOver }) => !isOver)).toEqual([]);
      seen.cards += told.length;
      seen.within += sequence.filter(
        ({ event, data }) => event === 'tool_call.start' && data.parent !== undefined,
      ).length;
    }),
    { numRuns: 100 },
  );
  expect(seen.cards).toBeGreaterThan(100);
  expect(seen.within).toBeGreaterThan(20);
});

test('every message that was begun is completed, with what its pieces make', () => {
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      for (const [id, { text, whole }] of messages(frames(entries))) {
        if (id !== 'run-1-answer') expect(text).toBe(whole);
      }
    }),
    { numRuns: 200 },
  );
});

test('a message that is said anew begins again, also when nothing more comes of it', () => {
  const begun = [started(), opened(1, 0, { kind: 'turn' }), said(1, 'Half'), retried(1)] as const;
  const again = messages(told(...begun, said(1, 'Whole'), closed(1), ended('Whole')));
  expect([...again]).toEqual([['run-1-s1', { text: 'Whole', whole: 'Whole' }]]);
  const silent = messages(told(...begun, closed(1, { outcome: 'failed' }), ended('Sorry.')));
  expect([...silent]).toEqual([
    ['run-1-s1', { text: '', whole: '' }],
    ['run-1-answer', { text: '', whole: 'Sorry.' }],
  ]);
});

test('thoughts aloud are not part of a message, however its text is cut', () => {
  const text = 'So: [ORCHESTRATOR_THINKING]hm [x] hm[/ORCHESTRATOR_THINKING]the fibre [sic] is cut.';
  fc.assert(
    fc.property(fc.array(fc.nat({ max: text.length })), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const pieces = places.slice(1).map((place, i) => said(1, text.slice(places[i], place)));
      const sequence = told(started(), opened(1, 0, { kind: 'answer' }), ...pieces, closed(1), ended(text));
      const expected = 'So: the fibre [sic] is cut.';
      expect([...messages(sequence)]).toEqual([['run-1-s1', { text: expected, whole: expected }]]);
    }),
  );
});
