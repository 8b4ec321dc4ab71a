import { expect, test } from 'vitest';
import { isLinear } from '../../../test/growth.ts';
import { meaningOf, readSections } from '../../wire/sectioned-text.ts';
import { exact, visible } from '../../run/visible.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';
import { readable } from './readable.ts';
import { chop, cut, wrap } from '../terminal/width.ts';

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  visible,
  visibleLine,
  exact,
  jsonLine,
  readable: (text) => readable(text, 80),
  wrap: (text) => wrap(text, 80),
  chop: (text) => chop(text, 80),
  cut: (text) => cut(text, 80),
  readSections: (text) => readSections(text, 'a'),
  meaningOf,
};

/** What makes a pattern look far and find nothing. */
const blanks = [' ', '\n', '\r', '\t', '\u2028', ' \n', 'a ', 'a\n'];
const marks = [
  '#',
  '# ',
  '## a\n',
  '*',
  '**a ',
  '```',
  '-',
  '--- ',
  '---QUERY---',
  '{',
  '["',
  '](',
  '\u001b',
];
const small = 2_000;
const times = 16;

test.for(Object.keys(readers))('[L12] what %s reads costs what it is long', (name) => {
  const read = readers[name] ?? String;
  const costly = [...blanks, ...marks, 'a', 'é'].filter((piece) => {
    const work = (size: number): unknown => read(`${piece.repeat(size / piece.length)}x`);
    return !isLinear(work, small, times);
  });
  expect(costly).toEqual([]);
});

test.for(['visibleLine', 'readable'])('[L12] %s takes a million blanks', (name) => {
  for (const piece of blanks) readers[name]?.(`${piece.repeat(1_000_000 / piece.length)}x`);
});
