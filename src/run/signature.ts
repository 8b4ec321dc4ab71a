import { RunError } from './failure.ts';
import { isPathName, normalPath } from './path-value.ts';
import {
  defaultsOf,
  itemPlace,
  propertyPlace,
  schemaPlace,
  wordOf,
  type SchemaPlace,
} from './schema-part.ts';
import type { Json } from './values.ts';

export interface SignedCall {
  readonly tool: string;
  readonly arguments: Json;
  /** JSON Schema of the arguments: what is absent counts as its default. */
  readonly schema?: Json;
  /** Whose call it is, such as tenant and run: calls of different scopes are never the same call. */
  readonly scope?: readonly string[];
}

const deepest = 500;
/** Defaults may bring defaults of their own: a schema that contains itself would never end, a wide one nearly so. */
const deepestDefault = 8;
const mostDefaults = 10_000;

/**
 * A tool call in its canonical form: two spellings of one call have one signature, and a model cannot repeat itself by
 * spelling differently. The order of keys, surrounding whitespace, composed and decomposed characters and spellings of a
 * path do not count; inner whitespace, case, invisible characters and `null` against absent do. A property whose schema
 * says `"x-exact": true` is compared as it is.
 */
export function signatureOf({ tool, arguments: input, schema, scope = [] }: SignedCall): string {
  const written = write({ tool, depth: 0, defaults: 0, defaultDepth: 0 }, input, schemaPlace(schema));
  return `[${JSON.stringify(scope)},${JSON.stringify(tool)},${written}]`;
}

/** A short name for a text: 128 bits of its hash, which is given in hexadecimal. */
export function fingerprintOf(text: string, hash: (text: string) => string): string {
  // Half characters all become the same replacement in UTF-8, and would make different texts equal.
  return hash(text.isWellFormed() ? text : JSON.stringify(text)).slice(0, 32);
}

interface Writing {
  readonly tool: string;
  depth: number;
  defaults: number;
  defaultDepth: number;
}

type JsonObject = { readonly [key: string]: Json };

function write(writing: Writing, value: Json, place: SchemaPlace): string {
  if (typeof value === 'string') return JSON.stringify(textOf(value, place));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  writing.depth += 1;
  if (writing.depth > deepest) throw tooLarge(writing, `are nested deeper than ${deepest} levels`);
  const written = isList(value)
    ? `[${value.map((item, i) => write(writing, item, itemPlace(place, i))).join(',')}]`
    : `{${fieldsOf(writing, value, place).toSorted().join(',')}}`;
  writing.depth -= 1;
  return written;
}

function textOf(value: string, place: SchemaPlace): string {
  if (wordOf(place, 'x-exact') === true) return value;
  const text = value.normalize('NFC').trim();
  const format = wordOf(place, 'format');
  return format === 'path' || (format === undefined && isPathName(place.name)) ? normalPath(text) : text;
}

/** Written as text, never built as an object: two keys may become one, and `__proto__` is a key like any other. */
function fieldsOf(writing: Writing, value: JsonObject, place: SchemaPlace): string[] {
  const field = ([key, inner]: readonly [string, Json]) =>
    `${JSON.stringify(key.normalize('NFC'))}:${write(writing, inner, propertyPlace(place, key))}`;
  const fields = Object.entries(value).map(field);
  if (writing.defaultDepth >= deepestDefault) return fields;
  const absent = [...defaultsOf(place)].filter(([key]) => !Object.hasOwn(value, key));
  writing.defaults += absent.length;
  if (writing.defaults > mostDefaults) throw tooLarge(writing, `have more than ${mostDefaults} defaults`);
  writing.defaultDepth += 1;
  fields.push(...absent.map(field));
  writing.defaultDepth -= 1;
  return fields;
}

function tooLarge({ tool }: Writing, what: string): RunError {
  return new RunError('too-large', `The arguments of ${tool} ${what}.`);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
