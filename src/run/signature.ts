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
  const writer = new Writer(tool);
  return `[${JSON.stringify(scope)},${JSON.stringify(tool)},${writer.write(input, schemaPlace(schema))}]`;
}

/** A short name for a text: 128 bits of its hash, which is given in hexadecimal. */
export function fingerprintOf(text: string, hash: (text: string) => string): string {
  // Half characters all become the same replacement in UTF-8, and would make different texts equal.
  return hash(text.isWellFormed() ? text : JSON.stringify(text)).slice(0, 32);
}

class Writer {
  readonly #tool: string;
  #depth = 0;
  #defaultDepth = 0;
  #defaults = 0;

  constructor(tool: string) {
    this.#tool = tool;
  }

  write(value: Json, place: SchemaPlace, name = ''): string {
    if (typeof value === 'string') return JSON.stringify(this.#text(value, place, name));
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    this.#depth += 1;
    if (this.#depth > deepest) throw this.#tooLarge(`are nested deeper than ${deepest} levels`);
    const text = isList(value) ? this.#list(value, place, name) : this.#object(value, place);
    this.#depth -= 1;
    return text;
  }

  #text(value: string, place: SchemaPlace, name: string): string {
    if (wordOf(place, 'x-exact') === true) return value;
    const text = value.normalize('NFC').trim();
    const format = wordOf(place, 'format');
    return format === 'path' || (format === undefined && isPathName(name)) ? normalPath(text) : text;
  }

  #list(values: readonly Json[], place: SchemaPlace, name: string): string {
    return `[${values.map((value, i) => this.write(value, itemPlace(place, i), name)).join(',')}]`;
  }

  /** Written as text, never built as an object: two keys may become one, and `__proto__` is a key like any other. */
  #object(value: { readonly [key: string]: Json }, place: SchemaPlace): string {
    const fields = Object.entries(value).map(([key, field]) => this.#field(key, field, place));
    if (this.#defaultDepth < deepestDefault) fields.push(...this.#absent(value, place));
    return `{${fields.toSorted().join(',')}}`;
  }

  #absent(value: { readonly [key: string]: Json }, place: SchemaPlace): string[] {
    const absent = [...defaultsOf(place)].filter(([key]) => !Object.hasOwn(value, key));
    this.#defaults += absent.length;
    if (this.#defaults > mostDefaults) throw this.#tooLarge(`have more than ${mostDefaults} defaults`);
    this.#defaultDepth += 1;
    const fields = absent.map(([key, field]) => this.#field(key, field, place));
    this.#defaultDepth -= 1;
    return fields;
  }

  #field(key: string, value: Json, place: SchemaPlace): string {
    return `${JSON.stringify(key.normalize('NFC'))}:${this.write(value, propertyPlace(place, key), key)}`;
  }

  #tooLarge(what: string): RunError {
    return new RunError('too-large', `The arguments of ${this.#tool} ${what}.`);
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
