import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { RunEvent } from '../../run/events.ts';
import { foldAll } from '../../run/entries.ts';
import type { RunTree } from '../../run/tree.ts';
import { drawTree } from './draw.ts';
import { unpainted } from '../terminal/line.ts';
import { widthOf } from '../terminal/width.ts';

const started: RunEvent = {
  type: 'run.started',
  tenant: 'local',
  who: 'ann',
  app: 'demo',
  conversation: 'c',
  input: { text: 'Move the database' },
  flow: { name: 'demo', version: '1' },
  limits: {},
  labels: {},
};

/** One event every 100 milliseconds. */
function treeOf(...events: RunEvent[]): RunTree {
  return foldAll([started, ...events].map((event, i) => ({ seq: i + 1, at: 100 * (i + 1), event })));
}

function opened(
  step: number,
  parent: number,
  more: Partial<Extract<RunEvent, { type: 'step.opened' }>> = {},
): RunEvent {
  return { type: 'step.opened', step, parent, key: `k${step}`, kind: 'step', title: `Step ${step}`, ...more };
}

function closed(step: number, more: Partial<Extract<RunEvent, { type: 'step.closed' }>> = {}): RunEvent {
  return { type: 'step.closed', step, outcome: 'completed', ...more };
}

function said(step: number, text: string, channel: 'content' | 'reasoning' = 'content'): RunEvent {
  return { type: 'text.appended', step, channel, text };
}

const call = (tool: string, input: Record<string, string>) =>
  ({ id: 'c', tool, arguments: input, signature: 's', effect: 'once' }) as const;

function draw(tree: RunTree, more: { width?: number; height?: number; frame?: number } = {}): string[] {
  return drawTree(tree, { width: 60, now: tree.at, paint: unpainted, ...more });
}

