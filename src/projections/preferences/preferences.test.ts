import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEntries } from '../../../test/arbitraries.ts';
import { callTo, closed, ended, journal, opened, retried, said, started } from '../../../test/journal.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { Entry, RunEvent } from '../../run/events.ts';
import { foldAll } from '../../run/entries.ts';
import { stageName } from '../../run/stage-name.ts';
import { isOpen, runStatus, textOf, undecidedApprovals, type RunTree, type Step } from '../../run/tree.ts';
import { preferred } from './preferences.ts';
import { projectionContract } from '../projection.contract.ts';
import { Preferences, projectAll } from '../projection.ts';

const tastes: readonly Preferences[] = [
  { stages: 'nested' },
  { stages: 'flat' },
  { stages: 'prefix' },
  { stages: 'off' },
  { names: ['stage', 'Web', 'Web Search'] },
  { names: ['web search'], stages: 'flat', depth: 4 },
  { depth: 0 },
  { depth: 1 },
  { depth: 3, stages: 'prefix' },
];

for (const taste of tastes) projectionContract(`the filter ${JSON.stringify(taste)}`, preferred(taste));

function filtered(entries: readonly Entry[], preferences: Preferences): readonly Entry[] {
  return projectAll(preferred(preferences), entries)[1];
}

function shown(preferences: Preferences, ...events: readonly RunEvent[]): RunTree {
  return foldAll(filtered(journal(...events), preferences));
}

/** All that was asked, saved and taken, in order, wherever. */
function contents(entries: readonly Entry[]): unknown[] {
  return entries.flatMap(({ seq, event }) => {
    const content = contentOf(event);
    return content === undefined ? [] : [[seq, content]];
  });
}

function contentOf(event: RunEvent): unknown {
  if (event.type === 'approval.requested') return [event.approval, event.title];
  if (event.type === 'state.saved') return [event.agent, event.state];
  if (event.type === 'message.taken') return event.message;
  return undefined;
}

/** What a step has to say: its own words, and those of turns below it that nobody sees, but for a router's. */
function ownWords(whole: RunTree, shown: RunTree, { id, kind, children }: Step): string[] {
  const turns = kind === 'route' ? [] : children.flatMap((child) => whole.steps.get(child) ?? []);
  const hidden = turns.filter((turn) => turn.kind === 'turn' && !turn.origin && !shown.steps.has(turn.id));
  const own = whole.steps.get(id);
  return [own, ...hidden].flatMap((step) => step?.text.content ?? []);
}

