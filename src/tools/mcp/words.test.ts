import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitWords } from './words.ts';

const lines: { name: string; line: string; words: string[] }[] = [
  { name: 'plain words', line: 'npx  some-server --flag\t-x', words: ['npx', 'some-server', '--flag', '-x'] },
  { name: 'nothing', line: '   ', words: [] },
  { name: 'double quotes', line: 'a "b c" d', words: ['a', 'b c', 'd'] },
  { name: 'single quotes', line: `a 'b "c" \\d' e`, words: ['a', 'b "c" \\d', 'e'] },
  { name: 'quotes within a word', line: '--name="a b"c', words: ['--name=a bc'] },
  { name: 'an empty word', line: `a "" ''`, words: ['a', '', ''] },
  { name: 'escapes outside quotes', line: 'a\\ b \\"c', words: ['a b', '"c'] },
  { name: 'escapes in double quotes', line: '"a \\" b \\\\ c \\n"', words: ['a " b \\ c \\n'] },
  { name: 'a backslash at the end', line: 'a\\', words: ['a\\'] },
  {
    name: 'what a shell would run or expand',
    line: 'a $(touch x) `b`; rm -rf * && c > $HOME',
    words: ['a', '$(touch', 'x)', '`b`;', 'rm', '-rf', '*', '&&', 'c', '>', '$HOME'],
  },
];
test.for(lines)('[M12] splits $name', ({ line, words }) => {
  expect(splitWords(line)).toEqual(words);
});

test.for(['a "b', `a 'b`, 'a "b\\"'])('[M12] refuses %s, which leaves a quote open', (line) => {
  expect(() => splitWords(line)).toThrow(/never closed/);
});

test('[M12] any words survive being quoted and split', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (words) => {
      const line = words.map((word) => `"${word.replaceAll(/["\\]/g, '\\$&')}"`).join(' ');
      expect(splitWords(line)).toEqual(words);
    }),
  );
});
