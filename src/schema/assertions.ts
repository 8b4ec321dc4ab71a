import type { Json } from '../run/values.ts';
import type { Schema } from './read-schema.ts';

/** What one keyword says against a value, apart from what lies below either; nothing if it says nothing. */
type Assertion = (limit: never, value: Json, part: Schema) => string | undefined;

/** Characters of the choices that are named. */
const longest = 1_000;

/** In the order in which a person would want to hear of them. Their limits have the shapes that were expected. */
export const assertions: Readonly<Record<string, Assertion>> = {
  type: (types: string | readonly string[], value, { nullable }) => {
    const allowed = typeof types === 'string' ? [types] : types;
    if (allowed.some((type) => isOf(type, value)) || (nullable === true && value === null)) return undefined;
    return `must be ${allowed.join(',')}`;
  },
  maximum: numeric((value, limit) => value <= limit, '<='),
  minimum: numeric((value, limit) => value >= limit, '>='),
  exclusiveMaximum: numeric((value, limit) => value < limit, '<'),
  exclusiveMinimum: numeric((value, limit) => value > limit, '>'),
  multipleOf: numeric((value, limit) => Number.isInteger(value / limit), 'multiple of'),
  maxLength: most('characters', (value) => (typeof value === 'string' ? characters(value) : undefined)),
  minLength: fewest('characters', (value) => (typeof value === 'string' ? characters(value) : undefined)),
  enum: (choices: readonly Json[], value) => {
    if (choices.some((choice) => isSame(choice, value))) return undefined;
    const named = JSON.stringify(choices);
    return `must be one of ${named.length > longest ? `${named.slice(0, longest)}…` : named}`;
  },
  const: (only: Json, value) => (isSame(only, value) ? undefined : 'must be equal to constant'),
  maxItems: most('items', (value) => (Array.isArray(value) ? value.length : undefined)),
  minItems: fewest('items', (value) => (Array.isArray(value) ? value.length : undefined)),
  uniqueItems: (isWanted: boolean, value) => {
    if (!isWanted || !Array.isArray(value)) return undefined;
    return new Set(value.map(spelled)).size === value.length ? undefined : 'must NOT have duplicate items';
  },
  maxProperties: most('properties', (value) => (isRecord(value) ? Object.keys(value).length : undefined)),
  minProperties: fewest('properties', (value) => (isRecord(value) ? Object.keys(value).length : undefined)),
};

function isOf(type: string, value: Json): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value);
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

export function isRecord(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numeric(fits: (value: number, limit: number) => boolean, sign: string): Assertion {
  return (limit: number, value) =>
    typeof value !== 'number' || fits(value, limit) ? undefined : `must be ${sign} ${limit}`;
}

function most(what: string, count: (value: Json) => number | undefined): Assertion {
  return (limit: number, value) =>
    (count(value) ?? 0) > limit ? `must NOT have more than ${limit} ${what}` : undefined;
}

function fewest(what: string, count: (value: Json) => number | undefined): Assertion {
  return (limit: number, value) =>
    (count(value) ?? limit) < limit ? `must NOT have fewer than ${limit} ${what}` : undefined;
}

/** As people count them: a pair of surrogates is one. */
function characters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i += 1)
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) count -= 1;
  return count;
}

function isSame(one: Json, other: Json): boolean {
  if (typeof one !== 'object' || one === null) return one === other;
  return typeof other === 'object' && other !== null && spelled(one) === spelled(other);
}

/** One spelling for all values that are the same. */
function spelled(value: Json): string {
  // Zero has a sign in JavaScript and none in JSON.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value === 0 ? 0 : value);
  if (Array.isArray(value)) return `[${value.map(spelled).join(',')}]`;
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${spelled(field)}`);
  return `{${fields.toSorted().join(',')}}`;
}
