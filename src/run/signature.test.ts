import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprintOf, signatureOf, type SignedCall } from './signature.ts';
import type { Json } from './values.ts';

type Values = { readonly [key: string]: Json };

const schema: Json = {
  type: 'object',
  properties: {
    path: { type: 'string', default: '.' },
    recursive: { type: 'boolean', default: true },
    file_pattern: { type: ['string', 'null'], default: null },
    options: {
      type: 'object',
      default: {},
      properties: { limit: { type: 'integer', default: 10 }, sort: { $ref: '#/$defs/sort' } },
    },
    filters: { type: 'array', items: { type: 'object', properties: { negate: { default: false } } } },
    where: { anyOf: [{ type: 'null' }, { type: 'object', properties: { region: { default: 'eu' } } }] },
    location: { type: 'string', format: 'path' },
    content: { type: 'string', 'x-exact': true },
    folder: { type: 'string', format: 'uri' },
  },
  $defs: { sort: { enum: ['asc', 'desc'], default: 'asc' } },
};

function sign(values: Json, more: Partial<SignedCall> = {}): string {
  return signatureOf({ tool: 'search', arguments: values, schema, scope: ['tenant', 'run'], ...more });
}

const same: [name: string, a: Json, b: Json][] = [
  ['the order of keys', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
  ['numbers, however spelled', JSON.parse('[1, -0, 100]') as Json, JSON.parse('[1.0, 0, 1e2]') as Json],
  ['composed and decomposed characters', { q: 'Zürich' }, { q: 'Zu\u0308rich' }],
  ['composed and decomposed keys', { Größe: 1 }, { 'Gro\u0308ße': 1 }],
  ['whitespace around a text', { q: 'down' }, { q: ' \t\n\u00a0down\r\n' }],
  ['whitespace around a text in a list', { q: ['a', ['b']] }, { q: [' a', ['b ']] }],
  ['a default that is left out', {}, { path: '.', recursive: true }],
  ['a default of null', {}, { file_pattern: null }],
  ['defaults of what is left out', {}, { options: { limit: 10, sort: 'asc' } }],
  ['defaults below', { options: {} }, { options: { limit: 10 } }],
  ['defaults in lists', { filters: [{}] }, { filters: [{ negate: false }] }],
  ['defaults of what may be null', { where: {} }, { where: { region: 'eu' } }],
  ['spellings of a path', { path: 'docs/a' }, { path: ' .\\docs//./a/ ' }],
  ['the folder itself', { path: '.' }, { path: './' }],
  ['no path and the folder itself', { path: '' }, { path: '.' }],
  ['the root', { path: '/' }, { path: '//.//' }],
  ['a path below', { job: { sourceFile: 'a/b' } }, { job: { sourceFile: './a/b' } }],
  ['paths in a list', { paths: ['a', 'b'] }, { paths: ['./a', 'b/'] }],
  ['a path by its format', { location: 'a' }, { location: './a' }],
];
test.for(same)('[F28] [R30] one call: %s', ([, a, b]) => {
  expect(sign(a)).toBe(sign(b));
});

const different: [name: string, a: Json, b: Json][] = [
  ['inner whitespace', { q: 'a b' }, { q: 'a  b' }],
  ['an inner no-break space', { q: 'a b' }, { q: 'a\u00a0b' }],
  ['an invisible character', { q: 'ab' }, { q: 'a\u200bb' }],
  ['an invisible character at the end', { q: 'ab' }, { q: 'ab\u200b' }],
  ['upper case', { q: 'a' }, { q: 'A' }],
  ['full width', { q: 'A' }, { q: 'Ａ' }],
  ['null and absent', { q: null }, {}],
  ['null and a default that is not null', { recursive: null }, {}],
  ['empty and absent', { q: '' }, {}],
  ['a number and its text', { q: 1 }, { q: '1' }],
  ['true and its text', { q: true }, { q: 'true' }],
  ['a value and a list of it', { q: 'a' }, { q: ['a'] }],
  ['the order of a list', { q: ['a', 'b'] }, { q: ['b', 'a'] }],
  ['an empty list and an empty object', { q: [] }, { q: {} }],
  ['a key and a path of keys', { a: { b: 1 } }, { 'a.b': 1 }],
  ['another value than the default', { recursive: false }, {}],
  ['the folder above', { path: 'a/../b' }, { path: 'b' }],
  ['an absolute and a relative path', { path: '/a' }, { path: 'a' }],
  ['a text that only looks like a path', { q: './a' }, { q: 'a' }],
  ['a pattern of paths', { file_pattern: './a' }, { file_pattern: 'a' }],
  ['an address in a path', { path: 'https://a//b/' }, { path: 'https://a/b' }],
  ['a property with a format of its own', { folder: 'a/' }, { folder: 'a' }],
  ['what is to be taken exactly', { content: 'a\n' }, { content: 'a' }],
  ['two half characters', { q: '\ud800' }, { q: '\ud801' }],
  ['a key named __proto__', JSON.parse('{"__proto__": {"a": 1}}') as Json, {}],
];
test.for(different)('[F29] [R31] two calls: %s', ([, a, b]) => {
  expect(sign(a)).not.toBe(sign(b));
});

const word = fc.string({
  unit: fc.constantFrom('a', 'B', 'é', 'e\u0301', 'ﬁ', ' ', '\u200b', '1', '/', '\ud800'),
  maxLength: 4,
});
const value: Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.constantFrom(0, -0, 1, 1.5, 1e21, true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(word, fc.constantFrom('path', 'options', 'recursive', '__proto__')),
      tie('value'),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  ),
})).value;
const values: Arbitrary<Values> = fc.dictionary(word, value, { maxKeys: 5, noNullPrototype: true });

