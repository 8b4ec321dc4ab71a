import { describe, expect, test } from 'vitest';
import type { Approval } from '../../run/tree.ts';
import { press, type Asked, type Asking, type Question } from './asking.ts';
import type { Key } from '../terminal/keyboard.ts';

const approval: Approval = {
  approval: 'r.a1',
  step: 1,
  title: 'pay',
  fingerprint: 'f1',
  priority: 'medium',
  allowed: ['approve', 'reject', 'edit', 'defer'],
  requestedAt: 0,
};
const question: Question = { approval, value: { amount: 5 }, hasEditor: false };

const keysOf = (text: string): Key[] =>
  text.split('').map((letter) => ({ name: letter, text: letter, ctrl: false }));
const named = (name: string, ctrl = false): Key => ({ name, text: '', ctrl });
const enter = named('return');

/** What came of the keys, and where they led. */
function after(
  keys: readonly Key[],
  asked: Partial<Question> = {},
): { asking: Asking; asked: Asked | undefined } {
  let asking: Asking = { at: 'choice' };
  let last: Asked | undefined;
  for (const key of keys) [asking, last] = press(asking, key, { ...question, ...asked });
  return { asking, asked: last };
}

describe('a person who is asked', () => {
  test.for(['a', 'e'])('[V54] lets nothing happen with %s before all of it was there to see', (key) => {
    const unseen = 'Press v to see all of it first.';
    expect(after([...keysOf(key), enter], { unseen })).toEqual({
      asking: { at: 'choice', problem: unseen },
      asked: undefined,
    });
    expect(after([...keysOf('r'), enter], { unseen }).asked).toMatchObject({
      decision: { decision: 'reject' },
    });
  });

  test.for<[name: string, keys: Key[], decision: object]>([
    ['approves', [...keysOf('a'), enter], { decision: 'approve' }],
    ['approves and says why', [...keysOf('aok then'), enter], { decision: 'approve', rationale: 'ok then' }],
    ['rejects', [...keysOf('r'), enter], { decision: 'reject' }],
    ['puts it off', [...keysOf('d'), enter], { decision: 'defer' }],
    [
      'edits',
      [...keysOf('e'), named('u', true), ...keysOf('{"amount":1}'), enter, ...keysOf('less'), enter],
      { decision: 'edit', arguments: { amount: 1 }, rationale: 'less' },
    ],
    ['changes their mind', [...keysOf('a'), named('escape'), ...keysOf('r'), enter], { decision: 'reject' }],
  ])('%s', ([, keys, decision]) => {
    const { asked } = after(keys);
    expect(asked).toEqual({ type: 'decide', decision: { approval: 'r.a1', fingerprint: 'f1', ...decision } });
  });

  test('decides nothing with other keys, or before Enter', () => {
    expect(after([...keysOf('xyz'), named('a', true), enter]).asked).toBeUndefined();
    expect(after(keysOf('a')).asked).toBeUndefined();
  });

  test('cannot choose what is not allowed', () => {
    const only: Approval = { ...approval, allowed: ['approve'] };
    expect(after(keysOf('red'), { approval: only })).toMatchObject({
      asking: { at: 'choice' },
      asked: undefined,
    });
  });

  test('is told when an edit is not JSON, and keeps what they wrote', () => {
    const { asking, asked } = after([...keysOf('e'), named('backspace'), enter]);
    expect(asked).toBeUndefined();
    expect(asking).toMatchObject({ at: 'arguments', problem: 'This is not JSON yet.' });
  });

  test('edits in their own editor if they have one', () => {
    expect(after(keysOf('e'), { hasEditor: true }).asked).toEqual({ type: 'openEditor' });
  });

  test('fills in what a question wants to know', () => {
    const schema = { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } };
    const wanted: Approval = { ...approval, schema };
    const { asked } = after([...keysOf('a'), enter], { approval: wanted });
    expect(asked).toMatchObject({ decision: { decision: 'approve', answer: { name: '', age: 0 } } });
  });

  test('can see all of it', () => {
    expect(after(keysOf('v')).asked).toEqual({ type: 'showAll' });
  });
});
