import { expect, test } from 'vitest';
import { briefly } from './structure.ts';

test('[Q46] what SQLite says of page after page is told in a few lines, each once', () => {
  const pages = Array.from(
    { length: 60 },
    (_, i) => `Tree 5 page ${i}: btreeInitPage() returns error code 11`,
  );
  const row = ['*** in database main ***', ...pages, ...pages].join('\n');
  const told = briefly([row, 'x'.repeat(5_000), row]);
  expect(told).toEqual([...pages.slice(0, 5), 'and 56 more']);
  expect(briefly(['x'.repeat(5_000)])).toEqual([`${'x'.repeat(200)}…`]);
  const same = 'table run: database disk image is malformed';
  expect(briefly([same, same, 'missing'])).toEqual([same, 'missing']);
});
