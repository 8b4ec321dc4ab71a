import type { Json } from '../../run/values.ts';

/**
 * Whether a schema may be asked for strictly: every object lists all of its properties as required and allows no other.
 * A back end that knows `strict` refuses any other schema, and one that does not ignores it.
 */
export function isStrict(schema: Json | undefined): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const fields = new Map(Object.entries(schema));
  const [properties, required] = [fields.get('properties') ?? {}, fields.get('required')];
  const names = Object.keys(properties ?? {});
  const isClosed =
    fields.get('additionalProperties') === false &&
    Array.isArray(required) &&
    names.every((name) => required.includes(name));
  const isObject = fields.has('properties') || [fields.get('type')].flat().includes('object');
  return (isClosed || !isObject) && [...fields.values()].every(isStrict);
}
