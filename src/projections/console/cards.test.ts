// What cards and lines of thinking say of work that did not go as it should.
import { describe, expect, test } from 'vitest';
import { callTo, closed, ended, journal, opened, retried, said, started } from '../../../test/journal.ts';
import type { EventOf, RunEvent } from '../../run/events.ts';
import type { ConsoleFrame } from '../../wire/console.ts';
import { shower } from '../preferences/preferences.ts';
import { projectAll, type Preferences } from '../projection.ts';
import { consoleProjection, dottedConsoleProjection } from './run.ts';

const told = (...events: readonly RunEvent[]): readonly ConsoleFrame[] =>
  projectAll(consoleProjection({ run: 'run-1' }), journal(...events))[1];

type DataOf<Event> = Extract<ConsoleFrame, { event: Event }>['data'];
function all<Event extends ConsoleFrame['event']>(
  event: Event,
  from: readonly ConsoleFrame[],
): DataOf<Event>[] {
  return from.flatMap((frame) => (frame.event === event ? [frame.data as DataOf<Event>] : []));
}

const lines = (...events: readonly RunEvent[]): string[] =>
  all('step_thinking', told(started(), ...events)).map(({ status }) => status);
const cards = (...events: readonly RunEvent[]): DataOf<'step_complete'>[] =>
  all('step_complete', told(started(), ...events));

const alpha = { kind: 'agent', title: 'Alpha', agent: 'alpha', query: 'Which links?' };
const turn = { kind: 'turn', title: 'Alpha', agent: 'alpha', effect: 'once' } as const;
const stage = { kind: 'stage', title: 'Writing', origin: '0' };
const failure = { code: 'unavailable', message: 'Deployment alpha answered 503.' } as const;

function notice(step: number, code: string, message: string): RunEvent {
  return { type: 'notice.posted', step, code, message };
}

function asked(step: number): RunEvent {
  const question = { title: 'Sure?', fingerprint: 'f', priority: 'high' as const };
  return { type: 'approval.requested', approval: 'a-1', step, ...question, allowed: ['approve', 'reject'] };
}

const words = 'ZeroDivisionError: division by zero';
test.for([
  [{ outcome: 'failed' }, `FAILED: ${words}`],
  [{ outcome: 'failed', failure }, `FAILED: [unavailable] ${failure.message}\n\n${words}`],
  [{ outcome: 'stopped' }, `STOPPED: ${words}`],
  [{ outcome: 'skipped', failure }, `SKIPPED: ${failure.message}\n\n${words}`],
] as const)('[P80] a card that did not complete says what it had said: %j', ([end, response]) => {
  const work = [opened(1, 0, alpha), opened(2, 1, turn), opened(3, 2, stage), said(3, `${words}\n`)];
  expect(cards(...work, closed(3, end))).toMatchObject([{ response }]);
  const frames = projectAll(
    dottedConsoleProjection({ run: 'run-1' }),
    journal(started(), ...work, closed(3, end), closed(2), closed(1)),
  )[1];
  expect(JSON.stringify(frames.at(-1))).toContain('division by zero');
});

describe('[P81] a stage that its agent left open', () => {
  const open = [opened(1, 0, alpha), opened(2, 1, turn), opened(3, 2, stage), said(3, 'Wrote 3 of 5 pages')];

  test('in an answer that came to its end is no error', () => {
    const [left, silent] = cards(
      ...open,
      opened(4, 2, { ...stage, origin: '1' }),
      closed(3, { outcome: 'abandoned' }),
      closed(4, { outcome: 'abandoned' }),
    );
    expect(left).toMatchObject({ response: 'Wrote 3 of 5 pages' });
    expect(left).not.toHaveProperty('error', true);
    expect(silent).toMatchObject({ response: 'Its agent left it open.' });
  });

  test('is one where its turn was cut off', () => {
    const cut = { response: 'ABANDONED: Wrote 3 of 5 pages', error: true };
    expect(cards(...open, retried(2))).toMatchObject([cut]);
    expect(cards(...open, closed(2, { outcome: 'failed', failure }))).toMatchObject([cut]);
  });
});

