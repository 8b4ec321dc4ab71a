import { expect, test } from 'vitest';
import { wholeOrMarked } from './exchange.ts';

const line = '[This answer was cut off by the budget of this run: its end is missing.]';

test.for([
  ['Three', 'stop', 'Three'],
  ['Three', 'budget', `Three\n\n${line}`],
  ['Three', 'length', `Three\n\n${line.replace('budget of this run', 'length limit of the model')}`],
  ['Three', 'filter', 'Three\n\n[This answer was ended by a content filter: something is missing.]'],
  [`Three\n\n${line}`, 'length', `Three\n\n${line}`],
] as const)('[C88] that %j ended by «%s» stands below it once', ([answer, finish, whole]) => {
  expect(wholeOrMarked(answer, { finish })).toBe(whole);
});
