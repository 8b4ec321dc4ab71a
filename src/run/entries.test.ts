import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEntries, everyKind } from '../../test/arbitraries.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import { Channel, Decision, Outcome, type Entry, type EventOf, type RunEvent } from './events.ts';
import { flatTree } from './flat-tree.ts';
import { fold, foldAll, decodeAll, encodeAll } from './entries.ts';
import {
  paceOf,
  workedBy,
  type Pace,
  isOpen,
  runStatus,
  textOf,
  undecidedApprovals,
  type RunTree,
  type Step,
} from './tree.ts';

const started: RunEvent = {
  type: 'run.started',
  tenant: 't',
  who: 'ada',
  app: 'app',
  conversation: 'c',
  input: { text: 'Why is the link down?' },
  flow: { name: 'coordinate', version: '1' },
  limits: {},
  labels: {},
};
const ended: RunEvent = {
  type: 'run.ended',
  outcome: 'completed',
  answer: 'Done.',
  usage: { input: 0, output: 0 },
};

function planned(step: number, parent = 0): RunEvent {
  return { type: 'step.planned', step, parent, key: `k${step}`, kind: 'step', title: `Step ${step}` };
}

function opened(step: number, parent = 0, more: Partial<EventOf<'step.opened'>> = {}): RunEvent {
  return { type: 'step.opened', step, parent, key: `k${step}`, kind: 'step', title: `Step ${step}`, ...more };
}

function closed(step: number, more: Partial<EventOf<'step.closed'>> = {}): RunEvent {
  return { type: 'step.closed', step, outcome: 'completed', ...more };
}

function said(step: number, text: string, more: Partial<EventOf<'text.appended'>> = {}): RunEvent {
  return { type: 'text.appended', step, channel: 'content', text, ...more };
}

function retried(step: number, attempt = 2): RunEvent {
  return { type: 'step.retried', step, attempt, reason: 'again' };
}

function asked(step: number, approval = 'a'): RunEvent {
  const question = { title: 'Shall I?', fingerprint: 'f', priority: 'medium' } as const;
  return { type: 'approval.requested', approval, step, ...question, allowed: ['approve', 'reject'] };
}

function decided(approval = 'a', decision: Decision = 'approve'): RunEvent {
  return { type: 'approval.decided', approval, decision, by: 'ada' };
}

/** Entries a second apart. */
function entriesOf(events: readonly RunEvent[]): Entry[] {
  return events.map((event, i) => ({ seq: i + 1, at: (i + 1) * 1_000, event }));
}

function treeOf(...events: RunEvent[]): RunTree {
  return foldAll(entriesOf(events));
}

function statuses(tree: RunTree): string[] {
  return [...tree.steps.values()].slice(1).map(({ id, status }) => `${id} ${status}`);
}

function codes(tree: RunTree): string[] {
  return tree.notices.map(({ code }) => code);
}

function many(paces: readonly Pace[], pace: Pace): number {
  return paces.filter((each) => each === pace).length;
}

/** A step and all above it. */
function pathTo(tree: RunTree, { id }: Step): number[] {
  const path: number[] = [];
  for (let at = tree.steps.get(id); at && at.id !== 0; at = tree.steps.get(at.parent)) path.push(at.id);
  return path;
}

