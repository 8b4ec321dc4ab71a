import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const lines = readFileSync(new URL('../docs/glossary.md', import.meta.url), 'utf8').split('\n');

test('no word of the glossary is explained twice, unless it says of what', () => {
  const heads = lines.flatMap((line) => {
    const [, named = ''] = /^- ((?:\*\*[^*]+\*\*(?: \([^)]+\))?(?:, )?)+)/.exec(line) ?? [];
    return named.split(', ').filter(Boolean);
  });
  expect(heads.length).toBeGreaterThan(200);
  expect(heads.filter((head, i) => heads.indexOf(head) !== i)).toEqual([]);
});
