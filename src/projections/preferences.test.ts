import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEntries } from '../../test/arbitraries.ts';
import { callTo, closed, ended, journal, opened, retried, said, started } from '../../test/journal.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import type { Entry, RunEvent } from '../run/events.ts';
import { foldAll } from '../run/fold.ts';
import { isOpen, runStatus, textOf, undecidedApprovals, type RunTree } from '../run/tree.ts';
import { preferred } from './preferences.ts';
import { projectionContract } from './projection.contract.ts';
import { Preferences, projectAll } from './projection.ts';

const tastes: readonly Preferences[] = [
  { stages: 'nested' },
  { stages: 'flat' },
  { stages: 'prefix' },
  { stages: 'off' },
  { names: ['stage', 'Web', 'Web Search'] },
  { names: ['Web Search'], stages: 'flat', depth: 4 },
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

const codesOfOurs = new Set(['STEP_FAILED', 'STEP_RETRIED']);

/** All that was said, attached, noticed, asked and saved, in order, wherever. */
function contents(entries: readonly Entry[]): unknown[] {
  return entries.flatMap(({ seq, event }) => {
    const content = contentOf(event);
    return content === undefined ? [] : [[seq, content]];
  });
}

function contentOf(event: RunEvent): unknown {
  if (event.type === 'text.appended') return [event.channel, event.text];
  if (event.type === 'item.attached') return event.item;
  if (event.type === 'notice.posted') return codesOfOurs.has(event.code) ? undefined : event.message;
  if (event.type === 'approval.requested') return [event.approval, event.title];
  if (event.type === 'state.saved') return [event.agent, event.state];
  if (event.type === 'message.taken') return event.message;
  return undefined;
}

describe.for(tastes.map((taste) => ({ taste })))('$taste', ({ taste }) => {
  test('[P10] nothing that was said, attached, noticed or asked is lost, and every number stays', () => {
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
          if (taste.names) expect(taste.names.some((name) => own.trimStart().startsWith(name))).toBe(true);
          if (taste.stages === 'prefix') expect(title).toBe(`[general] ${own}`);
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
  opened(1, 0, { kind: 'agent', agent: 'Weather' }),
  opened(2, 1, { kind: 'turn', agent: 'Weather', title: 'Turn' }),
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

test.for<{ taste: Preferences; expected: string[] }>([
  {
    taste: { stages: 'nested' },
    expected: ['2>3 Fetching «ad» completed', '3>4 Web Search «bc» failed'],
  },
  { taste: { stages: 'flat' }, expected: ['2>3 Fetching «ad» completed', '2>4 Web Search «bc» failed'] },
  {
    taste: { stages: 'prefix' },
    expected: ['2>3 [Weather] Fetching «ad» completed', '2>4 [Weather] Web Search «bc» failed'],
  },
  { taste: { names: ['Web Search'] }, expected: ['2>4 Web Search «c» failed'] },
  { taste: { names: ['Fetching'] }, expected: ['2>3 Fetching «abcd» completed'] },
  { taste: { depth: 3 }, expected: ['2>3 Fetching «abcd» completed'] },
  {
    taste: { depth: 3, stages: 'flat' },
    expected: ['2>3 Fetching «ad» completed', '2>4 Web Search «bc» failed'],
  },
  { taste: { stages: 'off' }, expected: [] },
])('mirrored stages with $taste', ({ taste, expected }) => {
  const [, , turn, ...stages] = outline(shown(taste, ...mirrored));
  expect(stages).toEqual(expected);
  const own = { 0: 'abcde', 1: taste.names ? 'abde' : 'e' }[expected.length] ?? 'e';
  expect(turn).toBe(`1>2 Turn «${taste.names?.[0] === 'Fetching' ? 'e' : own}» running`);
});

test('a failure of a step nobody sees is a notice where it speaks', () => {
  const tree = shown({ stages: 'off' }, ...mirrored);
  expect(tree.notices).toMatchObject([{ step: 2, code: 'STEP_FAILED', message: '«Web Search» failed.' }]);
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
    opened(2, 1),
    opened(3, 1),
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
