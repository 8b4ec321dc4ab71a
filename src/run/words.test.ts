import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldedText, wordsOf } from './facts.ts';

test.for([
  ['Two words, and TWO again.', ['two', 'words', 'and', 'again']],
  ['Straße in KÖLN, café №5', ['strasse', 'in', 'koln', 'cafe', 'no5']],
  ['100% _sure_ e-mail', ['100', 'sure', 'e', 'mail']],
  ['網路故障', ['網路', '路故', '故障']],
  ['字 router東京', ['字', 'router', '東京']],
  ['«…» — !', []],
] as const)('[Q111] «%s» is cut into its words', ([text, words]) => {
  expect(wordsOf(text)).toEqual(words);
});

test('[Q111] what is looked for is found, whatever it is written with', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      const kept = wordsOf(text);
      expect(wordsOf(text.normalize('NFD'))).toEqual(kept);
      expect(new Set(kept).size).toBe(kept.length);
      for (const word of kept) expect(word).not.toContain('\n');
      expect(kept).toEqual(
        expect.arrayContaining(kept.flatMap(wordsOf).filter((word) => kept.includes(word))),
      );
    }),
  );
});

test.for([
  ['Straße', 'STRASSE'],
  ['STRAẞE', 'strasse'],
  ['Ὀδυσσεύς', 'ΟΔΥΣΣΕΥΣ'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
  ['IŞIK', 'ışık'],
  ['İstanbul', 'ISTANBUL'],
  ['ﬁﬂ', 'FIFL'],
  ['Ⅷ', 'viii'],
  ['ſo', 'SO'],
  ['ŉ', 'ʼN'],
  ['Ꭰ', 'ꭰ'],
] as const)('[Q111] «%s» is found by «%s»', ([kept, asked]) => {
  expect(wordsOf(asked)).toEqual(wordsOf(kept));
  expect(wordsOf(kept)).not.toEqual([]);
});

test('[Q111] case makes no difference, in whatever script, and what is folded stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      for (const other of [text.toUpperCase(), text.toLowerCase(), text.normalize('NFKC')])
        expect(foldedText(other)).toBe(foldedText(text));
      expect(foldedText(foldedText(text))).toBe(foldedText(text));
    }),
    { numRuns: 2_000 },
  );
});

test('[Q111] an index does not outgrow what it finds', () => {
  const many = Array.from({ length: 5_000 }, (_, i) => `w${i}`).join(' ');
  expect(wordsOf(many)).toHaveLength(200);
  expect(wordsOf('x'.repeat(10_000))).toEqual(['x'.repeat(40)]);
});

test('[Q111] a text of plain letters is cut as it is beside any others', () => {
  const seen = { words: 0, long: 0 };
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 300 }), (text) => {
      const kept = wordsOf(text);
      seen.words += kept.length;
      seen.long += kept.filter(({ length }) => length === 40).length;
      expect(wordsOf(`${text} …`)).toEqual(kept);
    }),
    { examples: [[`${'x'.repeat(60)} Ab\tab\nAB-1`]] },
  );
  expect(seen.words).toBeGreaterThan(100);
  expect(seen.long).toBeGreaterThan(0);
});
