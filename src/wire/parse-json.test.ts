import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeeper, parseJson } from './sse.ts';

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test('[X25] says what JSON text says, unless it nests too deeply', () => {
  expect(parseJson(nested(500))).toBeDefined();
  expect(parseJson(nested(501))).toBeUndefined();
  expect(parseJson('{"a":')).toBeUndefined();
});

test('[X25] is over where it is too deep, and never parses it', () => {
  // No end of it is JSON: a parser would have to go through all of it to say so.
  expect(isDeeper('{"a":'.repeat(100_000), 64)).toBe(true);
});

test('[X25] how deep a text nests is how deep its value does, whatever its strings hold', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  const odd = fc.string({ unit: fc.constantFrom('"', '\\\\', '[', '{', '}', 'a') });
  const value = fc.jsonValue({ stringUnit: 'grapheme' });
  fc.assert(
    fc.property(fc.array(fc.oneof(value, odd, fc.dictionary(odd, odd))), (given) => {
      const text = JSON.stringify(given);
      const depth = depthOf(given);
      if (text.length > depth) expect(isDeeper(text, depth)).toBe(false);
      expect(isDeeper(text, depth - 1)).toBe(true);
    }),
  );
});
