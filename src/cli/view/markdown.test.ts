import { expect, test } from 'vitest';
import { unpainted, render, type Line } from '../terminal/line.ts';
import { markdownLines } from './markdown.ts';
import { widthOf } from '../terminal/width.ts';

const plain = (lines: readonly Line[]): string[] =>
  lines.map((line) => render(line, Infinity, unpainted).trimEnd());
const drawn = (text: string, width = 60): string[] => plain(markdownLines(text, width));

const answer = `# Report

Two links are **at risk**, see \`LINK-1\` and [the runbook](https://example.org/rb).
Second line.

1. Look at **both**
   - the first
   - the second
2. Write _it_ down

\`\`\`sql
SELECT * FROM link;
\`\`\`

> Keep calm.

| link | load |
| --- | ---: |
| A | **96** |
`;

test('[Z10] headings, lists, code, quotes, tables and links are drawn, and no mark of Markdown is left', () => {
  expect(drawn(answer)).toEqual([
    'Report',
    '',
    'Two links are at risk, see LINK-1 and the runbook',
    '(https://example.org/rb).',
    'Second line.',
    '',
    '1. Look at both',
    '   • the first',
    '   • the second',
    '2. Write it down',
    '',
    '  SELECT * FROM link;',
    '',
    '│ Keep calm.',
    '',
    'link  load',
    'A     96',
  ]);
  const bold = markdownLines(answer, 60)
    .flat()
    .filter(([, ...styles]) => styles.includes('bold'));
  expect(bold.map(([text]) => text)).toEqual(['Report', 'at ', 'risk', 'both', 'link', 'load', '96']);
});

test('[Z10] what is no Markdown stays as it is, and nothing is wider than the terminal', () => {
  const text = 'a < b & c > d, x_y_z, 2 * 3 * 4, <tag>, &amp; [1] \\x1b[31mred snake_case_name';
  expect(drawn(text, 200)).toEqual([text]);
  const long = `- ${'word '.repeat(40)}\n\n\`\`\`\n${'x'.repeat(200)}\n\`\`\`\n\n| a | b |\n|-|-|\n| ${'c '.repeat(40)} | d |\n`;
  for (const line of drawn(long, 30)) expect(widthOf(line)).toBeLessThanOrEqual(30);
  expect(drawn(long, 30).join('').match(/x/g)).toHaveLength(200);
  expect(drawn(long, 30).join(' ').match(/\bc\b/g)).toHaveLength(40);
});

test('[Z10] what a parser could choke on is shown as it is', () => {
  const deep = '> '.repeat(9_000);
  expect(drawn(deep, 80).join('').match(/>/g)?.length).toBe(9_000);
  const large = '**a** '.repeat(5_000);
  expect(drawn(large, 80)[0]).toContain('**a**');
});
