// The same verdicts as Ajv gives, which compiles what it checks.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../run/values.ts';
import { seedOf, sized, tell } from '../../test/long.ts';
import { checked, misfit } from './misfit.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });

const names = fc.constantFrom('a', 'b', 'c');
const plain = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, 1, 2, 1.5, -3, '', 'a', 'ab', 'b'),
  fc.constantFrom<Json>([], [1], [1, 1], {}, { a: 1 }),
);
const count = fc.integer({ min: 0, max: 3 });
const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    plain,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { noNullPrototype: true }),
  ),
})).value;

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const assertion: fc.Arbitrary<Record<string, Json>> = fc
  .record(
    {
      type: fc.oneof(fc.constantFrom(...types), fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 })),
      enum: fc.array(value, { minLength: 1, maxLength: 3 }),
      const: value,
      maximum: count,
      minimum: count,
      exclusiveMaximum: count,
      exclusiveMinimum: count,
      multipleOf: fc.constantFrom(1, 2, 0.5),
      maxLength: count,
      minLength: count,
      pattern: fc.constantFrom('^a', 'b$', '^(a|b)*$'),
      maxItems: count,
      minItems: count,
      uniqueItems: fc.boolean(),
      minContains: count,
      maxContains: count,
      maxProperties: count,
      minProperties: count,
      required: fc.uniqueArray(names),
      dependentRequired: fc.dictionary(names, fc.uniqueArray(names), { noNullPrototype: true }),
      $ref: fc.constantFrom('#/$defs/one', '#/$defs/two'),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)));

const one = ['not', 'if', 'then', 'else', 'items', 'contains', 'propertyNames'];
const rest = ['additionalProperties', 'unevaluatedItems', 'unevaluatedProperties'];
const schema: fc.Arbitrary<Json> = fc.letrec<{ schema: Json }>((tie) => {
  const part = tie('schema');
  const byName = fc.dictionary(names, part, { noNullPrototype: true });
  const below = fc.record(
    {
      ...Object.fromEntries([...one, ...rest].map((keyword) => [keyword, part])),
      ...Object.fromEntries(
        ['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => [
          keyword,
          fc.array(part, { minLength: 1, maxLength: 3 }),
        ]),
      ),
      properties: byName,
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'c'), part, { noNullPrototype: true }),
      dependentSchemas: byName,
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const both = fc.tuple(assertion, below).map(([own, inner]) => ({
    ...own,
    ...Object.fromEntries(Object.entries(inner).filter((_, i) => i % 5 === 0)),
  }));
  return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), assertion, both) as fc.Arbitrary<Json> };
}).schema;

const whole = fc
  .tuple(schema, assertion, assertion)
  .filter(([root]) => typeof root === 'object')
  .map(([root, first, second]) => {
    const { $ref: _first, ...one } = first;
    const { $ref: _second, ...two } = second;
    return { ...Object(root), $defs: { one, two } } as Json & object;
  });

/** All of it takes some minutes, on a busy machine half an hour. */
const timeout = 3_600_000;
const seed = seedOf('schemas');

test('[X22] says of any value and any schema what a compiler of schemas says', { timeout }, () => {
  let compared = 0;
  fc.assert(
    fc.property(whole, fc.array(value, { minLength: 1, maxLength: 6 }), (given, values) => {
      fc.pre(checked(given).fault === undefined && checked(given).unchecked.length === 0);
      const validate = ajv.compile(given);
      ajv.removeSchema(given);
      compared += values.length;
      for (const each of values)
        expect({ each, fits: misfit(given, each) === undefined }).toEqual({ each, fits: validate(each) });
    }),
    { numRuns: sized(120, 20_000), seed },
  );
  tell('schemas', { 'values compared': compared });
});

test('[X22] what is no schema for a compiler is none here', { timeout }, () => {
  const odd = fc.oneof(value, schema);
  const keywords = [
    'type',
    'required',
    'items',
    'properties',
    'allOf',
    'minimum',
    'maxLength',
    'uniqueItems',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...keywords, 'multipleOf', 'dependentRequired'), odd, (keyword, given) => {
      const isSchema = ajv.validateSchema({ [keyword]: given }) === true;
      expect(checked({ [keyword]: given }).fault === undefined).toBe(isSchema);
    }),
    { numRuns: sized(120, 20_000), seed },
  );
});
