import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { Json } from '../run/values.ts';
import { checked, misfit } from './misfit.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Questions bring schemas of their own, so there is no end to them. */
function useSchemas(count: number): number {
  for (let i = 0; i < count; i += 1) {
    const schema = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };
    expect(misfit(schema, {})).toBe("the whole must have required property 'amount'");
  }
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('schemas that nobody uses any more leave nothing behind', () => {
  const before = useSchemas(300);
  const grown = useSchemas(1_200) - before;
  expect(grown).toBeLessThan(3_000_000);
});

describe('a schema of somebody else', () => {
  const steps = 'checking them takes more than 250000 steps';
  const numbered = (count: number, each: (i: number) => [string, Json]): Json =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => each(i)));
  const doubling = {
    $ref: '#/$defs/a0',
    $defs: {
      ...Object(
        numbered(40, (i) => {
          const next = { $ref: `#/$defs/a${i + 1}` };
          return [`a${i}`, { allOf: [next, next] }];
        }),
      ),
      a40: { type: 'string' },
    },
  };
  const branches = Array.from({ length: 300 }, () => ({ type: 'string' }));

  test('[X20] a part is held against a value once, however many references lead to it', () => {
    expect(misfit(doubling, 'x')).toBeUndefined();
    expect(misfit(doubling, 1)).toBe('the whole must be string');
  });

  test('[X21] nothing is compiled: reading a schema and its patterns is bounded before it begins', () => {
    const patterns = Array.from({ length: 400 }, (_, i) => ({ pattern: `^(?:[a-z]{1,40}${i}){1,10}$` }));
    expect(checked({ allOf: patterns }).unchecked).toEqual([
      'its schema is not checked: its patterns are too large together',
    ]);
    expect(checked({ pattern: `(?:${'a'.repeat(900)}){1000}` }).unchecked[0]).toMatch(/cannot be read here/);
  });

  test.each<{ name: string; schema: Json; value: Json; says: string }>([
    {
      name: 'a pattern that backtracks',
      schema: { pattern: '^(a+)+$' },
      value: `${'a'.repeat(100_000)}!`,
      says: 'the whole must match pattern "^(a+)+$"',
    },
    {
      name: 'a pattern with many states',
      schema: { pattern: '^(a|b)*a(a|b){400}$' },
      value: 'ab'.repeat(50_000),
      says: steps,
    },
    {
      name: 'a reference to itself',
      schema: { $ref: '#' },
      value: 'x',
      says: 'they are nested too deeply to be checked',
    },
    {
      name: 'branches for each of many items',
      schema: { items: { anyOf: branches } },
      value: Array.from({ length: 50_000 }, (_, i) => i),
      says: steps,
    },
    {
      name: 'large items that must differ',
      schema: { uniqueItems: true },
      value: Array.from({ length: 100_000 }, (_, i) => ({ i })),
      says: steps,
    },
    {
      name: 'rules for what is left of many fields',
      schema: {
        allOf: Array.from({ length: 300 }, () => ({ properties: { a: true } })),
        unevaluatedProperties: false,
      },
      value: numbered(5_000, (i) => [`k${i}`, 1]),
      says: steps,
    },
    {
      name: 'a long list of choices for each of many items',
      schema: { items: { enum: Array.from({ length: 5_000 }, (_, i) => `v${i}`) } },
      value: Array.from({ length: 50_000 }, (_, i) => `q${i}`),
      says: steps,
    },
    {
      name: 'many patterns of names for many names',
      schema: { patternProperties: numbered(300, (i) => [`^p${i}`, { type: 'string' }]) },
      value: numbered(20_000, (i) => [`k${i}`, 1]),
      says: steps,
    },
  ])('[S45 X1 X2] $name: is checked with bounded work', ({ schema, value, says }) => {
    expect(misfit(schema, value)).toBe(says);
  });

  test.each<{ name: string; schema: Json; value: Json; unchecked: string }>([
    {
      name: 'looks ahead',
      schema: { properties: { a: { pattern: '^(?=x)y$' } } },
      value: { a: 'q' },
      unchecked: 'the pattern «^(?=x)y$» at #/properties/a cannot be read here',
    },
    {
      name: 'refers back',
      schema: { pattern: '(a)\\1' },
      value: 'q',
      unchecked: 'the pattern «(a)\\1» at # cannot be read here',
    },
    {
      name: 'cannot read which names it describes',
      schema: { patternProperties: { '^(?=a)': { type: 'number' } }, additionalProperties: false },
      value: { abc: 'q' },
      unchecked: 'the pattern «^(?=a)» at #/patternProperties cannot be read here',
    },
    {
      name: 'denies what cannot be read',
      schema: { not: { pattern: '(?=x)' } },
      value: 'q',
      unchecked:
        'its schema is not checked: the pattern «(?=x)» at #/not cannot be read here, and what follows from it is unknown',
    },
    {
      name: 'is too wide',
      schema: { anyOf: [...branches, ...branches] },
      value: 1,
      unchecked: 'its schema is not checked: it has more than 500 parts',
    },
    {
      name: 'is too deep',
      schema: Array.from({ length: 200 }).reduce<Json>((inner) => ({ not: inner }), {}),
      value: 1,
      unchecked: 'its schema is not checked: it is nested deeper than 100 levels',
    },
    {
      name: 'leads to what is not a schema',
      schema: { $ref: '#/examples/0', examples: [{ $ref: '#/examples/0' }] },
      value: 1,
      unchecked: 'its schema is not checked: «#/examples/0» is not the place of a schema',
    },
  ])('[S45 X3] one that $name: is not checked there, and says so', ({ schema, value, unchecked }) => {
    expect(checked(schema).unchecked).toEqual([unchecked]);
    expect(misfit(schema, value)).toBeUndefined();
  });

  test('[X3] the rest of a schema is checked where a part of it cannot be', () => {
    const schema = { properties: { a: { pattern: '(?=x)', type: 'string' }, b: { pattern: '^b$' } } };
    expect(misfit(schema, { a: 1, b: 'c' })).toBe('a must be string; b must match pattern "^b$"');
  });

  test.each<[Json, RegExp]>([
    [{ pattern: '(' }, /«\(» is no regular expression/],
    [{ $ref: '#/$defs/missing' }, /«#\/\$defs\/missing» leads nowhere/],
    [{ type: 'wrong' }, /must be equal to one of the allowed values/],
  ])('[X4] %j is none', (schema, fault) => {
    expect(checked(schema).fault).toMatch(fault);
    expect(misfit(schema, {})).toMatch(fault);
  });
});
