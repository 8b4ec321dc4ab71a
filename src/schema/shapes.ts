/** What is wrong with the value of a keyword, in words; nothing if it is as it should be, or if nobody looks at it. */
export function wrongShape(keyword: string, value: unknown): string | undefined {
  const shape = shapes[keyword];
  return !shape || shape.fits(value) ? undefined : `${keyword} must be ${shape.is}`;
}

interface Shape {
  readonly is: string;
  fits(value: unknown): boolean;
}

const isSchema = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value));
const isRecordOf = (value: unknown, fits: (each: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(fits);
const isNames = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((each) => typeof each === 'string') &&
  new Set(value).size === value.length;

const types = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const isType = (value: unknown): boolean => typeof value === 'string' && types.has(value);

const type: Shape = {
  is: 'equal to one of the allowed values',
  fits: (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
};
const text: Shape = { is: 'string', fits: (value) => typeof value === 'string' };
const number: Shape = { is: 'number', fits: (value) => typeof value === 'number' };
const positive: Shape = { is: 'a number > 0', fits: (value) => typeof value === 'number' && value > 0 };
const count: Shape = {
  is: 'an integer >= 0',
  fits: (value) => Number.isInteger(value) && Number(value) >= 0,
};
const flag: Shape = { is: 'boolean', fits: (value) => typeof value === 'boolean' };
const list: Shape = { is: 'array', fits: Array.isArray };
const names: Shape = { is: 'an array of names', fits: isNames };
const schema: Shape = { is: 'object,boolean', fits: isSchema };
const schemas: Shape = {
  is: 'an array of schemas',
  fits: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
};
const byName: Shape = { is: 'an object of schemas', fits: (value) => isRecordOf(value, isSchema) };
const namesByName: Shape = { is: 'an object of names', fits: (value) => isRecordOf(value, isNames) };
const either: Shape = {
  is: 'an object of schemas or names',
  fits: (value) => isRecordOf(value, (each) => isSchema(each) || isNames(each)),
};

const shapes: Readonly<Record<string, Shape>> = Object.assign(Object.create(null) as object, {
  type,
  ...each(text, ['pattern', '$ref', '$anchor', '$dynamicRef', '$recursiveRef']),
  ...each(number, ['maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum']),
  multipleOf: positive,
  ...each(count, ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxContains', 'minContains']),
  ...each(count, ['maxProperties', 'minProperties']),
  uniqueItems: flag,
  enum: list,
  required: names,
  ...each(schema, ['not', 'if', 'then', 'else', 'items', 'contains', 'propertyNames']),
  ...each(schema, ['additionalProperties', 'unevaluatedItems', 'unevaluatedProperties']),
  ...each(schemas, ['allOf', 'anyOf', 'oneOf', 'prefixItems']),
  ...each(byName, ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']),
  dependentRequired: namesByName,
  dependencies: either,
});

function each(shape: Shape, keywords: readonly string[]): Readonly<Record<string, Shape>> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, shape]));
}