describe('any call', () => {
  test('[F28] [R30] spelled anew, it is the same call', () => {
    fc.assert(
      fc.property(values, fc.infiniteStream(fc.nat({ max: 3 })), (input, picks) => {
        const respelled = respell(input, () => Number(picks.next().value));
        expect(sign(respelled)).toBe(sign(input));
      }),
      { numRuns: 10_000 },
    );
  });

  test('[F29] calls that are one call differ in spelling only', () => {
    const near = fc
      .tuple(values, values, fc.boolean())
      .map(([a, b, mixed]) => [a, mixed ? { ...a, ...b } : b] as const);
    fc.assert(
      fc.property(near, ([a, b]) => {
        const plain = { tool: 'search', schema: true };
        const isSame = signatureOf({ ...plain, arguments: a }) === signatureOf({ ...plain, arguments: b });
        expect(isSame).toBe(isDeepStrictEqual(normal(a), normal(b)));
      }),
      { numRuns: 10_000 },
    );
  });

  test('[F28] any arguments and any schema are signed', () => {
    const anySchema = fc.dictionary(
      fc.constantFrom('properties', 'items', 'prefixItems', '$ref', 'allOf', 'anyOf', 'default', 'format'),
      fc.oneof(value, fc.constantFrom<Json>('#', '#/properties/a', '#/~0~1', 'https://elsewhere/schema')),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(value, fc.oneof(value, anySchema), (input, anything) => {
        const once = signatureOf({ tool: 'search', arguments: input, schema: anything });
        expect(signatureOf({ tool: 'search', arguments: input, schema: anything })).toBe(once);
        expect(once.isWellFormed()).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** The same call as somebody else would write it. */
function respell(input: Json, pick: () => number, name = ''): Json {
  if (typeof input === 'string') {
    const text = [input, input.normalize('NFD'), ` ${input}\n`, input.normalize('NFC')][pick()] ?? input;
    return name === 'path' && !text.includes('://') && !text.trim().startsWith('/')
      ? `./${text.trimStart()}`
      : text;
  }
  if (Array.isArray(input)) return input.map((item: Json) => respell(item, pick, name));
  if (typeof input !== 'object' || input === null) return input;
  const fields = Object.entries(input).map(([key, field]) => [key, respell(field, pick, key)] as const);
  return Object.fromEntries(pick() % 2 === 0 ? fields.toReversed() : fields);
}

/** What two calls have in common when they are one call; written apart from the code that signs. */
function normal(input: Json, name = ''): unknown {
  if (typeof input === 'string') {
    const text = input.normalize('NFC').trim();
    return name === 'path' ? pathOf(text) : text;
  }
  if (input === 0) return 0;
  if (Array.isArray(input)) return input.map((item: Json) => normal(item, name));
  if (typeof input !== 'object' || input === null) return input;
  const fields = Object.entries(input).map(([key, field]) => [key.normalize('NFC'), normal(field, key)]);
  return { fields: fields.map((field) => JSON.stringify(field)).toSorted() };
}

function pathOf(text: string): string {
  const relative = text
    .replace(/\/+/g, '/')
    .replace(/(^|\/)(\.(\/|$))+/g, '$1')
    .replace(/(.)\/$/, '$1');
  return relative === '' ? '.' : relative;
}

test('[F27] calls of different tools, runs and tenants are different calls', () => {
  const all = [
    sign({}),
    sign({}, { tool: 'read' }),
    sign({}, { scope: ['tenant', 'other'] }),
    sign({}, { scope: ['other', 'run'] }),
    sign({}, { scope: ['tenantrun'] }),
    sign({}, { scope: [] }),
  ];
  expect(new Set(all).size).toBe(all.length);
});

test('[F28] a schema that contains itself ends', () => {
  const child = { $ref: '#', default: {} };
  const itself = { type: 'object', properties: { child } };
  expect(signatureOf({ tool: 'grow', arguments: {}, schema: itself }).length).toBeLessThan(200);
  expect(() => signatureOf({ tool: 'grow', arguments: {}, schema: { $ref: '#' } })).not.toThrow();
  const wide = { properties: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, child])) };
  expect(() => signatureOf({ tool: 'grow', arguments: {}, schema: wide })).toThrow(
    /grow have more than 10000 defaults/,
  );
});

test('[F28] arguments nested too deep are refused with a sentence', () => {
  let deep: Json = 1;
  for (let i = 0; i < 10_000; i += 1) deep = [deep];
  expect(() => sign(deep)).toThrow('The arguments of search are nested deeper than 500 levels.');
});

test('[F30] a fingerprint is short, and of the exact text', () => {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(fingerprintOf('abc', hash)).toBe('ba7816bf8f01cfea414140de5dae2223');
  expect(fingerprintOf('abc ', hash)).not.toBe(fingerprintOf('abc', hash));
  expect(fingerprintOf('\ud800', hash)).not.toBe(fingerprintOf('\ud801', hash));
});
