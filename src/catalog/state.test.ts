import { describe, expect, test } from 'vitest';
import type { Json } from '../run/values.ts';
import { combinedState, factName } from '../run/combined-state.ts';
import { keepState, type StateStrategy } from './state.ts';

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

test('[K12] a state over its size is refused, and the size can be said', () => {
  const state = { text: 'x'.repeat(300_000) };
  expect(keepState('stateless', state)).toEqual({ problem: expect.stringContaining('262144') });
  expect(keepState('stateless', state, { state: 400_000 })).toEqual({ state, left: 0 });
  expect(keepState('stateless', state, { state: 1_000 })).toEqual({
    problem: 'it has 300011 characters; 1000 are allowed (keeps.state)',
  });
});

describe('[G25] calls and responses in two lists', () => {
  const calls = (ids: readonly number[]): Json[] => ids.map((id) => ({ id: `c${id}`, name: 'run' }));
  const responses = (ids: readonly number[]): Json[] => ids.map((id) => result(id));
  const numbers = [0, 1, 2, 3, 4, 5, 6];
  const newest = numbers.slice(2);

  test.for<{ name: string; given: Json; kept: Json }>([
    {
      name: 'responses that name their calls, several and in any order',
      given: { tool_calls: calls(numbers), tool_responses: responses([6, 0, 1, 1, 5, 6]), note: 'kept' },
      kept: { tool_calls: calls(newest), tool_responses: responses([6, 5, 6]), note: 'kept' },
    },
    {
      name: 'responses at the places of their calls',
      given: { tool_calls: ['a', 'b', 'c', 'd', 'e', 'f', 'g'], tool_responses: [1, 2, 3, 4, 5, 6] },
      kept: { tool_calls: ['c', 'd', 'e', 'f', 'g'], tool_responses: [3, 4, 5, 6] },
    },
    {
      name: 'no responses',
      given: { tool_calls: calls(numbers) },
      kept: { tool_calls: calls(newest) },
    },
  ])('$name are pruned with them', ({ given, kept }) => {
    expect(keepState('restore', given)).toEqual({ state: kept, left: 2 });
    const wrapped = (inner: Json): Json => ({ is_gpa: true, gpa_messages: inner });
    expect(keepState('restore', wrapped(given))).toEqual({ state: wrapped(kept), left: 2 });
  });

  test('stay as they are where they fit, and are refused where they are no lists', () => {
    const few = { tool_calls: calls([1, 2]), tool_responses: responses([9, 1]) };
    expect(keepState('restore', few)).toEqual({ state: few, left: 0 });
    expect(keepState('restore', { tool_calls: 'run' })).toEqual({
      problem: expect.stringContaining('tool_calls: '),
    });
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
    const others: { agent: string; strategy: string; state: Json }[] = [
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