describe('[P82] what is told by a card, or in a sentence that takes it up, is told once', () => {
  test('the failure of an agent', () => {
    const events = [
      opened(1, 0, alpha),
      opened(2, 1, turn),
      closed(2, { outcome: 'failed', failure }),
      notice(1, 'AGENT_FAILED', `Alpha failed: ${failure.message}`),
      closed(1, { outcome: 'failed', failure }),
    ];
    expect(lines(...events)).toEqual([]);
    expect(cards(...events)).toMatchObject([{ response: `FAILED: [unavailable] ${failure.message}` }]);
  });

  test('a failure after which the work went on', () => {
    const failed = [opened(1, 0, alpha), opened(2, 1, turn), closed(2, { outcome: 'failed', failure })];
    expect(lines(...failed, opened(3, 1, turn), said(3, 'Two.'), closed(3), closed(1))).toEqual([
      `FAILED: [unavailable] ${failure.message}`,
    ]);
  });

  test.for([
    ['a blocked repeat', 'DUPLICATE_BLOCKED', { outcome: 'reused', result: 'x', reusedFrom: 1 }],
    ['a call that is refused', 'CALL_REFUSED', { outcome: 'skipped', failure }],
    ['a call that does not fit', 'CALL_MALFORMED', { outcome: 'failed', failure }],
  ] as const)('%s', ([, code, end]) => {
    const sentence = 'read_file: it was not run.';
    const call = [opened(2, 0, callTo('read_file', { path: 'a' })), notice(2, code, failure.message)];
    const system = said(0, `\n\n**System notice**: ${sentence}\n\n`);
    expect(lines(...call, closed(2, end), system, opened(3, 0, { kind: 'turn' }))).toEqual([
      sentence,
      'Thinking…',
    ]);
  });

  test('the failure of a model, which a verdict takes up', () => {
    const sentence = 'The model failed (Deployment alpha answered 503), so it is asked once more.';
    const events = [
      opened(1, 0, { kind: 'turn' }),
      closed(1, { outcome: 'failed', failure }),
      opened(2, 0, { kind: 'verdict' }),
      notice(2, 'TURN_FAILED', sentence),
      closed(2),
    ];
    expect(lines(...events)).toEqual(['Thinking…', sentence]);
    expect(lines(...events.slice(0, 2), opened(2, 0, { kind: 'answer' }))).toEqual([
      'Thinking…',
      `FAILED: [unavailable] ${failure.message}`,
      'Writing the answer…',
    ]);
  });
});

test('[P83] a run that failed says why once', () => {
  const end = ended(`I could not finish this. ${failure.message}`, { outcome: 'failed', failure });
  const events = ['error', 'done'];
  const failed = [opened(1, 0, { kind: 'turn' }), closed(1, { outcome: 'failed', failure }), end];
  expect(
    told(started(), ...failed)
      .map(({ event }) => event)
      .slice(2),
  ).toEqual(['step_thinking', ...events]);
  const dotted = projectAll(dottedConsoleProjection({ run: 'run-1' }), journal(started(), end))[1];
  expect(dotted.map(({ event }) => event).slice(2)).toEqual(events);
  const half = told(started(), ended('Two of three links are up.', { outcome: 'failed', failure }));
  expect(all('message', half)).toEqual([{ text: 'Two of three links are up.' }]);
});

test('[P84] what an agent is given of others’ facts is no card', () => {
  const facts = opened(2, 1, { kind: 'facts', title: 'Shared facts', key: 'facts' });
  const events = [opened(1, 0, alpha), facts, closed(2, { result: { site: 'SYD' } })];
  const answer = [opened(3, 1, turn), said(3, 'Two.'), closed(3), closed(1)];
  expect(lines(...events, ...answer)).toEqual([]);
  expect(cards(...events, ...answer)).toMatchObject([{ agent: 'Alpha', response: 'Two.' }]);
});

test.for(['{"destination":"SYD"}', '{"destination":"SYD"}\n'])(
  '[P85] the card of an action has its arguments, also where nothing else is said: %j',
  (text) => {
    const item = { kind: 'action', name: 'dispatch', data: {} } as const;
    const events = [opened(1, 0, alpha), opened(2, 1, stage), said(2, text)];
    expect(cards(...events, { type: 'item.attached', step: 2, item }, closed(2))).toMatchObject([
      { query: 'dispatch {"destination":"SYD"}' },
    ]);
  },
);

test('[P86] while a person is asked about a turn, what is below it waits too', () => {
  const wait = [notice(1, 'X', 'A second.'), notice(1, 'X', 'Another.')];
  const durations = cards(
    opened(1, 0, alpha),
    opened(2, 1, turn),
    opened(3, 2, stage),
    asked(2),
    ...wait,
    closed(3, { outcome: 'abandoned' }),
    closed(2),
    closed(1),
  ).map(({ agent, duration }) => [agent, duration]);
  expect(durations).toEqual([
    ['Writing', '1.0s'],
    ['Alpha', '4.0s'],
  ]);
});