/** What must hold of every tree, however it came about. */
function expectSound(tree: RunTree): void {
  const steps = [...tree.steps.values()];
  const open = steps.filter((step) => step.id !== 0 && isOpen(step));
  expect(new Set(open.map(({ id }) => id))).toEqual(tree.open);
  expect(steps.filter((step) => step.started && step.status === 'running').length).toBe(tree.working);
  expect(undecidedApprovals(tree).length).toBe(tree.undecided);
  expect(steps.filter((step) => paceOf(step) === 'waiting').length).toBe(tree.waiting);
  expect(open.filter(({ clock }) => clock).length).toBe(tree.timed);
  for (const { id, clock } of open) {
    const below = open.filter((step) => pathTo(tree, step).includes(id)).map(paceOf);
    if (clock)
      expect([clock.working, clock.waiting]).toEqual([many(below, 'working'), many(below, 'waiting')]);
    if (clock) expect(clock.worked).toBeLessThanOrEqual(tree.spent.milliseconds);
  }
  expect(steps.reduce((sum, step) => sum + (step.undecided?.size ?? 0), 0)).toBe(tree.undecided);
  expect(
    Math.min(tree.spent.turns, tree.spent.calls, tree.spent.tokens, tree.spent.milliseconds),
  ).toBeGreaterThan(-1);
  expect(Math.max(...tree.steps.keys())).toBe(tree.nextStep - 1);
  for (const step of steps.slice(1)) {
    const parent = tree.steps.get(step.parent);
    expect(
      [...(parent?.children ?? []), ...(parent?.superseded ?? [])].filter((id) => id === step.id),
    ).toHaveLength(1);
    expect(step.depth).toBe((parent?.depth ?? 0) + 1);
    if (isOpen(step)) expect(parent && isOpen(parent)).toBe(true);
    if (!isOpen(step) && step.status !== 'pending') expect(step.closedAt).toBeDefined();
  }
  if (!tree.ended) return;
  expect(steps.filter((step) => isOpen(step) || step.status === 'pending')).toEqual([]);
  expect({ working: tree.working, undecided: tree.undecided }).toEqual({ working: 0, undecided: 0 });
}

