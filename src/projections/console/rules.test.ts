// What the console's own client needs, rule by rule.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callTo, closed, ended, journal, opened, retried, said, started } from '../../../test/journal.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { Entry, EventOf, RunEvent } from '../../run/events.ts';
import { indexedAll } from '../../run/facts.ts';
import type { Json } from '../../run/values.ts';
import type { ConsoleFrame, DottedFrame } from '../../wire/console.ts';
import { consoleProjection, dottedConsoleProjection } from './run.ts';
import { projectAll } from '../projection.ts';

const frames = (entries: readonly Entry[]): readonly ConsoleFrame[] =>
  projectAll(consoleProjection({ run: 'run-1' }), entries)[1];
const told = (...events: readonly RunEvent[]): readonly ConsoleFrame[] => frames(journal(...events));
const dotted = (...events: readonly RunEvent[]): readonly DottedFrame[] =>
  projectAll(dottedConsoleProjection({ run: 'run-1' }), journal(...events))[1];

type DataOf<Event> = Extract<ConsoleFrame, { event: Event }>['data'];
function all<Event extends ConsoleFrame['event']>(
  event: Event,
  from: readonly ConsoleFrame[],
): DataOf<Event>[] {
  return from.flatMap((frame) => (frame.event === event ? [frame.data as DataOf<Event>] : []));
}

const graph = { kind: 'agent', title: 'Graph', agent: 'GraphExplorerAgent' } as const;
const failure = { code: 'unavailable', message: 'The probe is broken.' } as const;

function attached(step: number, item: EventOf<'item.attached'>['item']): RunEvent {
  return { type: 'item.attached', step, item };
}

function asked(step: number, approval = 'a-1'): RunEvent {
  const question = { title: 'Sure?', fingerprint: 'f', priority: 'high' as const };
  return { type: 'approval.requested', approval, step, ...question, allowed: ['approve', 'reject'] };
}

describe('[P40] a message of the user begins a turn, and nothing else is one', () => {
  test('on a follow-up it comes before the start', () => {
    const first = [started('And now?', { earlier: ['run-0'] }), ended('Fine.')] as const;
    expect(told(...first).map(({ event }) => event)).toEqual(
      'user_message run_start thread_created message run_complete done'.split(' '),
    );
    expect(
      dotted(...first)
        .map(({ event }) => event)
        .slice(0, 3),
    ).toEqual('user_message run.start session.created'.split(' '));
  });

  test('what somebody says while a run works is no turn', () => {
    fc.assert(
      fc.property(plausibleRun, (entries) => {
        const names = frames(entries).map(({ event }) => event);
        expect(names.lastIndexOf('user_message')).toBeLessThanOrEqual(0);
      }),
      { numRuns: 100 },
    );
    const queued: RunEvent = { type: 'message.queued', message: 'm', text: 'Hurry.', by: 'ada' };
    expect(told(started(), queued).at(-1)).toEqual({
      event: 'step_thinking',
      data: { agent: 'User', status: 'Hurry.' },
    });
  });
});

const sectioned =
  'Looking.\n---QUERY---\nMATCH (n) --- x\n---RESULTS---\n{"columns":[],"data":[]}\n---CITATIONS---\n- Runbook\n' +
  '  --- ANALYSIS ---\nTwo paths:\n- A\n---\n- B';

test('[P41] of an answer in sections a card shows the analysis, however the text is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: sectioned.length })), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), sectioned.length];
      const pieces = places.slice(1).map((place, i) => said(2, sectioned.slice(places[i], place)));
      const sequence = told(
        started(),
        opened(1, 0, graph),
        opened(2, 1, { kind: 'turn', agent: graph.agent, effect: 'once' }),
        ...pieces,
        closed(2),
        closed(1, { result: sectioned }),
      );
      expect(all('step_complete', sequence)).toMatchObject([{ response: 'Two paths:\n- A\n---\n- B' }]);
    }),
  );
});

