import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordDiff } from './word-diff.ts';

test('[W7] a diff has both texts whole, and what it does not mark is in both, in order', () => {
  const seen = { marked: 0, shared: 0 };
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ' ', '\n', '“x”', '7'), { maxLength: 30 })
    .map((words) => words.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const [old, fresh] = wordDiff(before, after);
      const joined = (pieces: typeof old, isAll: boolean): string =>
        pieces
          .filter(({ isOwn }) => isAll || !isOwn)
          .map((piece) => piece.text)
          .join('');
      expect(joined(old, true)).toBe(before);
      expect(joined(fresh, true)).toBe(after);
      expect(joined(old, false)).toBe(joined(fresh, false));
      if (before === after) expect([...old, ...fresh].every(({ isOwn }) => !isOwn)).toBe(true);
      if (old.some(({ isOwn }) => isOwn)) seen.marked += 1;
      if (old.some(({ isOwn }) => !isOwn)) seen.shared += 1;
    }),
  );
  expect(Math.min(seen.marked, seen.shared)).toBeGreaterThan(20);
});
