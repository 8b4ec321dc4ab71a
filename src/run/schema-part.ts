import type { Json } from './values.ts';

type JsonObject = { readonly [key: string]: Json };

/** A JSON Schema as far as signatures need it: what stands at a place, in one or more parts that all apply. */
export interface SchemaPlace {
  /** The property this is the schema of, or of whose list it is. */
  readonly name: string;
  readonly root: Json;
  readonly parts: readonly JsonObject[];
}

/** Schemas may refer to themselves, so following stops somewhere. */
const longestTrail = 16;

export function schemaPlace(schema: Json | undefined): SchemaPlace {
  const root = schema ?? true;
  return { name: '', root, parts: partsOf(root, root, 0) };
}

/** The schema of a property; nothing is known of it if the schema does not name it. */
export function propertyPlace({ root, parts }: SchemaPlace, name: string): SchemaPlace {
  const found = parts.flatMap(({ properties }) => own(properties, name) ?? []);
  return { name, root, parts: found.flatMap((schema) => partsOf(schema, root, 0)) };
}

export function itemPlace({ name, root, parts }: SchemaPlace, index: number): SchemaPlace {
  const found = parts.flatMap(({ prefixItems, items }) => {
    const positional = Array.isArray(prefixItems) ? (prefixItems as readonly Json[])[index] : undefined;
    return positional ?? items ?? [];
  });
  return { name, root, parts: found.flatMap((schema) => partsOf(schema, root, 0)) };
}

/** Properties with a default, by name. */
export function defaultsOf(place: SchemaPlace): ReadonlyMap<string, Json> {
  const defaults = new Map<string, Json>();
  for (const { properties } of place.parts) {
    for (const name of isObject(properties) ? Object.keys(properties) : []) {
      const value = wordOf(propertyPlace(place, name), 'default');
      if (value !== undefined && !defaults.has(name)) defaults.set(name, value);
    }
  }
  return defaults;
}

/** What a keyword says at this place, in the first part that has it. */
export function wordOf({ parts }: SchemaPlace, keyword: string): Json | undefined {
  return parts.map((part) => own(part, keyword)).find((value) => value !== undefined);
}

/** A schema and what it includes: references, all of `allOf`, and the one real alternative of a nullable type. */
function partsOf(schema: Json, root: Json, trail: number): JsonObject[] {
  if (!isObject(schema) || trail > longestTrail) return [];
  const { $ref, allOf, anyOf, oneOf } = schema;
  if (($ref ?? allOf ?? anyOf ?? oneOf) === undefined) return [schema];
  const referred = typeof $ref === 'string' ? [lookUp($ref, root)] : [];
  const alternatives = [...listOf(anyOf), ...listOf(oneOf)].filter((one) => !isNullSchema(one));
  const included = [...referred, ...listOf(allOf), ...(alternatives.length === 1 ? alternatives : [])];
  return [schema, ...included.flatMap((one) => partsOf(one, root, trail + 1))];
}

function isNullSchema(schema: Json): boolean {
  return isObject(schema) && (schema['type'] === 'null' || schema['const'] === null);
}

/** References inside the same schema; those to elsewhere say nothing here. */
function lookUp(reference: string, root: Json): Json {
  if (!reference.startsWith('#')) return true;
  let place: Json | undefined = root;
  for (const token of reference.slice(1).split('/').slice(1)) {
    place = own(place, token.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return place ?? true;
}

function own(value: Json | undefined, name: string): Json | undefined {
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