test.for([
  ['after much data', `---RESULTS---\n${'x'.repeat(9_000)}\n---ANALYSIS---\nTwo.`, 'Two.'],
  ['before the sections, if there is no analysis', 'Nothing found.\n---QUERY---\nq', 'Nothing found.'],
  ['nowhere', '---QUERY---\nq\n---RESULTS---\n[]', 'It gave data, and no analysis.'],
  ['in a text like any other', ' a --- b\n----\n', ' a --- b\n----\n'],
] as const)('[P41] what people can read stands %s', ([, text, response]) => {
  const sequence = told(started(), opened(1, 0, graph), said(1, text), closed(1, { result: text }));
  expect(all('step_complete', sequence)).toMatchObject([{ response }]);
  const [message] = all('message', told(started(), ended(text)));
  expect(message?.text).toBe(response.startsWith('It gave') ? text : response);
});

test('[P42] a graph is rows with columns, also where it came as nodes and edges', () => {
  const shownAs = (data: Json): unknown => {
    const item = { kind: 'visualization', shape: 'graph', data } as const;
    const sequence = told(started(), opened(1, 0, graph), attached(1, item), closed(1));
    return all('step_complete', sequence)[0]?.visualizations?.[0]?.data;
  };
  const rows = { columns: [{ name: 'n', type: 'node' }], data: [{ n: 1 }], query: 'q' };
  expect(shownAs(rows)).toEqual(rows);
  const nodes = ['A', 'B', 'C'].map((id) => ({ id, label: 'Site', properties: { people: 4 } }));
  const edges = [{ id: 'l', source: 'A', target: 'B', label: 'Link', properties: { km: 9, to: 'B' } }];
  expect(shownAs({ nodes, edges, meta: { node_count: 3 }, query: 'q' })).toEqual({
    columns: ['source', 'target', 'id', 'label', 'km', 'to'].map((name) => ({
      name,
      type: name === 'km' ? 'number' : 'string',
    })),
    data: [{ id: 'l', source: 'A', target: 'B', label: 'Link', km: 9, to: 'B' }, { source: 'C' }],
    query: 'q',
  });
  expect(shownAs({ nodes: nodes.slice(0, 1), edges: [], query: 'q' })).toEqual({
    columns: [
      { name: 'id', type: 'string' },
      { name: 'label', type: 'string' },
      { name: 'people', type: 'number' },
    ],
    data: [{ id: 'A', label: 'Site', people: 4 }],
    query: 'q',
  });
});

describe('[P43] an action is told once, on the card that took it', () => {
  const data = { status: 'dispatched', dispatch_id: 'D-1' };
  const action = { kind: 'action', name: 'dispatch_field_engineer', data } as const;
  const agent = { kind: 'agent', title: 'Field', agent: 'FieldDispatchAgent', query: 'Send somebody.' };
  const stage = { kind: 'stage', title: 'dispatch_field_engineer', origin: '0' };
  const turn = { kind: 'turn', agent: agent.agent, effect: 'once' } as const;

  test.for([
    ['to its stage, then to its answer', [3, 2]],
    ['to its answer, then to its stage', [2, 3]],
  ] as const)('where an agent attaches it %s', ([, places]) => {
    const sequence = told(
      started(),
      opened(1, 0, agent),
      opened(2, 1, turn),
      opened(3, 2, stage),
      said(3, '{"destination":"SYD"}\nSent.\n'),
      ...places.map((step) => attached(step, action)),
      closed(3),
      said(2, 'Somebody is on the way.'),
      closed(2),
      closed(1),
    );
    expect(all('action_executed', sequence)).toHaveLength(1);
    const cards = all('step_complete', sequence);
    expect(cards.filter(({ is_action }) => is_action)).toHaveLength(1);
    const taken = cards.find(({ is_action }) => is_action);
    expect(taken).toMatchObject({ action: data, response: 'Action executed: dispatch_field_engineer' });
    if (places[0] === 3) expect(taken?.query).toBe('dispatch_field_engineer {"destination":"SYD"}');
  });

  test('and two that are alike are two', () => {
    const other = { ...stage, origin: '1' };
    const sequence = told(
      started(),
      opened(1, 0, agent),
      ...[2, 3].flatMap((step) => [
        opened(step, 1, step === 2 ? stage : other),
        attached(step, action),
        closed(step),
      ]),
      closed(1),
    );
    expect(all('action_executed', sequence).map(({ step }) => step)).toEqual([2, 3]);
  });
});

