import { expect, test } from 'vitest';
import type { Json } from '../run/values.ts';
import { sharedFacts } from './shared-facts.ts';

test('[K13] facts are taken out of what the agent reports; the rest is its own', () => {
  expect(sharedFacts({ note: 1, shared: { site: 'SYD', links: [1, 2] } })).toEqual({
    own: { note: 1 },
    facts: { site: 'SYD', links: [1, 2] },
    problems: [],
  });
});

test('[G25] facts may stand under `shared_context`, as coordinators of others have them; ours go first', () => {
  const state = { is_gpa: true, shared_context: { place: 'Paris', user: 'John' } };
  expect(sharedFacts(state)).toEqual({
    own: { is_gpa: true },
    facts: { place: 'Paris', user: 'John' },
    problems: [],
  });
  expect(sharedFacts({ ...state, shared: { user: 'Olivia' } }).facts).toEqual({
    place: 'Paris',
    user: 'Olivia',
  });
});

test.for<[string, Json]>([
  ['text', 'shared'],
  ['a list', [{ shared: {} }]],
  ['a flag of its own', { shared: true }],
  ['a list of its own', { shared: ['a'] }],
  ['nothing', null],
])('[K13] %s shares nothing and stays as it is', ([, reported]) => {
  expect(sharedFacts(reported)).toEqual({ own: reported, facts: {}, problems: [] });
});

test('[K13] a fact that is too large, or has no fit name, is not shared, and it is said', () => {
  const shared = { '': 1, ['n'.repeat(101)]: 1, big: 'x'.repeat(8_191), fits: 'x'.repeat(8_190) };
  const { facts, problems } = sharedFacts({ shared });
  expect(Object.keys(facts)).toEqual(['fits']);
  expect(problems).toHaveLength(3);
  expect(problems[2]).toBe('The fact «big» was not shared: it has 8193 characters; 8192 are allowed.');
});

test('[K13] more facts than fifty at once are left out, and it is said', () => {
  const shared = Object.fromEntries(Array.from({ length: 53 }, (_, i) => [`f${i}`, i]));
  const { facts, problems } = sharedFacts({ shared });
  expect(Object.keys(facts)).toHaveLength(50);
  expect(problems).toEqual(['3 facts were not shared: at most 50 may be told at once.']);
});