describe('a tree', () => {
  test.for<[name: string, tree: RunTree, lines: string[]]>([
    ['of a run that has just begun', treeOf(), ['● Move the database 0.0s']],
    [
      'has guides from every step to those below it',
      treeOf(opened(1, 0), opened(2, 1), closed(2), opened(3, 1), opened(4, 0)),
      [
        '● Move the database 0.5s',
        '├─ ● Step 1 0.4s',
        '│  ├─ ✓ Step 2 0.1s',
        '│  └─ ● Step 3 0.1s',
        '└─ ● Step 4 0.0s',
      ],
    ],
    [
      'shows what is still to come',
      treeOf({ type: 'step.planned', step: 1, parent: 0, key: 'a', kind: 'step', title: 'Answer' }),
      ['● Move the database 0.1s', '└─ ○ Answer'],
    ],
    [
      'shows the end of what is being said',
      treeOf(
        opened(1, 0, { kind: 'turn', model: 'm-1' }),
        said(1, 'one two three four five six seven '),
        said(1, 'eight'),
      ),
      ['● Move the database 0.3s', '└─ ● Step 1 · m-1 0.2s', '     one two three four five six seven eight'],
    ],
    [
      'shows thoughts until there are words',
      treeOf(opened(1, 0, { kind: 'turn' }), said(1, 'hm', 'reasoning')),
      ['● Move the database 0.2s', '└─ ● Step 1 0.1s', '     hm'],
    ],
    [
      'shows a call with its arguments and its result',
      treeOf(
        opened(1, 0, { kind: 'call', title: 'pay', call: call('pay', { to: 'bo' }), started: true }),
        closed(1, { result: { ok: true } }),
      ),
      ['● Move the database 0.2s', '└─ ✓ pay {"to":"bo"} 0.1s', '     → {"ok":true}'],
    ],
    [
      'says why something failed, and how often it was tried',
      treeOf(
        opened(1, 0),
        { type: 'step.retried', step: 1, attempt: 2, reason: 'busy' },
        closed(1, { outcome: 'failed', failure: { code: 'unavailable', message: 'The host is away.' } }),
      ),
      ['● Move the database 0.3s', '└─ ✗ Step 1 attempt 2 failed 0.1s', '     The host is away.'],
    ],
    [
      'marks what was reused, skipped, stopped and abandoned',
      treeOf(
        opened(1, 0),
        closed(1, { outcome: 'reused' }),
        opened(2, 0),
        closed(2, { outcome: 'skipped' }),
        opened(3, 0),
        closed(3, { outcome: 'stopped' }),
        opened(4, 0),
        closed(4, { outcome: 'abandoned' }),
      ),
      [
        '● Move the database 0.8s',
        '├─ ↺ Step 1 reused 0.1s',
        '├─ ⊘ Step 2 skipped 0.1s',
        '├─ ■ Step 3 stopped 0.1s',
        '└─ ◌ Step 4 abandoned 0.1s',
      ],
    ],
    [
      'shows notices where they belong',
      treeOf(opened(1, 0), {
        type: 'notice.posted',
        step: 1,
        code: 'DUPLICATE_BLOCKED',
        message: 'Used before.',
      }),
      ['● Move the database 0.2s', '└─ ● Step 1 0.1s', '     ! Used before.'],
    ],
    [
      'names a phase at the first step of it',
      treeOf(
        opened(1, 0),
        { type: 'phase.entered', step: 1, phase: 'tool_phase', batch: 1, cycle: 2 },
        opened(2, 1),
        opened(3, 2),
        opened(4, 1),
        { type: 'phase.entered', step: 1, phase: 'action_phase', batch: 1, cycle: 2 },
        opened(5, 1),
      ),
      [
        '● Move the database 0.7s',
        '└─ ● Step 1 action phase 2 0.6s',
        '   ├─ ● Step 2 tool phase 2 0.4s',
        '   │  └─ ● Step 3 0.3s',
        '   ├─ ● Step 4 0.2s',
        '   └─ ● Step 5 action phase 2 0.0s',
      ],
    ],
    [
      'shows a pause, a stop and a recovery',
      treeOf(
        { type: 'run.paused', by: 'ann' },
        { type: 'stop.requested', by: 'ann' },
        { type: 'worker.took', worker: 'w', epoch: 2, reason: 'recovered' },
      ),
      ['‖ Move the database stopping paused recovered once 0.3s'],
    ],
  ])('%s', ([, tree, lines]) => {
    expect(draw(tree)).toEqual(lines);
  });

  test('shows that it waits, and what was decided by whom', () => {
    const asked: RunEvent = {
      type: 'approval.requested',
      approval: 'r.a1',
      step: 1,
      title: 'pay',
      fingerprint: 'f',
      priority: 'medium',
      allowed: ['approve'],
    };
    const pay = opened(1, 0, { kind: 'call', title: 'pay' });
    expect(draw(treeOf(pay, asked))).toEqual([
      '◆ Move the database waits for you 0.2s',
      '└─ ◆ pay waits for you 0.1s',
    ]);
    const decided: RunEvent = {
      type: 'approval.decided',
      approval: 'r.a1',
      decision: 'reject',
      by: 'bo',
      rationale: 'too much',
    };
    expect(draw(treeOf(pay, asked, decided, closed(1, { outcome: 'skipped' })))).toEqual([
      '● Move the database 0.4s',
      '└─ ⊘ pay skipped 0.3s',
      '     rejected by bo: too much',
    ]);
  });

  test('of an answer in sections only the analysis is shown while it comes', () => {
    const asking = treeOf(
      opened(1, 0),
      said(1, '---QUERY---\nSELECT 1\n'),
      said(1, '---RESULTS---\n{"rows":[{"a":1'),
    );
    expect(draw(asking)).toHaveLength(2);
    const analysing = treeOf(opened(1, 0), said(1, '---RESULTS---\n{"rows":[]}\n---ANALYSIS---\nOne li'));
    expect(draw(analysing)).toEqual(['● Move the database 0.2s', '└─ ● Step 1 0.1s', '     One li']);
  });

  test('a step that only holds one of the same name is shown once, with what either was told', () => {
    const agent = opened(1, 0, { title: 'Telemetry', query: 'Only of Perth.' });
    const turn = opened(2, 1, { title: 'Telemetry', kind: 'turn', query: 'Move the database' });
    expect(draw(treeOf(agent, turn, opened(3, 2)))).toEqual([
      '● Move the database 0.3s',
      '└─ ● Telemetry · Only of Perth. 0.1s',
      '   └─ ● Step 3 0.0s',
    ]);
    const failed: RunEvent = { type: 'notice.posted', step: 1, code: 'AGENT_FAILED', message: 'It failed.' };
    expect(draw(treeOf(agent, turn, failed))).toHaveLength(4);
  });

  test('what was asked stands above the tree, and not again on its steps', () => {
    expect(draw(treeOf(opened(1, 0, { query: 'Move the database' })))[1]).toBe('└─ ● Step 1 0.0s');
  });

  test('the answer is not shown twice', () => {
    const tree = treeOf(opened(1, 0, { kind: 'turn' }), said(1, 'Done.'), closed(1), {
      type: 'run.ended',
      outcome: 'completed',
      answer: 'Done.',
      usage: { input: 1, output: 1 },
    });
    expect(draw(tree)).toEqual(['✓ Move the database 0.4s', '└─ ✓ Step 1 0.2s']);
  });

  test('what runs turns with every frame', () => {
    const marks = [0, 1, 2].map((frame) => draw(treeOf(), { frame })[0]?.[0]);
    expect(new Set(marks).size).toBe(3);
  });

  test('[S52] text from outside cannot act on the terminal', () => {
    const evil = '\u001b[2J\u001b]0;x\u0007\u202e';
    const tree = treeOf(
      opened(1, 0, { title: evil, model: evil, kind: 'turn' }),
      said(1, evil),
      { type: 'notice.posted', step: 1, code: evil, message: evil },
      opened(2, 0, { title: evil, call: call(evil, { x: evil }), kind: 'call' }),
      closed(2, { result: evil, failure: { code: 'refused', message: evil } }),
    );
    const shown = draw(tree, { width: 200 }).join('\n');
    expect(shown).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
    expect(shown).toContain('\\x1b[2J');
  });
});

