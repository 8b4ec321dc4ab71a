import { describe, expect, test } from 'vitest';
import type { Call, Entry, EventOf, RunEvent } from '../run/events.ts';
import type { Failure } from '../run/failure.ts';
import { foldAll } from '../run/entries.ts';
import type { RunTree } from '../run/tree.ts';
import type { Effect } from '../run/values.ts';
import { duplicate } from './standard.ts';
import type { Intent } from './policy.ts';

const unavailable: Failure = { code: 'unavailable', message: 'It was down.' };
const effects: Readonly<Record<string, Effect>> = { list: 'pure', write: 'idempotent', charge: 'once' };

function callOf(signature: string): Call {
  const tool = signature.split(' ')[0] ?? '';
  return { id: 'c1', tool, arguments: {}, signature, effect: effects[tool] ?? 'pure' };
}

/** One thing that happened: «charge a» alone means opened, run and completed. */
type Happening =
  | string
  | readonly [signature: string, how: 'open' | 'gated' | 'skipped' | 'reused' | Failure];

function treeOf(happenings: readonly Happening[]): RunTree {
  const events = happenings.flatMap((happening, i): RunEvent[] => {
    const step = i + 1;
    const [signature, how] = typeof happening === 'string' ? [happening, 'completed' as const] : happening;
    const isBegun = how === 'open' || how === 'completed' || typeof how === 'object';
    const opening = { ...opened(step, signature), started: isBegun };
    if (how === 'open' || how === 'gated') return [opening];
    if (typeof how === 'object')
      return [opening, { type: 'step.closed', step, outcome: 'failed', failure: how }];
    const from = how === 'reused' ? { reusedFrom: 1 } : {};
    return [opening, { type: 'step.closed', step, outcome: how, result: step, ...from }];
  });
  return foldAll(events.map((event, i): Entry => ({ seq: i + 1, at: 1_000, event })));
}

function judge(tree: RunTree, signature: string, more: Partial<Intent> = {}) {
  const intent: Intent = { kind: 'call', parent: 0, call: callOf(signature), requested: true, ...more };
  return duplicate({ tree, now: 1_000 }, intent);
}

const timedOut: Failure = { code: 'timed-out', message: 'Too slow.' };
const broken: Failure = { code: 'internal', message: 'It broke.' };