test('[P44] a stage works on what its agent was asked, or on what it says it was given', () => {
  const sequence = told(
    started(),
    opened(1, 0, { ...graph, query: 'Which paths?' }),
    opened(2, 1, { kind: 'stage', title: 'dependent_paths', origin: '0' }),
    said(2, '{"link":"SYD-MEL"}\n26 paths.'),
    closed(2),
    opened(3, 1, { kind: 'stage', title: 'Summary', origin: '1' }),
    said(3, '{"paths":26}'),
    closed(3),
  );
  expect(all('step_started', sequence).map(({ query }) => query)).toEqual(Array(3).fill('Which paths?'));
  expect(all('step_complete', sequence).map(({ query, response }) => [query, response])).toEqual([
    ['{"link":"SYD-MEL"}', '26 paths.'],
    ['Which paths?', '{"paths":26}'],
  ]);
});

test('[P45] thinking is readable and said once: no plans, no names of steps, no verdict in three forms', () => {
  const sentence = 'Three calls were the same, so the model has to answer now.';
  const sequence = told(
    started(),
    opened(1, 0, { kind: 'registration', title: 'Tools', key: 'tools' }),
    closed(1),
    opened(2, 0, { kind: 'route', title: 'Coordination' }),
    opened(3, 2, { kind: 'turn', title: 'Routing' }),
    said(3, '{"strategy":"parallel","tasks":[]}'),
    closed(3),
    said(2, 'Network graph: it has the links.'),
    closed(2),
    opened(4, 0, { kind: 'turn', title: 'orion', agent: 'orion' }),
    closed(4),
    opened(5, 0, { kind: 'branch', title: 'call 1', key: 'call 1' }),
    opened(6, 5, callTo('search', { query: 'A?' })),
    closed(6, { result: 'x' }),
    closed(5),
    opened(7, 0, { kind: 'turn', title: 'orion', agent: 'orion' }),
    closed(7),
    opened(8, 0, { kind: 'verdict', title: 'Verdict' }),
    { type: 'notice.posted', step: 8, code: 'TOOLS_DISABLED', message: sentence },
    said(8, sentence),
    closed(8),
    said(0, `\n\n**System notice**: ${sentence}\n\n`),
    opened(9, 0, { kind: 'step', title: 'Checking the stock', key: 'stock' }),
  );
  expect(all('step_thinking', sequence).map(({ status }) => status)).toEqual([
    'Deciding who works on this…',
    'Network graph: it has the links.',
    'Thinking…',
    'Thinking…',
    sentence,
    'Checking the stock',
  ]);
});

test.for([
  [{ decision: 'approve', by: 'local' }, 'Approved by local.'],
  [{ decision: 'reject', by: 'ada', rationale: 'Too early.' }, 'Rejected by ada: Too early.'],
  [{ decision: 'approve', by: 'ada', answer: { site: 'SYD' } }, 'Approved by ada.\n{"site":"SYD"}'],
] as const)('[P46] the card of a question says what was decided: %j', ([result, response]) => {
  const sequence = told(
    started(),
    opened(1, 0, { kind: 'ask', title: 'Sure?' }),
    asked(1),
    closed(1, { result }),
  );
  expect(all('step_complete', sequence)).toMatchObject([{ response }]);
});

test('[P47] a repeat that was blocked says so, and one of a failure is an error', () => {
  const again = { outcome: 'reused', reusedFrom: 1 } as const;
  const sequence = told(
    started(),
    opened(1, 0, callTo('measure', { query: 'C' })),
    closed(1, { outcome: 'failed', failure }),
    opened(2, 0, callTo('measure', { query: 'C' })),
    closed(2, { ...again, failure }),
    opened(3, 0, callTo('measure', { query: 'A' })),
    closed(3, { ...again, result: 'fine' }),
    opened(4, 0, callTo('measure', { query: 'B' })),
    closed(4, { outcome: 'reused', result: 'known' }),
  );
  const seen = all('step_complete', sequence).map(({ response, error, blocked }) => [
    response,
    error,
    blocked,
  ]);
  const failed = 'FAILED: [unavailable] The probe is broken.';
  expect(seen).toEqual([
    [failed, true, undefined],
    [`${failed} (It failed like this before, and was not tried again.)`, true, true],
    ['fine', undefined, true],
    ['known', undefined, undefined],
  ]);
});

