import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partialJson } from './partial-json.ts';

test('reads whole JSON as everybody does, but for numbers beyond a double', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!/\d{16}/.test(text));
      expect(partialJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('keeps what is complete, wherever the text breaks off', () => {
  const text = JSON.stringify({
    path: 'a.md',
    lines: { from: 1, to: 2 },
    list: [{ n: 1 }, { n: 2 }],
    text: 'one “two” \n three',
  });
  for (let length = text.indexOf('lines'); length < text.length; length += 1) {
    const read = partialJson(text.slice(0, length));
    expect(read).toMatchObject({ path: 'a.md' });
  }
  const cut = text.indexOf('three') + 2;
  expect(partialJson(text.slice(0, cut))).toMatchObject({
    list: [{ n: 1 }, { n: 2 }],
    text: 'one “two” \n th',
  });
});

test('never throws, and takes what is no JSON for none', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, at) => {
      partialJson(text.slice(0, at % (text.length + 1)));
    }),
  );
  expect([
    partialJson('Hello, world'),
    partialJson('{not json}'),
    partialJson('1 2'),
    partialJson('"a" b'),
  ]).toEqual([undefined, undefined, undefined, undefined]);
});

test('does not round a number that is too large for a double', () => {
  expect(partialJson('{"value":2880067194370816120,"small":12}')).toEqual({
    value: '2880067194370816120',
    small: 12,
  });
});
