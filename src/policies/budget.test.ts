import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../run/events.ts';
import { foldAll } from '../run/entries.ts';
import type { RunTree } from '../run/tree.ts';
import type { Limits } from '../run/values.ts';
import { budget } from './standard.ts';
import type { Intent } from './policy.ts';

const start = 1_000;

/** A run with these limits in which these things have happened, a second apart. */
function treeOf(limits: Limits, ...events: readonly RunEvent[]): RunTree {
  const started: RunEvent = {
    type: 'run.started',
    tenant: 't',
    who: 'w',
    app: 'a',
    conversation: 'c',
    input: { text: '' },
    flow: { name: 'f', version: '1' },
    limits,
    labels: {},
  };
  return foldAll([started, ...events].map((event, i) => ({ seq: i + 1, at: start + i * 1_000, event })));
}

function opened(step: number, kind: string, more: { parent?: number; started?: boolean } = {}): RunEvent {
  return { type: 'step.opened', step, parent: 0, key: `s${step}`, kind, title: '', ...more };
}

const turn: Intent = { kind: 'turn', parent: 0 };
const call: Intent = { kind: 'call', parent: 0 };

function refusal(tree: RunTree, intent: Intent, now = tree.at): string | undefined {
  const verdict = budget({ tree, now }, intent);
  return verdict.verdict === 'refuse' ? `${verdict.code}: ${verdict.reason}` : undefined;
}

describe('the budget', () => {
  test('[E82] keeps one turn for the answer', () => {
    const tree = treeOf({ turns: 2 }, opened(1, 'turn', { started: true }));
    expect(refusal(tree, turn)).toBe('BUDGET_EXHAUSTED: The run has used up its 2 model turns.');
    expect(refusal(tree, { ...turn, answers: true })).toBeUndefined();
    const both = treeOf({ turns: 2 }, opened(1, 'turn'), opened(2, 'turn'));
    expect(refusal(both, { ...turn, answers: true })).toContain('2 model turns');
  });

  test('[E81 E85] counts a call when its step opens, each attempt, and gives back what never began', () => {
    const closed: RunEvent = { type: 'step.closed', step: 1, outcome: 'skipped' };
    const retried: RunEvent = { type: 'step.retried', step: 1, attempt: 2, reason: '' };
    expect(refusal(treeOf({ calls: 1 }), call)).toBeUndefined();
    expect(refusal(treeOf({ calls: 1 }, opened(1, 'call')), call)).toContain('1 tool calls');
    expect(refusal(treeOf({ calls: 1 }, opened(1, 'call'), closed), call)).toBeUndefined();
    const begun = opened(1, 'call', { started: true });
    expect(refusal(treeOf({ calls: 2 }, begun, retried), call)).toContain('2 tool calls');
    expect(refusal(treeOf({ calls: 0 }), call)).toContain('0 tool calls');
    expect(refusal(treeOf({ calls: 0 }), turn)).toBeUndefined();
  });

  test('[E80 E82] counts tokens of all turns, and lets the answer go beyond', () => {
    const usage = { input: 60, output: 40 };
    const tree = treeOf({ tokens: 100 }, opened(1, 'turn', { started: true }), {
      type: 'step.closed',
      step: 1,
      outcome: 'completed',
      usage,
    });
    expect(refusal(tree, turn)).toContain('100 tokens');
    expect(refusal(tree, call)).toContain('100 tokens');
    expect(refusal(tree, { ...turn, answers: true })).toBeUndefined();
  });

  test('[E220] does not send what is more than all that is left', () => {
    const tree = treeOf({ tokens: 100 });
    expect(refusal(tree, { ...turn, tokens: 100 })).toBeUndefined();
    expect(refusal(tree, { ...turn, tokens: 101 })).toBe(
      'BUDGET_EXHAUSTED: This turn would send about 101 tokens, and 100 are left of the 100 that this run may use (its limit «tokens»).',
    );
    expect(refusal(tree, { ...turn, tokens: 101, answers: true })).toBeUndefined();
  });

  test('[E80] counts levels', () => {
    const tree = treeOf({ depth: 2 }, opened(1, 'step'), opened(2, 'step', { parent: 1 }));
    expect(refusal(tree, { ...call, parent: 1 })).toBeUndefined();
    expect(refusal(tree, { ...call, parent: 2 })).toContain('3 levels deep; 2 are allowed');
  });

  test('[E80 E82 E86] counts seconds up to now, but not those of a pause or of a person', () => {
    const working = treeOf({ seconds: 10 }, opened(1, 'step'));
    expect(refusal(working, call, start + 10_999)).toContain('10 seconds');
    expect(refusal(working, call, start + 9_999)).toBeUndefined();
    expect(refusal(working, { ...turn, answers: true }, start + 99_999)).toBeUndefined();
    const paused = treeOf({ seconds: 10 }, { type: 'run.paused', by: 'ann' });
    expect(refusal(paused, call, start + 99_999)).toBeUndefined();
    const asked: RunEvent = {
      type: 'approval.requested',
      approval: 'a',
      step: 1,
      title: '',
      fingerprint: 'f',
      priority: 'medium',
      allowed: ['approve'],
    };
    const waiting = treeOf({ seconds: 10 }, opened(1, 'call'), asked);
    expect(refusal(waiting, call, start + 99_999)).toBeUndefined();
  });

  test('[E80] has limits also where nobody set any', () => {
    const turns = Array.from({ length: 29 }, (_, i) => opened(i + 1, 'turn'));
    expect(refusal(treeOf({}, ...turns), turn)).toContain('30 model turns');
    expect(refusal(treeOf({}), call, start + 3_600_000)).toContain('3600 seconds');
  });
});
