import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chop, cut, widthOf, wrap } from './width.ts';

describe('the width of a text', () => {
  test.for([
    ['plain letters', 'abc', 3],
    ['nothing', '', 0],
    ['Chinese', '第一個', 6],
    ['Hangul', '한글', 4],
    ['full-width forms', 'ＡＢ', 4],
    ['accents that stand alone', 'e\u0301', 1],
    ['an emoji', '🎉', 2],
    ['a family of one', '👩\u200d💻', 2],
    ['a flag', '🇨🇭', 2],
    ['our own marks', '✓✗●○◆‖⊘■↺◌⠋├─│', 14],
  ] as const)('%s', ([, text, width]) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe('cutting', () => {
  test.for([
    ['fits', 'abc', 3, 'abc'],
    ['is too long', 'abcdef', 4, 'abc…'],
    ['would be cut inside a wide character', '第一個', 4, '第…'],
    ['has no room at all', 'abc', 0, ''],
  ] as const)('a text that %s', ([, text, width, shown]) => {
    expect(cut(text, width)).toBe(shown);
  });
});

test('lines break at spaces, and within a word only if it is wider than the line', () => {
  expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij k', 4)).toEqual(['abcd', 'efgh', 'ij k']);
  expect(wrap('a\n\nb', 5)).toEqual(['a', '', 'b']);
  expect(wrap('個個個', 1)).toEqual(['個', '個', '個']);
});

test('no line is wider than asked, and nothing but spaces is lost', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (given, width) => {
      for (const line of wrap(given, width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
      expect(wrap(given, width).join('').replaceAll(/\s/g, '')).toBe(given.replaceAll(/\s/g, ''));
      expect(chop(given, width).join('')).toBe(given);
      for (const piece of chop(given, width)) expect(widthOf(piece)).toBeLessThanOrEqual(width);
    }),
  );
});
