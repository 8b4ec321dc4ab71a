import type { Json } from '../run/values.ts';
import { linearPattern } from './linear-pattern.ts';

/** A schema of somebody else, as far as it can be used here. */
export type ReadSchema =
  /** `unchecked` says which parts are left out of the check. */
  | { readonly is: 'usable'; readonly schema: Schema | boolean; readonly unchecked: readonly string[] }
  /** Too large, or in a form that cannot be checked with bounded work. */
  | { readonly is: 'unreadable'; readonly unchecked: readonly string[] }
  | { readonly is: 'broken'; readonly fault: string };

export type Schema = { readonly [key: string]: unknown };

/** The keyword that stands in every part of a schema that was read, and counts the work. */
export const workKeyword = 'vitrine-work';

const mostParts = 500;
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
  if (!isSchema(schema)) return { is: 'usable', schema: schema !== false, unchecked: [] };
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

class Unreadable extends Error {}
class Broken extends Error {}

class Reading {
  readonly #root: Schema;
  readonly #places = new Set<string>();
  readonly #refs: string[] = [];
  readonly #unchecked: string[] = [];
  #isContrary = false;

  constructor(root: Schema) {
    this.#root = root;
  }

  whole(): ReadSchema {
    const schema = this.#part(this.#root, '#', 0);
    for (const ref of this.#refs) this.#expectKnown(ref);
    if (this.#isContrary && this.#unchecked.length > 0)
      throw new Unreadable(`${this.#unchecked.join('; ')}, and what follows from it is unknown`);
    return { is: 'usable', schema, unchecked: this.#unchecked };
  }

  #part(schema: Schema, place: string, depth: number): Schema {
    if (depth > deepest) throw new Unreadable(`it is nested deeper than ${deepest} levels`);
    this.#places.add(place);
    if (this.#places.size > mostParts) throw new Unreadable(`it has more than ${mostParts} parts`);
    const copy: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$schema' || (key === '$id' && depth === 0)) continue;
      if (key === 'pattern' && !this.#isReadable(value, place)) continue;
      if (contrary.has(key)) this.#isContrary = true;
      this.#noteNames(key, value);
      copy[key] = this.#inside(key, value, { place: `${place}/${escaped(key)}`, depth: depth + 1 });
    }
    copy[workKeyword] = true;
    return copy;
  }

  #noteNames(key: string, value: unknown): void {
    if (moving.has(key)) throw new Unreadable(`it uses «${key}»`);
    if (typeof value !== 'string') return;
    if (key === '$id') throw new Unreadable('a part of it has an «$id» of its own');
    if (key === '$ref') this.#refs.push(value);
    if (key === '$anchor') this.#places.add(`#${value}`);
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
      if (key === 'patternProperties' && !this.#isReadable(name, place)) return ['', true];
      return [name, isSchema(each) ? this.#part(each, `${place}/${escaped(name)}`, depth) : each];
    });
    return Object.fromEntries(parts);
  }

  #isReadable(pattern: unknown, place: string): boolean {
    if (typeof pattern !== 'string' || linearPattern(pattern)) return true;
    if (!isExpression(pattern)) throw new Broken(`«${shortened(pattern)}» is no regular expression`);
    this.#unchecked.push(`the pattern «${shortened(pattern)}» at ${place} cannot be read here`);
    return false;
  }

  /** A reference may lead anywhere in a document; work is counted only in the parts that were read. */
  #expectKnown(ref: string): void {
    if (this.#places.has(decoded(ref))) return;
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
