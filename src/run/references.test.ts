import { expect, test } from 'vitest';
import type { RunEvent } from './events.ts';
import { referencesIn } from './values.ts';

const kept = (blob: string): { blob: string; size: number } => ({ blob, size: 1 });
const file = (blob: string): { type: string; blob: { blob: string; size: number } } => ({
  type: 'text/plain',
  blob: kept(blob),
});
const call = { id: 'c', tool: 't', arguments: kept('a'), signature: 's', effect: 'pure' } as const;
const placed = { step: 1, parent: 0, key: 'k', kind: 'call', title: 'T' };
const started: Extract<RunEvent, { type: 'run.started' }> = {
  type: 'run.started',
  tenant: 't',
  who: 'w',
  app: 'a',
  conversation: 'c',
  input: { text: kept('a'), attachments: [file('b')] },
  flow: { name: 'f', version: '1' },
  limits: {},
  labels: {},
  history: [{ role: 'user', text: '', attachments: [file('c')] }],
};

test.for<readonly [RunEvent, readonly string[]]>([
  [started, ['a', 'b', 'c']],
  [{ ...started, history: kept('h') }, ['a', 'h', 'b']],
  [{ ...started, guarded: kept('g'), input: { text: 'x', data: kept('d') }, history: [] }, ['d', 'g']],
  [{ type: 'step.opened', ...placed, call, attachments: [file('b')] }, ['a', 'b']],
  [{ type: 'step.started', step: 1, call }, ['a']],
  [{ type: 'step.retried', step: 1, attempt: 2, reason: '', call }, ['a']],
  [{ type: 'prompt.recorded', step: 1, blob: kept('p') }, ['p']],
  [{ type: 'item.attached', step: 1, item: { kind: 'attachment', attachment: file('f') } }, ['f']],
  [{ type: 'step.closed', step: 1, outcome: 'completed', result: kept('r') }, ['r']],
  [{ type: 'state.saved', step: 1, agent: 'a', strategy: 's', state: kept('s') }, ['s']],
  [{ type: 'run.ended', outcome: 'completed', answer: kept('e'), usage: { input: 0, output: 0 } }, ['e']],
])('[EX4] finds what the engine kept for %o', ([event, names]) => {
  expect(referencesIn(event).map(({ blob }) => blob)).toEqual(names);
});

test('[EX4] what looks like a reference where the engine puts none is somebody’s own', () => {
  const own = { value: kept('x'), list: [kept('y')] };
  expect(referencesIn({ type: 'step.closed', step: 1, outcome: 'completed', result: own })).toEqual([]);
  const item = { kind: 'visualization', shape: 'table', data: kept('z') } as const;
  expect(referencesIn({ type: 'item.attached', step: 1, item })).toEqual([]);
});