describe('a call', () => {
  test.for<{ name: string; past: Happening[]; asks: string; verdict: unknown; more?: Partial<Intent> }>([
    { name: '[C30] is allowed the first time', past: [], asks: 'charge a', verdict: { verdict: 'allow' } },
    {
      name: '[C30] that differs is another call',
      past: ['charge a'],
      asks: 'charge b',
      verdict: { verdict: 'allow' },
    },
    {
      name: '[C30] that was done is answered with its first outcome',
      past: ['charge a', 'list', 'charge b'],
      asks: 'charge a',
      verdict: { verdict: 'reuse', step: 1, code: 'DUPLICATE_BLOCKED' },
    },
    {
      name: '[C30] that is under way is answered with what comes of it',
      past: ['list', ['charge a', 'open']],
      asks: 'charge a',
      verdict: { verdict: 'reuse', step: 2 },
    },
    {
      name: '[C30] that waits for a person is not opened a second time',
      past: [['charge a', 'gated']],
      asks: 'charge a',
      verdict: { verdict: 'reuse', step: 1 },
    },
    {
      name: '[C31] that reads is answered with what was read last',
      past: ['write a', 'list', 'list x'],
      asks: 'list',
      verdict: { verdict: 'reuse', step: 2 },
    },
    {
      name: '[C31] that reads is run again after something was written',
      past: ['list', 'write a'],
      asks: 'list',
      verdict: { verdict: 'allow' },
    },
    {
      name: '[C31] that reads is run again after something failed to be written',
      past: ['list', ['charge a', unavailable]],
      asks: 'list',
      verdict: { verdict: 'allow' },
    },
    {
      name: '[C31] that reads is run again while something is being written',
      past: ['list', ['write a', 'open']],
      asks: 'list',
      verdict: { verdict: 'allow' },
    },
    {
      name: '[C31] that reads keeps its outcome when a writing call did not begin',
      past: ['list', ['write a', 'gated'], ['charge a', 'skipped']],
      asks: 'list',
      verdict: { verdict: 'reuse', step: 1 },
    },
    {
      name: '[C31] that reads keeps its outcome when a duplicate was not written again',
      past: ['write a', 'list', ['write a', 'reused']],
      asks: 'list',
      verdict: { verdict: 'reuse', step: 2 },
    },
    {
      name: '[C31] that writes is a duplicate also after something else was written',
      past: ['write a', 'write b'],
      asks: 'write a',
      verdict: { verdict: 'reuse', step: 1 },
    },
    {
      name: '[C32] that failed is tried once more',
      past: [['charge a', unavailable]],
      asks: 'charge a',
      verdict: { verdict: 'allow' },
    },
    {
      name: '[C32] that failed twice is not tried a third time',
      past: [
        ['charge a', unavailable],
        ['charge a', unavailable],
      ],
      asks: 'charge a',
      verdict: { verdict: 'reuse', step: 2 },
    },
    {
      name: '[C32] that failed and then was done is answered with what was done',
      past: [['charge a', unavailable], 'charge a'],
      asks: 'charge a',
      verdict: { verdict: 'reuse', step: 2 },
    },
    {
      name: '[C32] that failed twice to read is tried again after something was written',
      past: [['list', unavailable], ['list', unavailable], 'write a'],
      asks: 'list',
      verdict: { verdict: 'allow' },
    },
    {
      name: '[C33] of which nobody knows whether it happened, since it ran out of time, is not tried again',
      past: [['charge a', timedOut]],
      asks: 'charge a',
      verdict: { verdict: 'reuse', step: 1 },
    },
    {
      name: '[C33] of which nobody knows whether it happened, since it broke, is not tried again',
      past: [['charge a', broken]],
      asks: 'charge a',
      verdict: { verdict: 'reuse', step: 1 },
    },
    {
      name: '[C33] that may be repeated is tried again when it ran out of time',
      past: [['write a', timedOut]],
      asks: 'write a',
      verdict: { verdict: 'allow' },
    },
    {
      name: '[C34] that was skipped has no outcome',
      past: [['charge a', 'skipped']],
      asks: 'charge a',
      verdict: { verdict: 'allow' },
    },
    {
      name: '[C35] that is repeatable is no duplicate',
      past: ['list', 'list', 'list', 'list', 'list'],
      asks: 'list',
      verdict: { verdict: 'allow' },
      more: { repeatable: true },
    },
    {
      name: '[C36] two duplicates leave the tools',
      past: ['list', ['list', 'reused'], ['list', 'reused']],
      asks: 'charge a',
      verdict: { verdict: 'allow' },
    },
    {
      name: '[C36] after three duplicates the tools are taken away',
      past: ['list', ['list', 'reused'], ['list', 'reused'], ['list', 'reused']],
      asks: 'charge a',
      verdict: { verdict: 'refuse', code: 'TOOLS_DISABLED' },
    },
    {
      name: '[C36] repeatable tools are taken away with the others',
      past: ['list', ['list', 'reused'], ['list', 'reused'], ['list', 'reused']],
      asks: 'list y',
      verdict: { verdict: 'refuse', code: 'TOOLS_DISABLED' },
      more: { repeatable: true },
    },
    {
      name: '[C36] the calls of a flow itself are not taken away',
      past: ['list', ['list', 'reused'], ['list', 'reused'], ['list', 'reused']],
      asks: 'charge a',
      verdict: { verdict: 'allow' },
      more: { requested: false },
    },
  ])('$name', ({ past, asks, verdict, more }) => {
    expect(judge(treeOf(past), asks, more)).toMatchObject(verdict as object);
  });

  test('[C34] that a person rejected is not asked about again', () => {
    const tree = treeOf([['charge a', 'gated']]);
    const decided: RunEvent[] = [
      {
        type: 'approval.requested',
        approval: 'a1',
        step: 1,
        title: '',
        fingerprint: '',
        priority: 'medium',
        allowed: ['reject'],
      },
      { type: 'approval.decided', approval: 'a1', decision: 'reject', by: 'ann' },
      {
        type: 'step.closed',
        step: 1,
        outcome: 'skipped',
        failure: { code: 'refused', message: 'ann said no.' },
      },
    ];
    foldAll(
      decided.map((event, i): Entry => ({ seq: tree.seq + i + 1, at: 2_000, event })),
      tree,
    );
    expect(judge(tree, 'charge a')).toMatchObject({ verdict: 'reuse', step: 1 });
  });

  test('[C31] that was read while something was being written is read again, whatever the clock says', () => {
    const events: RunEvent[] = [
      opened(1, 'write a'),
      opened(2, 'list'),
      { type: 'step.closed', step: 2, outcome: 'completed', result: 'old' },
      { type: 'step.closed', step: 1, outcome: 'completed', result: 'done' },
    ];
    const tree = foldAll(events.map((event, i): Entry => ({ seq: i + 1, at: 1_000, event })));
    expect(judge(tree, 'list')).toEqual({ verdict: 'allow' });
  });

  test('[C39] of a conversation is remembered if it only reads and nothing was written in this run', () => {
    const earlier = { run: 'run_0', result: ['a'] };
    const remembering = (past: Happening[], signature: string) =>
      duplicate(
        { tree: treeOf(past), now: 0, earlier },
        { kind: 'call', parent: 0, call: callOf(signature) },
      );
    expect(remembering([], 'list')).toMatchObject({ verdict: 'reuse', code: 'OUTCOME_REMEMBERED' });
    expect(remembering([], 'list')).not.toHaveProperty('step');
    expect(remembering(['write a'], 'list')).toEqual({ verdict: 'allow' });
    expect(remembering([], 'write a')).toEqual({ verdict: 'allow' });
    expect(remembering(['list'], 'list')).toMatchObject({
      verdict: 'reuse',
      step: 1,
      code: 'DUPLICATE_BLOCKED',
    });
  });

  test('[C37] a turn is no call', () => {
    expect(duplicate({ tree: treeOf(['list']), now: 0 }, { kind: 'turn', parent: 0 })).toEqual({
      verdict: 'allow',
    });
  });
});

