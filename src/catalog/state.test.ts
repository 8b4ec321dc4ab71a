import { expect, test } from 'vitest';
import type { Json } from '../run/values.ts';
import { combinedState, keepState, type StateStrategy } from './state.ts';

const call = (n: number): Json => ({ role: 'assistant', tool_calls: [{ id: `c${n}` }] });
const result = (n: number, part = 0): Json => ({
  role: 'tool',
  tool_call_id: `c${n}`,
  content: `r${n}.${part}`,
});

test.for<[string, StateStrategy, Json]>([
  ['a history that is no list', 'restore', { tool_call_history: {} }],
  ['an empty id', 'conversation-id', { ums_conversation_id: '' }],
  ['no id', 'conversation-id', {}],
  ['no object', 'stateless', 'text'],
])('[K12] %s is refused, and the field is named', ([, strategy, state]) => {
  expect(keepState(strategy, state)).toEqual({
    problem: expect.stringMatching(/tool_call_history|ums_conversation_id|state/),
  });
});

test('[K12] pruning keeps the newest five exchanges, and every call with all of its results', () => {
  const history = Array.from({ length: 8 }, (_, n) => [call(n), result(n), result(n, 1)]).flat();
  expect(keepState('restore', { tool_call_history: history, note: 'kept' })).toEqual({
    state: { tool_call_history: history.slice(9), note: 'kept' },
    left: 3,
  });
});

test('[K12] a state over its size is refused', () => {
  expect(keepState('stateless', { text: 'x'.repeat(300_000) })).toEqual({
    problem: expect.stringContaining('262144'),
  });
});

test('several agents of one turn keep all their keys in one state', () => {
  const states = [
    { strategy: 'restore', state: { tool_call_history: [] } },
    { strategy: 'conversation-id', state: { ums_conversation_id: 'u-1' } },
  ];
  expect(combinedState(states)).toEqual({
    is_gpa: true,
    gpa_messages: { tool_call_history: [] },
    ums_conversation_id: 'u-1',
  });
});
