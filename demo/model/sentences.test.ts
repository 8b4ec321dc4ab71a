import { expect, test } from 'vitest';
import { sentencesOf, titleOf } from './sentences.ts';

const design = `# The *design*

## How it is [built](../build.md)

- **One process.** HTTP: at a port of its own, see [CONTRIBUTING](../CONTRIBUTING.md#server. "Where things live").
- **A worker.** Its lease runs out
  once \`renew()\` is not called: ~~never~~ <b>always</b>.

![A picture](picture.png) shows 3 * 4 of them, and \\*nothing\\* else.
`;

test('sentences are quoted whole, as people read them, without the marks of Markdown', () => {
  expect(sentencesOf(design).map(({ text }) => text)).toEqual([
    'One process.',
    'HTTP: at a port of its own, see CONTRIBUTING.',
    'A worker.',
    'Its lease runs out once renew() is not called: never always.',
    'A picture shows 3 * 4 of them, and *nothing* else.',
  ]);
  expect(sentencesOf(design)[0]?.section).toBe('How it is built');
  expect(titleOf(design)).toBe('The design');
});
