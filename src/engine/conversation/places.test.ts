import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beforePlaceOf, firstInPlace, holdingPlaces, inPlaces } from './places.ts';

interface Row {
  readonly run: string;
  readonly replaces: string | null;
}

/** Oldest first in words, newest first as stores list them: `b:a` took the place of `a`. */
const rowsOf = (words: string): Row[] =>
  words
    .split(' ')
    .map((word) => {
      const [run = '', replaces = null] = word.split(':');
      return { run, replaces };
    })
    .reverse();
const named = (rows: readonly Row[]): string => rows.map(({ run }) => run).join(' ');

test.for([
  ['a b c', 'a b c', 'a b c'],
  ['a b c:b d', 'a b c d', 'a c d'],
  ['a b c:a d:c e', 'a c d b e', 'd b e'],
  // What it replaced is beyond what is listed.
  ['b c:gone d', 'b c d', 'b d'],
] as const)('[N13] of %s the places are %s, and %s hold them', ([words, all, held]) => {
  expect(named(inPlaces(rowsOf(words)))).toBe(all);
  expect(named(holdingPlaces(rowsOf(words)))).toBe(held);
});

test('[N13] what came before a place is what came before its first run', () => {
  const rows = rowsOf('a b c:b d e:c');
  expect(named(beforePlaceOf(rows, 'e').toReversed())).toBe('a');
  expect(named(beforePlaceOf(rows, 'd').toReversed())).toBe('a b c');
  const last = rows[0];
  expect(last && firstInPlace(rows, last).run).toBe('b');
});

test('[N13] every run has one place, and each place one run that holds it', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 30 }), (choices) => {
      const rows: Row[] = [];
      for (const [i, choice] of choices.entries()) {
        const free = rows.filter(({ run }) => !rows.some(({ replaces }) => replaces === run));
        const replaces = choice % 3 === 0 ? (free[choice % (free.length + 1)]?.run ?? null) : null;
        rows.unshift({ run: `r${i}`, replaces });
      }
      expect(
        inPlaces(rows)
          .map(({ run }) => run)
          .toSorted(),
      ).toEqual(rows.map(({ run }) => run).toSorted());
      const firsts = rows.filter(({ replaces }) => replaces === null);
      expect(holdingPlaces(rows)).toHaveLength(firsts.length);
    }),
  );
});
