import { expect, test } from 'vitest';
import { readable } from './readable.ts';

test.for([
  {
    name: 'of an answer in sections, what it means',
    text: '---QUERY---\nSELECT 1\n---RESULTS---\n{"columns":[],"rows":[]}\n---ANALYSIS---\nAll is well.',
    lines: ['All is well.'],
  },
  {
    name: 'headings and fences are gone, and data is cut to a line',
    text: '## Request arguments: \n```json\n{"link":"LINK-SYD-MEL-FIBRE-01"}\n```\n## Response: \n```json\n{"a":1}\n```\n',
    lines: ['Request arguments: {"link":"L…', 'Response: {"a":1}'],
  },
  {
    name: 'what is stressed is plain',
    text: '**fibonacci(10) = 55**. Yes.',
    lines: ['fibonacci(10) = 55. Yes.'],
  },
  {
    name: 'prose is wrapped, without empty lines',
    text: 'one two three four five six seven\n\nend',
    lines: ['one two three four five six', 'seven', 'end'],
  },
  {
    name: 'a bracket alone makes no data',
    text: '[1] is a source, and a long one',
    lines: ['[1] is a source, and a long', 'one'],
  },
  { name: 'nothing acts on the terminal', text: '\u001b[2J', lines: ['\\x1b[2J'] },
])('$name', ({ text, lines }) => {
  expect(readable(text, 30)).toEqual(lines);
});
