import { describe, expect, test } from 'vitest';
import type { Json } from '../run/values.ts';
import { combinedState, factName, keepState, type StateStrategy } from './state.ts';

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

test('[K12] how many tool exchanges are kept can be said', () => {
  const history = Array.from({ length: 4 }, (_, n) => [call(n), result(n)]).flat();
  expect(keepState('restore', { tool_call_history: history }, { toolExchanges: 2 })).toEqual({
    state: { tool_call_history: history.slice(4) },
    left: 2,
  });
});

test('[K12] the state of a coordinator is checked and pruned in what it wraps', () => {
  const history = Array.from({ length: 7 }, (_, n) => [call(n), result(n)]).flat();
  const wrapped = (tool_call_history: Json): Json => ({ is_gpa: true, gpa_messages: { tool_call_history } });
  expect(keepState('restore', wrapped(history))).toEqual({ state: wrapped(history.slice(4)), left: 2 });
  expect(keepState('restore', wrapped('text'))).toEqual({
    problem: expect.stringContaining('gpa_messages.tool_call_history'),
  });
  expect(keepState('restore', { is_gpa: true, gpa_messages: null })).toMatchObject({ left: 0 });
});

describe('[K18] several agents of one turn', () => {
  const general = { agent: 'general', strategy: 'restore', state: { tool_call_history: [] } };
  const users = { agent: 'users', strategy: 'conversation-id', state: { ums_conversation_id: 'u-1' } };

  test('keep all their keys in one state', () => {
    expect(combinedState([general, users])).toEqual({
      is_gpa: true,
      gpa_messages: { tool_call_history: [] },
      ums_conversation_id: 'u-1',
    });
  });

  test('of the same kind do not overwrite each other', () => {
    const others = [
      { ...general, agent: 'other', state: { note: 1 } },
      { ...users, agent: 'groups', state: { ums_conversation_id: 'g-1' } },
    ];
    expect(combinedState([general, users, ...others])).toMatchObject({
      gpa_messages: { tool_call_history: [] },
      ums_conversation_id: 'u-1',
      agents: { other: { note: 1 }, groups: { ums_conversation_id: 'g-1' } },
    });
  });

  test('share their facts under names of their own, and what is stateless leaves nothing', () => {
    const fact = (name: string, value: Json) => ({
      agent: factName(name),
      strategy: 'shared',
      state: { fact: value },
    });
    const stateless = { agent: 'news', strategy: 'stateless', state: { secret: 1 } };
    expect(combinedState([fact('site', 'SYD'), stateless, fact('fact', 7)])).toEqual({
      shared_context: { site: 'SYD', fact: 7 },
    });
  });

  test('cannot reach the prototype', () => {
    const state = JSON.parse('{"ums_conversation_id":"u","__proto__":{"polluted":true}}') as Json;
    expect('polluted' in combinedState([{ ...users, state }])).toBe(false);
  });
});
