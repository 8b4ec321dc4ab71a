import type { Json } from '../run/values.ts';
import { linearPattern, type LinearPattern } from './linear-pattern.ts';
import { wrongShape } from './shapes.ts';

/** A schema of somebody else, as far as it can be used here. */
export type ReadSchema =
  /** `unchecked` says which parts are left out of the check. */
  | { readonly is: 'usable'; readonly schema: Usable; readonly unchecked: readonly string[] }
  /** Too large, or in a form that cannot be checked with bounded work. */
  | { readonly is: 'unreadable'; readonly unchecked: readonly string[] }
  | { readonly is: 'broken'; readonly fault: string };

export type Schema = { readonly [key: string]: unknown };

/** A schema whose parts have their shapes, whose references lead to parts and whose patterns can be run. */
export interface Usable {
  readonly root: Schema | boolean;
  readonly parts: ReadonlyMap<string, Schema>;
  readonly patterns: ReadonlyMap<string, LinearPattern>;
}

const mostParts = 500;
/** Of all its patterns together: to read them takes about as long as they are large. */
const largestPatterns = 5_000;
const deepest = 100;

const single = ['not', 'if', 'then', 'else', 'items', 'contains', 'propertyNames', 'additionalProperties'];
const one: ReadonlySet<string> = new Set([...single, 'unevaluatedItems', 'unevaluatedProperties']);
const listed: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const named: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
/** Where to check less below means to allow less above. */
const contrary: ReadonlySet<string> = new Set(['not', 'if', 'oneOf', 'contains']);
const moving: ReadonlySet<string> = new Set(['$dynamicRef', '$recursiveRef']);

/** Read a schema whole, without running anything of it. */
export function readSchema(schema: Json): ReadSchema {
  if (!isSchema(schema)) return usable({ root: schema !== false, parts: new Map(), patterns: new Map() });
  const reading = new Reading(schema);
  try {
    return reading.whole();
  } catch (thrown) {
    if (thrown instanceof Unreadable)
      return { is: 'unreadable', unchecked: [`its schema is not checked: ${thrown.message}`] };
    if (thrown instanceof Broken) return { is: 'broken', fault: thrown.message };
    throw thrown;
  }
}

function usable(schema: Usable, unchecked: readonly string[] = []): ReadSchema {
  return { is: 'usable', schema, unchecked };
}

class Unreadable extends Error {}
class Broken extends Error {}

class Reading {
  readonly #root: Schema;
  readonly #places = new Map<string, Schema>();
  readonly #patterns = new Map<string, LinearPattern>();
  readonly #refs: string[] = [];
  readonly #unchecked: string[] = [];
  #isContrary = false;
  #patternSize = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  whole(): ReadSchema {
    const root = this.#part(this.#root, '#', 0);
    const parts = new Map(this.#refs.map((ref) => [ref, this.#partAt(ref)]));
    if (this.#isContrary && this.#unchecked.length > 0)
      throw new Unreadable(`${this.#unchecked.join('; ')}, and what follows from it is unknown`);
    return usable({ root, parts, patterns: this.#patterns }, this.#unchecked);
  }

  #part(schema: Schema, place: string, depth: number): Schema {
    if (depth > deepest) throw new Unreadable(`it is nested deeper than ${deepest} levels`);
    const copy: Record<string, unknown> = {};
    this.#places.set(place, copy);
    if (this.#places.size > mostParts) throw new Unreadable(`it has more than ${mostParts} parts`);
    if (typeof schema['$anchor'] === 'string') this.#places.set(`#${schema['$anchor']}`, copy);
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$schema' || (key === '$id' && depth === 0)) continue;
      const wrong = wrongShape(key, value);
      if (wrong !== undefined) throw new Broken(`${place.slice(1)} ${wrong}`.trim());
      if (key === 'pattern' && !this.#isReadable(value, place)) continue;
      if (contrary.has(key)) this.#isContrary = true;
      this.#noteNames(key, value);
      copy[key] = this.#inside(key, value, { place: `${place}/${escaped(key)}`, depth: depth + 1 });
    }
    return copy;
  }

  #noteNames(key: string, value: unknown): void {
    if (moving.has(key)) throw new Unreadable(`it uses «${key}»`);
    if (typeof value !== 'string') return;
    if (key === '$id') throw new Unreadable('a part of it has an «$id» of its own');
    if (key === '$ref') this.#refs.push(value);
  }

  #inside(key: string, value: unknown, { place, depth }: { place: string; depth: number }): unknown {
    if (one.has(key) && isSchema(value)) return this.#part(value, place, depth);
    if (listed.has(key) && Array.isArray(value))
      return value.map((each: unknown, i) =>
        isSchema(each) ? this.#part(each, `${place}/${i}`, depth) : each,
      );
    if (!named.has(key) || !isSchema(value)) return value;
    const parts: [string, unknown][] = Object.entries(value).map(([name, each]) => {
      // A name that cannot be told is taken to be described: «no others» must not refuse it.
      if (key === 'patternProperties' && !this.#isReadable(name, place)) {
        this.#isReadable('', place);
        return ['', true];
      }
      return [name, isSchema(each) ? this.#part(each, `${place}/${escaped(name)}`, depth) : each];
    });
    return Object.fromEntries(parts);
  }

  #isReadable(pattern: unknown, place: string): boolean {
    if (typeof pattern !== 'string' || this.#patterns.has(pattern)) return true;
    const read = linearPattern(pattern);
    this.#patternSize += read?.size ?? pattern.length;
    if (this.#patternSize > largestPatterns) throw new Unreadable('its patterns are too large together');
    if (read) {
      this.#patterns.set(pattern, read);
      return true;
    }
    if (!isExpression(pattern)) throw new Broken(`«${shortened(pattern)}» is no regular expression`);
    this.#unchecked.push(`the pattern «${shortened(pattern)}» at ${place} cannot be read here`);
    return false;
  }

  /** A reference may lead anywhere in a document, but only the parts that were read are checked. */
  #partAt(ref: string): Schema {
    const part = this.#places.get(decoded(ref));
    if (part) return part;
    if (isThere(this.#root, ref)) throw new Unreadable(`«${shortened(ref)}» is not the place of a schema`);
    throw new Broken(`«${shortened(ref)}» leads nowhere`);
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Compiled and never run. */
function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function decoded(ref: string): string {
  try {
    return decodeURIComponent(ref);
  } catch {
    return ref;
  }
}

function isThere(root: Schema, ref: string): boolean {
  if (!ref.startsWith('#/')) return false;
  let value: unknown = root;
  for (const name of decoded(ref).slice(2).split('/')) {
    if (typeof value !== 'object' || value === null) return false;
    value = Reflect.get(value, name.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return value !== undefined;
}

function shortened(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text;
}
