import type { Json } from '../run/values.ts';

type Schema = Readonly<Record<string, Json | undefined>>;

/** A value as a schema describes it, as far as it says how one looks. Whether it fits is to be checked. */
export function exampleOf(given: Json): Json {
  const schema = Object(given) as Schema;
  const { const: only, default: usual, examples, enum: choices } = schema;
  for (const said of [only, usual, firstOf(examples), firstOf(choices)]) if (said !== undefined) return said;
  const inner = firstOf(schema['anyOf']) ?? firstOf(schema['oneOf']) ?? firstOf(schema['allOf']);
  if (inner !== undefined) return exampleOf(inner);
  const { minimum = 1, maximum = Infinity, minLength = 0, maxLength = Infinity, minItems = 1 } = schema;
  const type = firstOf(schema['type']) ?? schema['type'];
  if (type === 'null') return null;
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.min(Math.max(1, Number(minimum)), Number(maximum));
  if (type === 'string') return 'text'.padEnd(Number(minLength), '.').slice(0, Number(maxLength));
  if (type === 'array')
    return Array.from({ length: Number(minItems) }, () => exampleOf(schema['items'] ?? {}));
  return objectOf(schema['properties']);
}

function firstOf(list: Json | undefined): Json | undefined {
  return Array.isArray(list) ? (list[0] as Json | undefined) : undefined;
}

function objectOf(properties: Json | undefined): Json {
  const named = Object.entries(Object(properties ?? {}) as Readonly<Record<string, Json>>);
  return Object.fromEntries(named.map(([name, schema]) => [name, exampleOf(schema)]));
}