describe('the history of calls', () => {
  test('[C38] is the same whether it grew with the run or was read at once', () => {
    const happenings: string[] = [];
    for (let i = 0; i < 40; i += 1)
      happenings.push(i % 3 === 0 ? 'list' : i % 3 === 1 ? `write ${i % 5}` : `charge ${i % 7}`);
    const whole = treeOf(happenings);
    const growing = foldAll([]);
    const asked = ['list', 'write 1', 'charge 2', 'charge 9'];
    let seq = 0;
    for (const entry of entriesOf(happenings)) {
      foldAll([entry], growing);
      for (const signature of asked) judge(growing, signature);
      seq = entry.seq;
    }
    expect(seq).toBe(whole.seq);
    for (const signature of asked) expect(judge(growing, signature)).toEqual(judge(whole, signature));
  });

  test('[C38] looks at each closed step once, however long the run is', () => {
    const tree = treeOf(Array.from({ length: 3_000 }, (_, i) => `charge ${i}`));
    judge(tree, 'charge 1');
    let looked = 0;
    const get = tree.steps.get.bind(tree.steps);
    tree.steps.get = (id) => {
      looked += 1;
      return get(id);
    };
    for (let i = 0; i < 100; i += 1) judge(tree, `charge ${i}`);
    expect(looked).toBe(0);
  });
});

function opened(step: number, signature: string): EventOf<'step.opened'> {
  return {
    type: 'step.opened',
    step,
    parent: 0,
    key: `call ${step}`,
    kind: 'call',
    title: '',
    started: true,
    call: callOf(signature),
  };
}

function entriesOf(signatures: readonly string[]): Entry[] {
  return signatures.flatMap((signature, i): Entry[] => {
    const closed: RunEvent = { type: 'step.closed', step: i + 1, outcome: 'completed', result: i + 1 };
    return [
      { seq: 2 * i + 1, at: 1_000, event: opened(i + 1, signature) },
      { seq: 2 * i + 2, at: 1_000, event: closed },
    ];
  });
}