describe('a narrow terminal', () => {
  const wide = treeOf(
    opened(1, 0, {
      title: '第一個第一個第一個第一個',
      kind: 'call',
      call: call('t', { text: '長い引数長い引数' }),
    }),
    opened(2, 1, { title: 'A title that is much too long for this' }),
    said(2, '文字文字文字文字文字文字 and words'),
  );

  test.for([20, 24, 31, 40, 80])('of %i columns is never overrun', (width) => {
    for (const line of draw(wide, { width })) expect(widthOf(line)).toBeLessThanOrEqual(width);
  });

  test('still shows how long something takes', () => {
    expect(draw(wide, { width: 30 })[1]).toBe('└─ ● 第一個第一個第一個… 0.2s');
  });

  test('leaves room for a step however deep it lies', () => {
    const deep = treeOf(...Array.from({ length: 30 }, (_, i) => opened(i + 1, i)));
    const lines = draw(deep, { width: 40 });
    expect(lines.at(-1)).toMatch(/^….*└─ ● Step 30 0\.0s$/);
  });
});

describe('a tree taller than the screen', () => {
  const tall = treeOf(
    opened(1, 0),
    ...Array.from({ length: 40 }, (_, i) => [opened(i + 10, 1), closed(i + 10)]).flat(),
    closed(1),
    opened(2, 0),
    ...Array.from({ length: 40 }, (_, i) => [opened(i + 100, 2), closed(i + 100)]).flat(),
    opened(3, 2, { title: 'The one that runs' }),
    said(3, 'now'),
    { type: 'step.planned', step: 4, parent: 0, key: 'z', kind: 'step', title: 'Later' },
  );

  test('is cut, and what runs stays', () => {
    expect(draw(tall, { height: 8 })).toEqual([
      '● Move the database 17s',
      '├─ ✓ Step 1 8.1s',
      '├─ ● Step 2 8.3s',
      '│  ├─ ✓ 40 completed',
      '│  └─ ● The one that runs 0.2s',
      '│       now',
      '└─ ○ Later',
    ]);
  });

  test.for([4, 5, 6, 10, 20, 50, 100])('never takes more than %i lines', (height) => {
    const lines = draw(tall, { height });
    expect(lines.length).toBeLessThanOrEqual(height);
    expect(lines.join('\n')).toContain('The one that runs');
  });

  test('says how much is not shown when even what runs is too much', () => {
    const many = treeOf(...Array.from({ length: 30 }, (_, i) => opened(i + 1, 0)));
    expect(draw(many, { height: 4 })).toEqual([
      '● Move the database 3.0s',
      '├─ ● Step 1 2.9s',
      '├─ ● Step 2 2.8s',
      '⋯ 28 more steps',
    ]);
  });

  test('a hundred thousand nested steps can be drawn', () => {
    const deep = treeOf(...Array.from({ length: 100_000 }, (_, i) => opened(i + 1, i)));
    expect(draw(deep, { height: 20 }).length).toBe(20);
  });
});

