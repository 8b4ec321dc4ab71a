import { expect, test } from 'vitest';
import { matchesGlob } from './glob.ts';

test.for([
  ['*.md', 'a.md', true],
  ['*.md', 'docs/deep/a.md', true],
  ['*.md', 'a.mdx', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['docs/*.md', 'docs/a.md', true],
  ['docs/*.md', 'docs/deep/a.md', false],
  ['docs/**/*.md', 'docs/deep/er/a.md', true],
  ['docs/**/*.md', 'docs/a.md', true],
  ['**/*.ts', 'src/a.ts', true],
  ['[a].md', 'a.md', false],
  ['(a|b).md', '(a|b).md', true],
  ['', 'a', false],
] as const)('"%s" against "%s" is %s', ([pattern, path, expected]) => {
  expect(matchesGlob(pattern, path)).toBe(expected);
});

test('[T27] [S45] a pattern full of stars costs no more than its length times the path', () => {
  expect(matchesGlob(`${'*a'.repeat(60)}b`, 'a'.repeat(3000))).toBe(false);
});
