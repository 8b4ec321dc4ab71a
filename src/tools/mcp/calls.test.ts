import { expect, test } from 'vitest';
import { openCalls, type OpenCall } from './calls.ts';

function call(owner: string): OpenCall & { said: string[] } {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  return { owner, said, say, ask: () => Promise.resolve({ action: 'accept', content: { owner } }) };
}
const question = {
  mode: 'form' as const,
  message: 'Who?',
  requestedSchema: { type: 'object' as const, properties: {} },
};

test('[M6] what a server says without naming a call goes to the newest one of the only run', async () => {
  const calls = openCalls();
  const [older, newer] = [call('a'), call('a')];
  calls.begin(older);
  const end = calls.begin(newer);
  calls.say('one');
  end();
  calls.say('two');
  expect([older.said, newer.said]).toEqual([['two'], ['one']]);
  expect(await calls.ask(question)).toEqual({ action: 'accept', content: { owner: 'a' } });
});

test('[M6] with calls of two runs open, nobody hears or is asked what may be the other one’s', async () => {
  const calls = openCalls();
  const [one, other] = [call('a'), call('b')];
  calls.begin(one);
  const end = calls.begin(other);
  calls.say('a secret');
  calls.say('another secret');
  expect(await calls.ask(question)).toEqual({ action: 'decline' });
  for (const { said } of [one, other]) expect(said).toEqual([expect.stringMatching(/not shown/)]);
  end();
  calls.say('hello');
  expect(one.said.at(-1)).toBe('hello');
});

test('[M6] with no call open, a question is declined', async () => {
  expect(await openCalls().ask(question)).toEqual({ action: 'decline' });
});