describe.for(tastes.map((taste) => ({ taste })))('$taste', ({ taste }) => {
  test('[P10] nothing that was asked, saved or taken is lost, and every number stays', () => {
    fc.assert(
      fc.property(fc.oneof(plausibleRun, anyEntries), (entries) => {
        const kept = filtered(entries, taste);
        expect(contents(kept)).toEqual(contents(entries));
        const places = new Map(entries.map((entry) => [entry.seq, entry.at]));
        for (const { seq, at } of kept) expect(places.get(seq)).toBe(at);
        expect(kept.map(({ seq }) => seq)).toEqual([...new Set(kept.map(({ seq }) => seq))]);
      }),
      { numRuns: 100 },
    );
  });

  test('[P11] what is shown of an engine’s journal is a sound run with the same end', () => {
    fc.assert(
      fc.property(plausibleRun, fc.nat(), (entries, cut) => {
        const part = entries.slice(0, 1 + (cut % entries.length));
        for (const some of [part, entries]) {
          const [whole, tree] = [foldAll(some), foldAll(filtered(some, taste))];
          expect(tree.notices.filter(({ code }) => code === 'OUT_OF_PLACE')).toEqual([]);
          expect(tree.ended).toEqual(whole.ended);
          expect(undecidedApprovals(tree).map(({ approval }) => approval)).toEqual(
            undecidedApprovals(whole).map(({ approval }) => approval),
          );
          if (whole.ended) expect([...tree.steps.values()].slice(1).filter(isOpen)).toEqual([]);
          if (whole.ended) expect(runStatus(tree)).toBe(runStatus(whole));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('[P20 P21] nobody says the words of another: what is hidden is a line of a log, or nothing', () => {
    fc.assert(
      fc.property(plausibleRun, (entries) => {
        fc.pre(!entries.some(({ event }) => event.type === 'step.retried'));
        const [whole, tree] = [foldAll(entries), foldAll(filtered(entries, taste))];
        for (const step of tree.steps.values()) {
          const known = whole.steps.get(step.id);
          const words = known ? ownWords(whole, tree, known) : [];
          expect(textOf(step).split('').toSorted()).toEqual(words.join('').split('').toSorted());
        }
      }),
      { numRuns: 100 },
    );
  });

  test('[P12] only what people asked for is shown', () => {
    fc.assert(
      fc.property(plausibleRun, (entries) => {
        const tree = foldAll(filtered(entries, taste));
        const whole = foldAll(entries);
        for (const { id, origin, depth, title, parent } of tree.steps.values()) {
          expect(depth).toBeLessThanOrEqual(taste.depth ?? Infinity);
          if (origin === undefined) continue;
          expect(taste.stages).not.toBe('off');
          const own = whole.steps.get(id)?.title ?? '';
          const names = taste.names?.map(stageName);
          if (names) expect(names.some((name) => stageName(own).startsWith(name))).toBe(true);
          // The agent of a turn by its name, or by the title of the step that delegates to it.
          if (taste.stages === 'prefix')
            expect(['general', 'agent'].map((name) => `[${name}] ${own}`)).toContain(title);
          else expect(title).toBe(own);
          const isFlat = taste.stages === 'flat' || taste.stages === 'prefix';
          if (isFlat) expect(tree.steps.get(parent)?.origin).toBeUndefined();
        }
      }),
      { numRuns: 100 },
    );
  });
});

test('an empty preference shows a run as it is', () => {
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      expect(filtered(entries, {})).toEqual(entries);
    }),
  );
});

const stage = (step: number, parent: number, title: string) =>
  opened(step, parent, { kind: 'stage', title, origin: `${step}` });

const mirrored = [
  started(),
  opened(1, 0, { kind: 'agent', agent: 'weather', title: 'Weather' }),
  opened(2, 1, { kind: 'turn', agent: 'weather', title: 'Turn' }),
  stage(3, 2, 'Fetching'),
  said(3, 'a'),
  stage(4, 3, ''),
  said(4, 'b'),
  { type: 'title.appended', step: 4, text: 'Web ' },
  { type: 'title.appended', step: 4, text: 'Search' },
  said(4, 'c'),
  closed(4, { outcome: 'failed' }),
  said(3, 'd'),
  closed(3),
  said(2, 'e'),
] as const satisfies readonly RunEvent[];

function outline(tree: RunTree): string[] {
  return [...tree.steps.values()].map(
    (step) => `${step.parent}>${step.id} ${step.title} «${textOf(step)}» ${step.status}`,
  );
}

test.for<{ taste: Preferences; expected: string[]; log?: string }>([
  {
    taste: { stages: 'nested' },
    expected: ['2>3 Fetching «ad» completed', '3>4 Web Search «bc» failed'],
  },
  { taste: { stages: 'flat' }, expected: ['2>3 Fetching «ad» completed', '2>4 Web Search «bc» failed'] },
  {
    taste: { stages: 'prefix' },
    expected: ['2>3 [Weather] Fetching «ad» completed', '2>4 [Weather] Web Search «bc» failed'],
  },
  {
    taste: { names: ['web search'] },
    expected: ['2>4 Web Search «bc» failed'],
    log: 'Fetching: ad',
  },
  {
    taste: { names: ['Fetching'] },
    expected: ['2>3 Fetching «ad» completed'],
    log: 'Web Search (failed): bc',
  },
  {
    taste: { depth: 3 },
    expected: ['2>3 Fetching «ad» completed'],
    log: 'Web Search (failed): bc',
  },
  {
    taste: { depth: 3, stages: 'flat' },
    expected: ['2>3 Fetching «ad» completed', '2>4 Web Search «bc» failed'],
  },
  { taste: { depth: 2 }, expected: [], log: 'Web Search (failed): bc\nFetching: ad' },
  { taste: { stages: 'off' }, expected: [] },
])('[P21] mirrored stages with $taste', ({ taste, expected, log = '' }) => {
  const tree = shown(taste, ...mirrored);
  const [, , turn, ...stages] = outline(tree);
  expect(stages).toEqual(expected);
  expect(turn).toBe('1>2 Turn «e» running');
  const logs = [...tree.steps.values()].map((step) => textOf(step, 'log')).join('');
  expect(logs.trim()).toBe(log);
  expect(tree.notices).toEqual([]);
});

test('[P20] of stages that are off nothing is seen: no word, no item, no notice, no failure', () => {
  const item = { kind: 'citation', title: 'a page' } as const;
  const tree = shown(
    { stages: 'off' },
    ...mirrored.slice(0, 10),
    { type: 'item.attached', step: 4, item },
    { type: 'notice.posted', step: 4, code: 'SECRET_REDACTED', message: 'A secret was taken out.' },
    ...mirrored.slice(10),
  );
  const turn = tree.steps.get(2);
  expect([turn?.text, turn?.items, tree.notices, tree.steps.size]).toEqual([{ content: ['e'] }, [], [], 3]);
});

test('[P21] what hangs on a stage that is not named is named in its line, and stays out of the turn', () => {
  const attachment = (title: string): RunEvent => ({
    type: 'item.attached',
    step: 3,
    item: { kind: 'attachment', attachment: { type: 'text/plain', title, data: 'x' } },
  });
  const tree = shown(
    { names: ['Nothing'] },
    ...mirrored.slice(0, 5),
    attachment('a.txt'),
    attachment('b.txt'),
    said(3, ` and\n ${'x'.repeat(600)}`),
    closed(3),
  );
  const turn = tree.steps.get(2);
  expect(turn?.items).toEqual([]);
  expect(turn && textOf(turn, 'log')).toBe(`Fetching: a and ${'x'.repeat(493)}… [a.txt, b.txt]\n`);
});

test('[P21] a step of ours that failed beyond the depth is a notice where it speaks', () => {
  const failure = { code: 'unavailable', message: 'It is away.' } as const;
  const events = [started(), opened(1, 0), opened(2, 1, callTo('look', {}))] as const;
  const tree = shown({ depth: 1 }, ...events, closed(2, { outcome: 'failed', failure }));
  expect(tree.notices).toMatchObject([
    { step: 1, code: 'STEP_FAILED', message: '«look» failed: It is away.' },
  ]);
});

test('[P21] an answer is not mixed with what others said on the way to it', () => {
  const turnOf = (step: number, parent: number) => opened(step, parent, { kind: 'turn', title: 'Turn' });
  const tree = shown(
    { depth: 1 },
    started(),
    opened(1, 0, { kind: 'agent', title: 'Team' }),
    opened(2, 1, { kind: 'agent', title: 'Weather' }),
    turnOf(3, 2),
    said(3, 'It rains.'),
    closed(3),
    closed(2),
    closed(1),
    opened(4, 0, { kind: 'answer', title: 'Answer' }),
    turnOf(5, 4),
    said(5, 'Take an umbrella.'),
    opened(6, 0, { kind: 'route', title: 'Coordination' }),
    turnOf(7, 6),
    said(7, '{"agent":"Weather"}'),
    closed(7),
    said(6, 'Weather knows.'),
  );
  expect(tree.steps.get(1)?.text).toEqual({ log: ['Turn: It rains.\n'] });
  expect(tree.steps.get(4)?.text).toEqual({ content: ['Take an umbrella.'] });
  expect(tree.steps.get(6)?.text).toEqual({ content: ['Weather knows.'] });
});

test.for<{ title: string[]; name: string }>([
  { title: ['🔍 Web Search'], name: 'web search' },
  { title: ['🔍 ', 'Web ', 'Search'], name: 'Web Search' },
  { title: ['WEB SEARCH'], name: '🔎  Web Search' },
  { title: ['★'], name: '★' },
])('[P22] $title is the stage «$name» that was asked for', ({ title: [first = '', ...pieces], name }) => {
  const more = pieces.map((text): RunEvent => ({ type: 'title.appended', step: 3, text }));
  const turn = mirrored.slice(0, 3);
  const tree = shown({ names: [name] }, ...turn, stage(3, 2, first), ...more);
  expect(tree.steps.get(3)?.title).toBe([first, ...pieces].join(''));
  const other = shown({ names: [name] }, ...turn, stage(3, 2, `${first} by hand`));
  expect(other.steps.has(3)).toBe(false);
});

test('a question about a step nobody sees is asked where it speaks, and is over when the step is', () => {
  const question: RunEvent = {
    type: 'approval.requested',
    approval: 'a-1',
    step: 2,
    title: 'Delete user 4?',
    fingerprint: 'f',
    priority: 'high',
    allowed: ['approve', 'reject'],
  };
  const asked = [started(), opened(1, 0), opened(2, 1, callTo('delete_user', { id: 4 })), question] as const;
  const waiting = shown({ depth: 1 }, ...asked);
  expect(waiting.steps.get(1)?.status).toBe('waiting');
  expect(runStatus(waiting)).toBe('waiting');
  const over = shown({ depth: 1 }, ...asked, retried(2));
  expect(undecidedApprovals(over)).toEqual([]);
  expect(over.approvals.get('a-1')?.lapsedBecause).toBe('What it was about has ended.');
  const agreed: RunEvent = { type: 'approval.decided', approval: 'a-1', decision: 'approve', by: 'ada' };
  const decided = shown({ depth: 1 }, ...asked, agreed, closed(2), closed(1), ended('x'));
  expect(decided.approvals.get('a-1')?.decided?.by).toBe('ada');
});

test('calls of two turns that nobody sees are not mixed up', () => {
  const asks = (step: number, text: string): RunEvent => ({
    type: 'text.appended',
    step,
    channel: 'arguments',
    text,
    call: 'call-0',
    tool: 'search',
  });
  const events = [
    started(),
    opened(1, 0),
    opened(2, 1, { kind: 'turn' }),
    opened(3, 1, { kind: 'turn' }),
    asks(2, '{"a"'),
    asks(3, '{'),
    asks(2, ':1}'),
  ];
  const requests = [
    ...(shown({ depth: 1 }, ...events)
      .steps.get(1)
      ?.requests?.values() ?? []),
  ];
  expect(requests.map(({ pieces }) => pieces.join(''))).toEqual(['{"a":1}', '{']);
});

test.for([{ stages: 'deep' }, { depth: -1 }, { depth: 1.5 }, { names: 'x' }, { level: 2 }])(
  '%o is no preference',
  (value) => {
    expect(Preferences.safeParse(value).success).toBe(false);
  },
);