test('[P87] a document has its title', () => {
  const attached = (
    attachment: Extract<EventOf<'item.attached'>['item'], { kind: 'attachment' }>['attachment'],
  ) => {
    const item = { kind: 'attachment', attachment } as const;
    const [card] = cards(opened(1, 0, alpha), { type: 'item.attached', step: 1, item }, closed(1));
    return card?.visualizations?.[0]?.data;
  };
  expect(attached({ type: 'text/plain', title: 'notes.txt', data: 'abc' })).toEqual({
    content: 'abc',
    agent: 'Alpha',
    citations: 'notes.txt',
  });
  expect(attached({ type: 'image/png', title: 'map.png' })).toEqual({ content: 'map.png', agent: 'Alpha' });
});

describe('[P88] people are shown what an agent is called', () => {
  test('on its card, and not the name in a configuration', () => {
    const events = [opened(1, 0, alpha), opened(2, 1, turn), said(2, 'Slow.', 'log'), closed(2), closed(1)];
    expect(cards(...events)).toMatchObject([{ agent: 'Alpha' }]);
    expect(all('step_thinking', told(started(), ...events))).toEqual([{ agent: 'Alpha', status: 'Slow.' }]);
    expect(
      cards(opened(1, 0, { kind: 'stage', title: 'Fetch', origin: '0', agent: 'Weather' }), closed(1)),
    ).toMatchObject([{ agent: 'Weather' }]);
  });

  test('before the stages it brings', () => {
    const entries = journal(started(), opened(1, 0, alpha), opened(2, 1, turn), opened(3, 2, stage));
    expect(entries.map(shower({ stages: 'prefix' })).at(-1)?.event).toMatchObject({
      title: '[Alpha] Writing',
    });
  });
});

test('[P89] a person’s no is no error', () => {
  const no = { code: 'refused', message: 'local rejected «Alpha».' } as const;
  const events = [
    opened(1, 0, alpha),
    opened(2, 1, turn),
    asked(2),
    closed(2, { outcome: 'skipped', failure: no }),
    notice(1, 'AGENT_FAILED', `Alpha was refused: ${no.message}`),
    closed(1, { outcome: 'failed', failure: no }),
  ];
  expect(lines(...events)).toEqual([]);
  const [card] = cards(...events);
  expect(card).toMatchObject({ response: `SKIPPED: ${no.message}` });
  expect(card).not.toHaveProperty('error', true);
  const [denied] = cards(opened(1, 0, alpha), closed(1, { outcome: 'failed', failure: no }));
  expect(denied).toMatchObject({ response: `FAILED: [refused] ${no.message}`, error: true });
});

test('[P90] a failure that is not tried again says so, as the engine records it', () => {
  const events = [1, 2].map((step) => opened(step, 0, callTo('measure', { query: 'C' })));
  const [first, again] = events;
  const seen = cards(
    ...(first ? [first] : []),
    closed(1, { outcome: 'failed', failure }),
    ...(again ? [again] : []),
    closed(2, { outcome: 'failed', failure, reusedFrom: 1 }),
  );
  expect(seen[1]).toMatchObject({
    response: `FAILED: [unavailable] ${failure.message} (It failed like this before, and was not tried again.)`,
    error: true,
    blocked: true,
  });
});

test.for<Preferences>([{ depth: 1 }, { depth: 0 }])(
  '[P91] what a router decides is in no line, whatever is shown: %j',
  (preferences) => {
    const entries = journal(
      started(),
      opened(1, 0, { kind: 'route', title: 'Coordination' }),
      opened(2, 1, { kind: 'turn', title: 'Routing' }),
      said(2, '{"agent_name":"alpha"}'),
      closed(2),
      said(1, 'Alpha: it has the links.'),
      closed(1),
    );
    const shown = JSON.stringify(entries.map(shower(preferences)));
    expect(shown).not.toContain('agent_name');
    expect(shown).toContain('Alpha: it has the links.');
  },
);

test('[P93] what a person made of a message is told with the decision', () => {
  const decided = { approval: 'a-1', decision: 'edit', by: 'ada', arguments: 'delete Ann' } as const;
  const frames = told(started(), opened(1, 0, turn), asked(1), { type: 'approval.decided', ...decided });
  expect(all('status_change', frames).at(-1)).toMatchObject({
    message: 'Changed and approved by ada.',
    arguments: 'delete Ann',
  });
});
