import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksOf } from './chunks.ts';
import { blocksOf } from './text.ts';

test('[T31] Markdown is read in headings and paragraphs, code as it stands', () => {
  const text = '# Title #\n\nFirst\nparagraph.\n\n```js\n# not a heading\n\nx\n```\nSecond\n------\n\nEnd';
  expect(blocksOf('a.md', text)).toStrictEqual([
    { text: 'Title', from: 1, to: 1, level: 1 },
    { text: 'First\nparagraph.', from: 3, to: 4 },
    { text: '```js\n# not a heading\n\nx\n```\nSecond\n------', from: 6, to: 12 },
    { text: 'End', from: 14, to: 14 },
  ]);
  expect(blocksOf('a.txt', 'Second\r\n======\r\ntext')).toStrictEqual([
    { text: 'Second', from: 1, to: 2, level: 1 },
    { text: 'text', from: 3, to: 3 },
  ]);
});

test('[T31] HTML is read as the words people see, on the lines they stand on', () => {
  const html = `<!doctype html>
<title>Guide &amp; more</title>
<script>const hidden = "<p>no</p>";</script>
<!-- hidden too -->
<body><h2 class="a">Set&nbsp;up</h2>
<p>One <b>bold</b>
word &#252; &#x1F600; &unknown; a < b.</p><style>p { color: red }</style><ul><li>Item</ul>`;
  expect(blocksOf('a.html', html)).toStrictEqual([
    { text: 'Guide & more', from: 2, to: 2, level: 1 },
    { text: 'Set up', from: 5, to: 5, level: 2 },
    { text: 'One bold word ü 😀 &unknown; a < b.', from: 6, to: 7 },
    { text: 'Item', from: 7, to: 7 },
  ]);
});

test.for([
  ['comments that never end', '<!--'],
  ['tags that never end', '<a '],
  ['scripts that never end', '<script>'],
  ['ends without beginnings', '</p>'],
  ['brackets', '<'],
] as const)('[T31] %s cost no more than their length', ([, piece]) => {
  expect(blocksOf('a.html', piece.repeat(200_000)).length).toBeLessThanOrEqual(1);
});

test('[T31] what stands in an attribute ends no tag, and every named character is read', () => {
  const html = '<p><a title="a > b" href="x">Caf&eacute;</a> &amp;c &notin; A</p><svg><p>no</p></svg>';
  expect(blocksOf('a.html', html)).toStrictEqual([{ text: 'Café &c ∉ A', from: 1, to: 1 }]);
});

test('[T31] a piece of a document knows its title, its headings and its lines', () => {
  const text = '# Guide\n\nIntro.\n\n## Install\n\n### Linux\n\nRun it.\n\n## Use\n\nGo.';
  expect(chunksOf('docs/guide.md', text)).toStrictEqual([
    { path: 'docs/guide.md', title: 'Guide', section: '', text: 'Guide\n\nIntro.', from: 1, to: 3 },
    { path: 'docs/guide.md', title: 'Guide', section: 'Install', text: 'Install', from: 5, to: 5 },
    {
      path: 'docs/guide.md',
      title: 'Guide',
      section: 'Install › Linux',
      text: 'Linux\n\nRun it.',
      from: 7,
      to: 9,
    },
    { path: 'docs/guide.md', title: 'Guide', section: 'Use', text: 'Use\n\nGo.', from: 11, to: 13 },
  ]);
  expect(chunksOf('docs/notes.txt', 'Only text.')).toMatchObject([{ title: 'notes.txt', section: '' }]);
});

test('[T31] no piece is too large to show, and no word is lost', () => {
  const word = fc.stringMatching(/^[a-zü]{1,30}$/);
  const line = fc.array(word, { maxLength: 60 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 80 }), (lines) => {
      const chunks = chunksOf('a.txt', lines.join('\n'));
      const wordsOf = (text: string) => text.split(/\s+/).filter((each) => each !== '');
      expect(chunks.flatMap((chunk) => wordsOf(chunk.text))).toStrictEqual(wordsOf(lines.join(' ')));
      for (const { text, from, to } of chunks) {
        expect(text.length).toBeLessThanOrEqual(1400);
        const standing = new Set(wordsOf(lines.slice(from - 1, to).join(' ')));
        expect(wordsOf(text).every((each) => standing.has(each))).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

test('[T31] a text without any space is cut, and no character in two', () => {
  const chunks = chunksOf('a.txt', '😀'.repeat(3000));
  expect(chunks.map((chunk) => chunk.text).join('')).toBe('😀'.repeat(3000));
  expect(chunks.every((chunk) => chunk.text.isWellFormed() && chunk.text.length <= 1200)).toBe(true);
});