test('[P48] a run that is stopped while it answers has told what it said', () => {
  const cut = [
    started(),
    opened(1, 0, callTo('measure', { query: 'A' })),
    closed(1, { result: 'fine' }),
    opened(2, 0, { kind: 'answer' }),
    opened(3, 2, { kind: 'turn' }),
    said(3, 'The fibre '),
    said(3, 'is'),
    { type: 'stop.requested', by: 'ada' },
    closed(3, { outcome: 'stopped' }),
    closed(2, { outcome: 'stopped' }),
    ended(undefined, { outcome: 'stopped' }),
  ] as const satisfies readonly RunEvent[];
  expect(told(...cut).slice(-3)).toMatchObject([
    { event: 'message', data: { text: 'The fibre is', partial: true } },
    { event: 'run_complete', data: { steps: 1 } },
    { event: 'done', data: { status: 'cancelled' } },
  ]);
  const texts = dotted(...cut).flatMap((frame) =>
    frame.event === 'message.complete' ? [frame.data.text] : [],
  );
  expect(texts).toEqual(['The fibre is']);
  const between = told(
    started(),
    opened(1, 0, { kind: 'turn' }),
    said(1, 'First I look.'),
    closed(1),
    opened(2, 0, callTo('measure', { query: 'A' })),
    ended(undefined, { outcome: 'stopped' }),
  );
  expect(all('message', between)).toEqual([]);
});

describe('[P49] a duration is time that was worked, without the wait for a person', () => {
  const durations = (...events: readonly RunEvent[]): unknown[] =>
    all('step_complete', told(started(), ...events)).map(({ duration }) => duration);
  const turn = { kind: 'turn', agent: graph.agent, effect: 'once' } as const;
  const notice: RunEvent = { type: 'notice.posted', step: 1, code: 'X', message: 'A second.' };

  test('of the agent whose message waited', () => {
    const waited = [opened(2, 1, turn), asked(2), notice, notice, { type: 'step.started', step: 2 }] as const;
    expect(durations(opened(1, 0, graph), ...waited, closed(2), closed(1))).toEqual(['4.0s']);
  });

  test('of all around it, and two who wait at once wait once', () => {
    const inner = { ...graph, agent: 'inner' };
    expect(
      durations(
        opened(1, 0, graph),
        opened(2, 1, inner),
        opened(3, 1, inner),
        asked(2),
        asked(3, 'a-2'),
        { type: 'step.started', step: 2 },
        { type: 'step.started', step: 3 },
        closed(2),
        closed(3),
        closed(1),
      ),
    ).toEqual(['2.0s', '2.0s', '6.0s']);
  });

  test('of the whole run, as the figures at its end tell it', () => {
    const waited = [opened(2, 1, turn), asked(2), notice, notice, { type: 'step.started', step: 2 }] as const;
    const run = [started(), opened(1, 0, graph), ...waited, closed(2), closed(1), ended('Done.')] as const;
    expect(all('run_complete', told(...run))).toMatchObject([{ time: '6.0s' }]);
    const left = [
      started(),
      opened(1, 0, graph),
      asked(1),
      notice,
      notice,
      ended('', { outcome: 'stopped' }),
    ];
    expect(all('run_complete', told(...left))).toMatchObject([{ time: '2.0s' }]);
  });

  test('of what was refused, tried again, or is still waiting at the end', () => {
    expect(durations(opened(1, 0, graph), asked(1), notice, closed(1, { outcome: 'skipped' }))).toEqual([
      '1.0s',
    ]);
    expect(durations(opened(1, 0, graph), asked(1), notice, retried(1), closed(1))).toEqual(['2.0s']);
    expect(
      durations(opened(1, 0, graph), asked(1), notice, ended(undefined, { outcome: 'stopped' })),
    ).toEqual(['1.0s']);
  });
});

test('[Q114] the index has as many delegated steps of a run as a console has cards', () => {
  let most = 0;
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      const { facts } = indexedAll(entries) ?? {};
      const cards = all('step_started', frames(entries)).length;
      expect(facts?.delegated).toBe(cards);
      most = Math.max(most, cards);
    }),
  );
  expect(most).toBeGreaterThan(5);
});