describe('laws', () => {
  test('[F1] folding any prefix and then the rest equals folding all', () => {
    fc.assert(
      fc.property(fc.oneof(anyEntries, plausibleRun), fc.nat(), (entries, cut) => {
        const at = entries.length === 0 ? 0 : cut % entries.length;
        expect(foldAll(entries.slice(at), foldAll(entries.slice(0, at)))).toEqual(foldAll(entries));
      }),
    );
  });

  test('[F1] [R53] a thousand runs told three times over give the same tree, byte for byte', () => {
    const told = (entries: readonly Entry[]): string => JSON.stringify(flatTree(foldAll(entries), 'run-1'));
    fc.assert(
      fc.property(plausibleRun, (entries) => {
        const first = told(entries);
        expect(told(structuredClone(entries))).toBe(first);
        expect(told(decodeAll(encodeAll(entries)))).toBe(first);
      }),
      { numRuns: 1_000 },
    );
  });

  test('[F2] folding an entry again changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(anyEntries, plausibleRun), fc.nat(), (entries, cut) => {
        const tree = foldAll(entries);
        const again = foldAll(entries);
        for (const entry of entries.slice(cut % (entries.length + 1))) fold(again, entry);
        for (const entry of entries) fold(again, { ...entry, event: ended });
        expect(again).toEqual(tree);
      }),
    );
  });

  test('[F3] [F4] any events in any order are folded, and nothing is open after the end', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const tree = foldAll(entries);
        expectSound(tree);
        fold(tree, { seq: tree.seq + 1, at: 1, event: ended });
        expectSound(tree);
      }),
      { numRuns: 1_000 },
    );
  });

  test('[F3] the generator reaches every kind, outcome, decision and channel, in and out of place', () => {
    const seen = new Set<string>();
    for (const entries of fc.sample(anyEntries, { numRuns: 500, seed: 7 })) {
      const tree = foldAll([]);
      for (const entry of entries) {
        fold(tree, entry);
        const { event } = entry;
        for (const step of tree.steps.values()) seen.add(`status ${step.status}`);
        seen.add(event.type);
        if ('outcome' in event) seen.add(event.outcome);
        if ('decision' in event) seen.add(event.decision);
        if ('channel' in event) seen.add(event.channel);
      }
      for (const { code, message } of tree.notices) seen.add(`${code} ${message.replace(/ .*/, '')}`);
    }
    const refused = everyKind.map((kind) => `OUT_OF_PLACE ${kind}`);
    for (const one of [
      ...everyKind,
      ...Outcome.options,
      ...Decision.options,
      ...Channel.options,
      ...refused,
    ]) {
      expect(seen).toContain(one);
    }
    for (const status of ['pending', 'running', 'waiting', ...Outcome.options]) {
      expect(seen).toContain(`status ${status}`);
    }
  });

  test('[F5] a journal as an engine writes it has nothing out of place', () => {
    fc.assert(
      fc.property(plausibleRun, (entries) => {
        for (const tree of [foldAll(entries), foldAll(entries.slice(0, entries.length / 2))]) {
          expect(codes(tree).filter((code) => code === 'OUT_OF_PLACE')).toEqual([]);
          expectSound(tree);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('[F5] plausible journals are nested, parallel, retried, gated, mirrored, stopped and taken over', () => {
    const seen = new Set<string>();
    for (const entries of fc.sample(plausibleRun, { numRuns: 300, seed: 7 })) {
      const tree = foldAll(entries);
      for (const { event } of entries) seen.add(event.type);
      for (const step of tree.steps.values()) {
        seen.add(`depth ${step.depth}`).add(step.status);
        if (step.superseded.length > 0) seen.add('superseded');
        if (step.origin) seen.add('mirrored');
      }
      for (const { decided: decision } of tree.approvals.values()) if (decision) seen.add(decision.decision);
      if (isInterleaved(entries)) seen.add('parallel');
      if (tree.takeovers > 0) seen.add('takeover');
    }
    const wanted = [
      'depth 4',
      'superseded',
      'mirrored',
      'parallel',
      'takeover',
      'approve',
      'reject',
      'edit',
      'expire',
    ];
    for (const one of [...everyKind, ...Outcome.options, ...wanted]) expect(seen).toContain(one);
  });
});

function isInterleaved(entries: readonly Entry[]): boolean {
  const steps = entries.flatMap(({ event }) => (event.type === 'text.appended' ? [event.step] : []));
  return steps.some((step, i) => steps[i + 1] !== step && steps.indexOf(step, i + 2) > 0);
}

describe('steps', () => {
  const cases: { name: string; events: RunEvent[]; expected: string[]; notices?: string[] }[] = [
    { name: '[F9] a planned step is pending', events: [planned(1)], expected: ['1 pending'] },
    {
      name: '[F9] a planned step opens in its place',
      events: [planned(1), opened(1)],
      expected: ['1 running'],
    },
    {
      name: '[F9] a planned step may be closed unopened',
      events: [planned(1), closed(1, { outcome: 'skipped' })],
      expected: ['1 skipped'],
    },
    {
      name: '[F9] a planned step stays where it was planned',
      events: [opened(1), planned(2), opened(2, 1)],
      expected: ['1 running', '2 running'],
      notices: ['OUT_OF_PLACE'],
    },
    {
      name: '[F8] closing a step closes what is below it',
      events: [opened(1), opened(2, 1), opened(3, 2), planned(4, 3), closed(1)],
      expected: ['1 completed', '2 abandoned', '3 abandoned', '4 skipped'],
    },
    {
      name: '[F8] a pending step below a pending one is closed too',
      events: [opened(1), planned(2, 1), planned(3, 2), closed(1)],
      expected: ['1 completed', '2 skipped', '3 skipped'],
    },
    {
      name: '[F8] stopping a step stops what is below it',
      events: [opened(1), opened(2, 1), closed(1, { outcome: 'stopped' })],
      expected: ['1 stopped', '2 stopped'],
    },
    {
      name: '[F4] the end of a run abandons what is open and skips what is pending',
      events: [opened(1), opened(2, 1), planned(3, 1), ended],
      expected: ['1 abandoned', '2 abandoned', '3 skipped'],
    },
    {
      name: '[F4] a stopped run stops what is open',
      events: [opened(1), opened(2, 1), { ...ended, outcome: 'stopped' }],
      expected: ['1 stopped', '2 stopped'],
    },
    {
      name: '[F4] after the end nothing opens',
      events: [ended, opened(1)],
      expected: [],
      notices: ['OUT_OF_PLACE'],
    },
    {
      name: '[F5] a step is opened once',
      events: [opened(1), opened(1), closed(1), opened(1)],
      expected: ['1 completed'],
      notices: ['OUT_OF_PLACE', 'OUT_OF_PLACE'],
    },
    {
      name: '[F5] a step is closed once',
      events: [opened(1), closed(1), closed(1, { outcome: 'failed' })],
      expected: ['1 completed'],
      notices: ['OUT_OF_PLACE'],
    },
    {
      name: '[F5] the run itself is not a step to close, start or try again',
      events: [closed(0), { type: 'step.started', step: 0 }, retried(0), opened(1)],
      expected: ['1 running'],
      notices: ['OUT_OF_PLACE', 'OUT_OF_PLACE', 'OUT_OF_PLACE'],
    },
    {
      name: '[F7] a step whose parent does not exist hangs on the run',
      events: [opened(1, 9), opened(2, 2)],
      expected: ['1 running', '2 running'],
      notices: ['OUT_OF_PLACE', 'OUT_OF_PLACE'],
    },
    {
      name: '[F10] a step opened in a closed one is abandoned at once',
      events: [opened(1), closed(1), opened(2, 1), planned(3, 1)],
      expected: ['1 completed', '2 abandoned', '3 skipped'],
      notices: ['OUT_OF_PLACE', 'OUT_OF_PLACE'],
    },
    {
      name: '[F6] an unknown event is shown',
      events: [{ type: 'unknown', kind: 'step.dreamt', original: null }],
      expected: [],
      notices: ['UNKNOWN_EVENT'],
    },
  ];
  test.for(cases)('$name', ({ events, expected, notices = [] }) => {
    const tree = treeOf(started, ...events);
    expect(statuses(tree)).toEqual(expected);
    expect(codes(tree)).toEqual(notices);
    expectSound(tree);
  });

  test('[F8] steps below are closed deepest first', () => {
    const tree = treeOf(opened(1), opened(2, 1), opened(3, 2));
    const order: number[] = [];
    for (const step of tree.steps.values()) {
      let { status } = step;
      Object.defineProperty(step, 'status', {
        get: () => status,
        set: (next: typeof status) => {
          status = next;
          order.push(step.id);
        },
      });
    }
    fold(tree, { seq: 4, at: 9_000, event: closed(1) });
    expect(order).toEqual([3, 2, 1]);
  });

  test('[F3] a tree deeper than the stack is closed', () => {
    const chain = Array.from({ length: 50_000 }, (_, i) => opened(i + 1, i));
    const tree = foldAll(entriesOf([started, ...chain, ended]));
    expect(tree.steps.get(50_000)?.status).toBe('abandoned');
  });

  test('[F3] a step with more children than a call takes arguments is tried again', () => {
    const children = Array.from({ length: 200_000 }, (_, i) => opened(i + 2, 1));
    const tree = foldAll(entriesOf([started, opened(1), ...children, retried(1)]));
    expect(tree.steps.get(1)).toMatchObject({ children: [], attempt: 2 });
    expect(tree.steps.get(1)?.superseded).toHaveLength(200_000);
  });

  test('[F11] a step tried again begins empty, and what the earlier attempt opened is superseded', () => {
    const item = { kind: 'citation', title: 'A page' } as const;
    const tree = treeOf(
      opened(1, 0, { kind: 'turn', started: true }),
      said(1, 'Half an ans'),
      said(1, '{"a', { channel: 'arguments', call: 'c1', tool: 'search' }),
      { type: 'item.attached', step: 1, item },
      opened(2, 1),
      closed(2),
      opened(3, 1),
      asked(1),
      { ...retried(1), model: 'another' } as RunEvent,
      opened(4, 1),
    );
    expect(tree.steps.get(1)).toMatchObject({
      attempt: 2,
      text: {},
      items: [],
      children: [4],
      superseded: [2, 3],
    });
    expect(tree.steps.get(1)).toMatchObject({ status: 'running', model: 'another' });
    expect(tree.steps.get(1)?.requests).toBeUndefined();
    expect(statuses(tree)).toEqual(['1 running', '2 completed', '3 abandoned', '4 running']);
    expect(tree).toMatchObject({ undecided: 0, working: 1 });
    expectSound(tree);
  });

  test('[F18] text is kept by channel and by requested call, in order', () => {
    const events = [
      said(1, 'a'),
      said(1, 'r', { channel: 'reasoning' }),
      said(1, '', { channel: 'arguments', call: 'c1', tool: 'search' }),
      said(1, '{"q"', { channel: 'arguments', call: 'c1' }),
      said(1, '{}', { channel: 'arguments', call: 'c2', tool: 'read' }),
      said(1, ':1}', { channel: 'arguments', call: 'c1' }),
      said(1, 'b'),
      said(1, 'plain', { channel: 'arguments' }),
    ];
    for (const end of [[], [closed(1)]]) {
      const step = treeOf(opened(1), ...events, ...end).steps.get(1);
      const requests = [...(step?.requests?.values() ?? [])].map(({ tool, pieces }) => [
        tool,
        pieces.join(''),
      ]);
      expect(step && Channel.options.map((channel) => textOf(step, channel))).toEqual([
        'ab',
        'r',
        'plain',
        '',
      ]);
      expect(requests).toEqual([
        ['search', '{"q":1}'],
        ['read', '{}'],
      ]);
    }
  });

  test('[F17] a step that has closed keeps one string for each text', () => {
    const events = ['a', 'b'].flatMap((text) => [
      said(1, text),
      said(1, text, { channel: 'arguments', call: 'c', tool: 'search' }),
    ]);
    const step = treeOf(opened(1), ...events, closed(1)).steps.get(1);
    expect(step?.text.content).toEqual(['ab']);
    expect(step?.requests?.get('c')?.pieces).toEqual(['ab']);
  });

  const late: RunEvent[] = [
    said(1, 'x'),
    { type: 'title.appended', step: 1, text: 'x' },
    { type: 'item.attached', step: 1, item: { kind: 'citation', title: 'x' } },
    { type: 'phase.entered', step: 1, phase: 'complete', batch: 1, cycle: 1 },
    { type: 'step.started', step: 1 },
    retried(1),
    asked(1),
  ];
  test.for(late)(
    '[F5] $type after the step has closed, or without a step, is a notice and nothing else',
    (event) => {
      const before = treeOf(started, opened(1), closed(1)).steps.get(1);
      const tree = treeOf(started, opened(1), closed(1), event);
      const { notices: _, version: __, ...after } = tree.steps.get(1) ?? {};
      expect(before).toMatchObject(after);
      expect(codes(tree)).toEqual(['OUT_OF_PLACE']);
      expect(codes(treeOf(started, event))).toEqual(['OUT_OF_PLACE']);
      expectSound(tree);
    },
  );

  test('[F16] whatever changes a step moves its version', () => {
    fc.assert(
      fc.property(fc.oneof(anyEntries, plausibleRun), (entries) => {
        const tree = foldAll([]);
        for (const entry of entries) {
          const before = structuredClone(tree.steps);
          fold(tree, entry);
          for (const [id, step] of before) {
            if (tree.steps.get(id)?.version === step.version) expect(tree.steps.get(id)).toEqual(step);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('people', () => {
  const call = (more: Partial<EventOf<'step.opened'>> = {}) => opened(1, 0, { kind: 'call', ...more });
  const cases: { name: string; events: RunEvent[]; step: string; run: string; undecided: number }[] = [
    {
      name: 'an approval makes its step wait',
      events: [call(), asked(1)],
      step: 'waiting',
      run: 'waiting',
      undecided: 1,
    },
    {
      name: 'a decision lets it go on',
      events: [call(), asked(1), decided()],
      step: 'running',
      run: 'running',
      undecided: 0,
    },
    {
      name: 'to defer is not to decide',
      events: [call(), asked(1), decided('a', 'defer')],
      step: 'waiting',
      run: 'waiting',
      undecided: 1,
    },
    {
      name: 'a step waits for all of its approvals',
      events: [call(), asked(1), asked(1, 'b'), decided()],
      step: 'waiting',
      run: 'waiting',
      undecided: 1,
    },
    {
      name: 'the run goes on while another step works',
      events: [call(), asked(1), opened(2, 0, { started: true })],
      step: 'waiting',
      run: 'running',
      undecided: 1,
    },
    {
      name: 'a begun step that waits for a person, in doubt, makes the run wait',
      events: [call({ started: true }), asked(1)],
      step: 'waiting',
      run: 'waiting',
      undecided: 1,
    },
    {
      name: 'a begun step that was decided works again',
      events: [call({ started: true }), asked(1), decided()],
      step: 'running',
      run: 'running',
      undecided: 0,
    },
    {
      name: 'a question about the run itself makes it wait, whatever was under way',
      events: [call({ started: true }), asked(0, 'b')],
      step: 'running',
      run: 'waiting',
      undecided: 1,
    },
    {
      name: 'a question about the run itself makes it wait',
      events: [call(), asked(0)],
      step: 'running',
      run: 'waiting',
      undecided: 1,
    },
    {
      name: 'a paused run is paused',
      events: [call(), pause()],
      step: 'running',
      run: 'paused',
      undecided: 0,
    },
    {
      name: 'a resumed run goes on',
      events: [call(), pause(), { type: 'run.resumed', by: 'ada' }],
      step: 'running',
      run: 'running',
      undecided: 0,
    },
    {
      name: 'a run ends as it ends, paused or not',
      events: [call(), asked(1), pause(), ended],
      step: 'abandoned',
      run: 'completed',
      undecided: 0,
    },
  ];
  test.for(cases)('[F12] [F13] $name', ({ events, step, run, undecided }) => {
    const tree = treeOf(started, ...events);
    expect({ step: tree.steps.get(1)?.status, run: runStatus(tree), undecided: tree.undecided }).toEqual({
      step,
      run,
      undecided,
    });
    expect(codes(tree)).toEqual([]);
    expectSound(tree);
  });

  test('[F12] an approval is decided once, and one whose step has ended cannot be decided', () => {
    const tree = treeOf(
      call(),
      asked(1),
      decided('a', 'reject'),
      decided(),
      asked(1, 'b'),
      closed(1),
      decided('b'),
    );
    expect(tree.approvals.get('a')?.decided).toMatchObject({ decision: 'reject', seq: 3, at: 3_000 });
    expect(tree.approvals.get('b')).toMatchObject({ lapsedAt: 6_000 });
    expect(tree.approvals.get('b')?.decided).toBeUndefined();
    expect(undecidedApprovals(tree)).toEqual([]);
    expect(codes(tree)).toEqual(['OUT_OF_PLACE', 'OUT_OF_PLACE']);
  });

  test('[F5] putting off an approval of a step that never was does not throw', () => {
    expect(codes(treeOf(asked(7), decided('a', 'defer')))).toEqual(['OUT_OF_PLACE', 'OUT_OF_PLACE']);
  });

  test('[F5] a message is queued once and taken once', () => {
    const queued: RunEvent = { type: 'message.queued', message: 'm', text: 'And?', by: 'ada' };
    const taken: RunEvent = { type: 'message.taken', message: 'm', step: 1 };
    const tree = treeOf(taken, queued, queued, taken, taken);
    expect([...tree.messages.values()]).toEqual([
      { id: 'm', text: 'And?', attachments: [], by: 'ada', takenBy: 1, takenSeq: 4 },
    ]);
    expect(codes(tree)).toEqual(['OUT_OF_PLACE', 'OUT_OF_PLACE', 'OUT_OF_PLACE']);
  });
});

function pause(): RunEvent {
  return { type: 'run.paused', by: 'ada' };
}

describe('budget', () => {
  const turn = (step: number, begun = true) =>
    opened(step, 0, { kind: 'turn', ...(begun ? { started: true } : {}) });

  test('[F14] a unit is taken when a step opens, and given back if it closes without having begun', () => {
    expect(treeOf(turn(1, false)).spent.turns).toBe(1);
    expect(treeOf(turn(1, false), closed(1, { outcome: 'skipped' })).spent.turns).toBe(0);
    expect(treeOf(turn(1), closed(1, { outcome: 'failed' })).spent.turns).toBe(1);
    expect(treeOf(opened(1, 0, { kind: 'call', started: true }), opened(2)).spent).toMatchObject({
      turns: 0,
      calls: 1,
    });
  });

  test('[F14] every attempt is paid for, and what an abandoned one wrote is estimated', () => {
    const written = [said(1, 'x'.repeat(30)), said(1, 'y'.repeat(10), { channel: 'arguments', call: 'c' })];
    const usage = { input: 7, output: 5, cached: 2 };
    const tree = treeOf(turn(1), ...written, retried(1), closed(1, { usage }));
    expect(tree.spent).toMatchObject({ turns: 2, tokens: 10 + 12 });
    expect(tree.usage).toMatchObject({ input: 7, output: 5 });
    expect(
      treeOf(opened(1, 0, { kind: 'call', started: true }), said(1, 'log'), retried(1)).spent.tokens,
    ).toBe(0);
  });

  test('[F15] time counts while somebody works', () => {
    const took: RunEvent = { type: 'worker.took', worker: 'w', epoch: 2, reason: 'recovered' };
    const at = (times: number[], events: RunEvent[]) =>
      foldAll(events.map((event, i) => ({ seq: i + 1, at: times[i] ?? 0, event }))).spent.milliseconds;
    expect(at([100, 150, 175], [started, opened(1), closed(1)])).toBe(75);
    expect(at([100, 150, 9_000, 9_010], [started, opened(1), took, closed(1)])).toBe(60);
    expect(
      at([100, 110, 5_000, 5_001], [started, pause(), { type: 'run.resumed', by: 'a' }, opened(1)]),
    ).toBe(11);
    expect(at([100, 50, 120], [started, opened(1), closed(1)])).toBe(20);
    expect(at([100, 110, 500], [started, ended, opened(1)])).toBe(10);
    expect(at([100, 110, 9_000], [started, opened(1, 0, { until: 9_000 }), closed(1)])).toBe(10);
    expect(
      at(
        [100, 110, 120, 150],
        [started, opened(1, 0, { until: 140 }), opened(2, 0, { started: true }), closed(2)],
      ),
      'something else works meanwhile',
    ).toBe(40);
  });

  test('[E310] a step whose time is bounded works while something below it does, or nothing below it waits', () => {
    const times = [0, 100, 150, 300, 700, 1_700, 1_720, 1_725];
    const tree = foldAll(
      [
        started,
        opened(1, 0, { within: 500 }),
        // Another branch works all the while.
        opened(2, 0, { started: true }),
        opened(3, 1),
        asked(3),
        decided(),
        closed(3),
        said(2, 'x'),
      ].map((event, i) => ({ seq: i + 1, at: 1_000 + (times[i] ?? 0), event })),
    );
    const { clock } = tree.steps.get(1) ?? {};
    expect(clock && workedBy(tree, clock)).toBe(600 + 25);
    expect(tree.spent.milliseconds).toBe(1_725);
  });
});