test('whatever a run does, every line fits', () => {
  fc.assert(
    fc.property(
      plausibleRun,
      fc.integer({ min: 20, max: 90 }),
      fc.integer({ min: 4, max: 30 }),
      (entries, width, height) => {
        const tree = foldAll(entries);
        for (const line of draw(tree, { width, height })) expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(draw(tree, { width, height }).length).toBeLessThanOrEqual(height);
      },
    ),
    { numRuns: 60 },
  );
});

describe('what a person said no to', () => {
  const failure = { code: 'refused', message: 'local rejected «users».' } as const;
  const no: RunEvent[] = [
    opened(1, 0, { kind: 'agent', title: 'Users', agent: 'users' }),
    opened(2, 1, { kind: 'turn', title: 'users', agent: 'users' }),
    closed(2, { outcome: 'skipped', failure }),
    {
      type: 'notice.posted',
      step: 1,
      code: 'AGENT_FAILED',
      message: `Users was refused: ${failure.message}`,
    },
    closed(1, { outcome: 'failed', failure }),
  ];
  const drawn = (...events: RunEvent[]): string => draw(treeOf(...events)).join('\n');

  test('[V261] was skipped, and so was what it was for; why is said once', () => {
    const text = drawn(...no);
    expect(text).not.toContain('✗');
    expect(text.match(/⊘/g)).toHaveLength(2);
    expect(text.match(/local rejected/g)).toHaveLength(1);
  });

  test('[V261] is told by who decided, and not once more as a failure', () => {
    const question = { title: 'users', fingerprint: 'f', priority: 'high' as const };
    const text = drawn(
      opened(1, 0, { kind: 'turn', title: 'users', agent: 'users' }),
      { type: 'approval.requested', approval: 'a', step: 1, ...question, allowed: ['approve', 'reject'] },
      { type: 'approval.decided', approval: 'a', decision: 'reject', by: 'local', shown: 'f' },
      closed(1, { outcome: 'skipped', failure }),
    );
    expect(text).toContain('⊘ users');
    expect(text).toContain('rejected by local');
    expect(text).not.toContain(failure.message);
  });

  test('[V261] in a question of its own was skipped, too', () => {
    const question = { title: 'Go on with Users?', fingerprint: 'f', priority: 'high' as const };
    const text = drawn(
      opened(1, 0, { kind: 'agent', title: 'Users', agent: 'users' }),
      opened(2, 1, { kind: 'ask', title: 'Go on with Users?' }),
      { type: 'approval.requested', approval: 'a', step: 2, ...question, allowed: ['approve', 'reject'] },
      {
        type: 'approval.decided',
        approval: 'a',
        decision: 'reject',
        by: 'local',
        shown: 'f',
        rationale: 'later',
      },
      closed(2),
      closed(1, { outcome: 'failed', failure }),
    );
    expect(text).toContain('⊘ Users');
    expect(text).not.toContain('✗');
    expect(text).toContain('rejected by local: later');
    expect(text).not.toContain(failure.message);
  });

  test('[V261] is not what somebody else refused', () => {
    const text = drawn(
      opened(1, 0, { kind: 'agent', title: 'Users' }),
      closed(1, { outcome: 'failed', failure }),
    );
    expect(text).toContain('✗');
    expect(text).toContain('local rejected');
  });

  test('[V262] what was sent in its place is shown below the decision', () => {
    const question = { title: 'users', fingerprint: 'f', priority: 'high' as const };
    const text = drawn(
      opened(1, 0, { kind: 'turn', title: 'users', agent: 'users' }),
      {
        type: 'approval.requested',
        approval: 'a',
        step: 1,
        ...question,
        allowed: ['edit'],
        arguments: 'all',
      },
      {
        type: 'approval.decided',
        approval: 'a',
        decision: 'edit',
        by: 'local',
        arguments: 'delete Ann',
        shown: 'f',
      },
      closed(1),
    );
    expect(text).toContain('edited by local');
    expect(text).toContain('→ delete Ann');
  });
});
