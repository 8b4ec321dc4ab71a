import { expect, test } from 'vitest';
import { usedLine } from './used-line.ts';

const nothing = { turns: 0, calls: 0, tokens: 0, milliseconds: 900 };

test.for([
  { spent: nothing, said: undefined },
  { spent: { ...nothing, turns: 1, calls: 1, tokens: 1 }, said: 'Used: 1 turn, 1 call, 1 token' },
  { spent: { ...nothing, calls: 2 }, said: 'Used: 2 calls' },
  {
    spent: { ...nothing, turns: 12, tokens: 123_456 },
    cost: 0.00123,
    said: 'Used: 12 turns, 123,456 tokens, cost 0.00123',
  },
  { spent: { ...nothing, turns: 2 }, cost: 1_234.5, said: 'Used: 2 turns, cost 1,234.50' },
])('[Z16] what a run has used is said in a line: $said', ({ spent, cost, said }) => {
  const usage = { input: 0, output: 0, ...(cost === undefined ? {} : { cost }) };
  expect(usedLine({ spent, usage })).toBe(said);
});
