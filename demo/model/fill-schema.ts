import { field, isObject, list, type Json } from './json.ts';

/** Gives a value for a property, or nothing if it does not know one. */
export type Giver = (name: string, schema: Json) => Json | undefined;

/** A value that fits a JSON schema, made of what `give` knows and the plainest values for the rest. */
export function fillSchema(schema: Json, give: Giver): Json {
  return fill({ root: schema, give }, '', schema);
}

interface Filling {
  readonly root: Json;
  readonly give: Giver;
}

function fill(filling: Filling, name: string, given: Json): Json {
  const schema = resolved(filling.root, given);
  const known = filling.give(name, schema);
  if (known !== undefined) return known;
  const fixed = field(schema, 'const') ?? field(schema, 'default') ?? list(schema, 'enum')[0];
  if (fixed !== undefined) return fixed;
  const choices = [...list(schema, 'anyOf'), ...list(schema, 'oneOf')];
  if (choices.length > 0) return choices.some(isNull) ? null : fill(filling, name, choices[0] ?? {});
  return plainest(filling, name, schema);
}

function plainest(filling: Filling, name: string, schema: Json): Json {
  switch (typeOf(schema)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties(schema))
          .filter(([key]) => list(schema, 'required').includes(key) || filling.give(key, {}) !== undefined)
          .map(([key, part]) => [key, fill(filling, key, part)]),
      );
    case 'array': {
      const least = field(schema, 'minItems');
      const items = field(schema, 'items') ?? {};
      return Array.from({ length: typeof least === 'number' ? least : 0 }, () => fill(filling, name, items));
    }
    case 'number':
    case 'integer':
      return field(schema, 'minimum') ?? 0;
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return '';
  }
}

/** The first type it may have; `null` if it may be that, since nothing better is known. */
function typeOf(schema: Json): string {
  const type = field(schema, 'type');
  if (Array.isArray(type)) return type.includes('null') ? 'null' : String(type[0]);
  if (typeof type === 'string') return type;
  return field(schema, 'properties') === undefined ? 'string' : 'object';
}

export function properties(schema: Json): { readonly [key: string]: Json } {
  const found = field(schema, 'properties');
  return isObject(found) ? found : {};
}

function isNull(schema: Json): boolean {
  return typeOf(schema) === 'null';
}

function resolved(root: Json, schema: Json): Json {
  const reference = field(schema, '$ref');
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
  const target = reference
    .slice(2)
    .split('/')
    .reduce<Json | undefined>((part, key) => field(part, key), root);
  return target ?? {};
}
