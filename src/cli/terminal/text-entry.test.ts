import { expect, test } from 'vitest';
import type { Key } from './keyboard.ts';
import { render, unpainted } from './line.ts';
import { entered, entryLine, textEntry, typed, type TextEntry } from './text-entry.ts';

const letter = (text: string): Key => ({ name: text, text, ctrl: false });
const named = (name: string, ctrl = false): Key => ({ name, text: '', ctrl });

function type(entry: TextEntry, ...keys: Key[]): TextEntry {
  return keys.reduce(typed, entry);
}

test.for<[name: string, keys: Key[], text: string]>([
  ['letters are added', [letter('!')], 'one two!'],
  ['the letter before the cursor goes', [named('backspace')], 'one tw'],
  ['nothing goes before the beginning', [named('home'), named('backspace')], 'one two'],
  ['the letter under the cursor goes', [named('home'), named('delete')], 'ne two'],
  ['one can write in the middle', [named('left'), named('left'), letter('_')], 'one t_wo'],
  ['the cursor stays inside', [named('right'), named('right'), letter('.')], 'one two.'],
  ['a word goes', [named('w', true)], 'one '],
  ['everything before goes', [named('left'), named('u', true)], 'o'],
  ['everything after goes', [named('a', true), named('right'), named('k', true)], 'o'],
  ['the end is found again', [named('a', true), named('e', true), letter('.')], 'one two.'],
  ['control characters of a paste become spaces', [letter('\u001b[31m')], 'one two [31m'],
  ['other keys change nothing', [named('f5'), named('x', true)], 'one two'],
])('%s', ([, keys, text]) => {
  expect(entered(type(textEntry('one two'), ...keys))).toBe(text);
});

test('a character of several code points is one step and one removal', () => {
  const entry = type(textEntry('a👩\u200d💻'), named('backspace'));
  expect(entered(entry)).toBe('a');
});

test('a line longer than the screen shows the part around the cursor', () => {
  const entry = textEntry('0123456789'.repeat(5));
  const shown = render(entryLine(entry, 20), 20, unpainted);
  expect(shown).toBe('234567890123456789 ');
  expect(render(entryLine(type(entry, named('home')), 20), 20, unpainted)).toMatch(/^0123456789/);
});
