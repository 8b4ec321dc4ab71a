import fc from 'fast-check';
import { expect, test } from 'vitest';
import { strictJson } from './route.ts';

test('plain JSON is what it says', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      if (/__proto__|"constructor"/.test(text)) return;
      expect(strictJson(Buffer.from(text))).toEqual(JSON.parse(text));
    }),
  );
});

test.for([
  ['what is no JSON', '{"a":', 'is not JSON'],
  ['100,000 levels', '['.repeat(100_000), 'levels deep'],
  ['100,000 levels of objects', '{"a":'.repeat(100_000), 'levels deep'],
  ['a prototype', '{"__proto__":{"isAdmin":true}}', '__proto__'],
  ['a prototype in disguise', '{"\\u005f_proto__":{}}', '__proto__'],
  ['a prototype deep inside', '{"a":[{"b":{"__proto__" : 1}}]}', '__proto__'],
  ['a prototype by way of the constructor', '{"constructor":{"prototype":{"x":1}}}', 'prototype'],
  ['a field twice', '{"a":1,"b":2,"a":3}', 'twice'],
  ['a field twice, once in disguise', '{"a":1,"\\u0061":3}', 'twice'],
  ['nothing', '', 'is not JSON'],
] as const)('%s is refused', ([, text, why]) => {
  expect(() => strictJson(Buffer.from(text))).toThrow(why);
});

test('the same name in two objects, and the words of the refused as values, are fine', () => {
  const text = '[{"a":1,"n":{"a":2}},{"a":"__proto__"},{"constructor":"prototype"}]';
  expect(strictJson(Buffer.from(text))).toEqual(JSON.parse(text));
});

test('what nests without end is refused before a text is made of it', () => {
  const bytes = Buffer.from(`{"a":"[[[[\\"[[","b":${'['.repeat(1_000_000)}`);
  bytes.toString = () => {
    throw new Error('a text was made');
  };
  expect(() => strictJson(bytes)).toThrow('levels deep');
});

test('brackets in texts are no levels', () => {
  const text = JSON.stringify([`${'['.repeat(100)}"\\${'{'.repeat(100)}`, { '[[[': '\\' }]);
  expect(strictJson(Buffer.from(text))).toEqual(JSON.parse(text));
});
