import type { Json } from '../run/values.ts';
import { assertions, isRecord } from './assertions.ts';
import { Evaluated } from './evaluated.ts';
import type { Schema, Usable } from './read-schema.ts';
import { spend } from './work.ts';
import { workOf } from './work-of.ts';

/** What does not fit, and where below the value that was looked at: `/a/0`. */
export interface Fault {
  /** Nothing where the sentence is whole without it. */
  readonly at: string | null;
  readonly says: string;
}

/** As many are told as somebody reads. */
const most = 5;

/** What each part asserts: found once, not for each value. */
const asserted = new WeakMap<Schema, readonly Rule[]>();
type Rule = (value: Json) => string | undefined;

/**
 * Holds one value against a schema, part by part, as the schema says it: nothing is compiled, so reading a schema costs
 * nothing that grows faster than the schema. A part is held against a value once, however many references lead to it.
 */
export class Checking {
  readonly #schema: Usable;
  readonly #known = new Map<Schema, Map<unknown, Held | undefined>>();

  constructor(schema: Usable) {
    this.#schema = schema;
  }

  /** Throws `TooMuchWork` where there would be no end to it, and `RangeError` where it is nested too deeply. */
  faults(value: Json): readonly Fault[] {
    return this.hold(this.#schema.root, value).faults;
  }

  /** What a part says of a value. */
  hold(part: unknown, value: Json): Held {
    if (part === false) return new Held([{ at: '', says: 'boolean schema is false' }]);
    if (typeof part !== 'object' || part === null) return new Held();
    // What was read is a schema wherever one may stand.
    const schema = part as Schema;
    const known = this.#known.get(schema) ?? new Map<unknown, Held | undefined>();
    this.#known.set(schema, known);
    spend(1);
    if (known.has(value)) {
      const held = known.get(value);
      if (!held) throw new RangeError('a part of a schema refers to itself');
      return held;
    }
    known.set(value, undefined);
    spend(workOf(schema, value));
    const held = new Held();
    this.#holdAll(schema, value, held);
    known.set(value, held);
    return held;
  }

  #holdAll(part: Schema, value: Json, held: Held): void {
    if (typeof part['$ref'] === 'string') held.adopt(this.hold(this.#schema.parts.get(part['$ref']), value));
    for (const rule of rulesOf(part)) held.say(rule(value));
    if (typeof part['pattern'] === 'string' && typeof value === 'string')
      this.#match(part['pattern'], value, held);
    this.#combine(part, value, held);
    if (Array.isArray(value)) this.#holdItems(part, value, held);
    else if (isRecord(value)) this.#holdFields(part, value, held);
  }

  #match(pattern: string, text: string, held: Held): void {
    if (this.#schema.patterns.get(pattern)?.test(text) === false) held.say(`must match pattern "${pattern}"`);
  }

  #combine(part: Schema, value: Json, held: Held): void {
    for (const each of listIn(part, 'allOf')) held.adopt(this.hold(each, value));
    const any = listIn(part, 'anyOf').map((each) => this.hold(each, value));
    if (any.length > 0 && !held.adoptFitting(any)) held.refuse(any, 'must match a schema in anyOf');
    const one = listIn(part, 'oneOf').map((each) => this.hold(each, value));
    if (one.length > 0 && held.adoptFitting(one) !== 1)
      held.refuse(one, 'must match exactly one schema in oneOf');
    if (part['not'] !== undefined && this.hold(part['not'], value).fits) held.say('must NOT be valid');
    if (part['if'] === undefined) return;
    const condition = this.hold(part['if'], value);
    if (condition.fits) held.adopt(condition);
    const branch = condition.fits ? 'then' : 'else';
    const then = this.hold(part[branch], value);
    held.adopt(then);
    if (!then.fits) held.say(`must match "${branch}" schema`);
  }

  #holdItems(part: Schema, items: readonly Json[], held: Held): void {
    const first = listIn(part, 'prefixItems');
    for (const [i, each] of first.slice(0, items.length).entries())
      held.adoptBelow(this.hold(each, items[i] ?? null), `/${i}`);
    held.evaluated.itemsBefore(Math.min(first.length, items.length));
    if (part['items'] === false && items.length > first.length)
      held.say(`must NOT have more than ${first.length} items`);
    else if (part['items'] !== undefined) {
      for (let i = first.length; i < items.length; i += 1)
        held.adoptBelow(this.hold(part['items'], items[i] ?? null), `/${i}`);
      held.evaluated.itemsBefore(items.length);
    }
    if (part['contains'] !== undefined) this.#contain(part, items, held);
    const rest = part['unevaluatedItems'];
    if (rest === undefined) return;
    const isRefused = rest === false && items.some((_, i) => !held.evaluated.hasItem(i));
    if (isRefused) held.say('must NOT have unevaluated items');
    else
      for (const [i, item] of items.entries())
        if (!held.evaluated.hasItem(i)) held.adoptBelow(this.hold(rest, item), `/${i}`);
    held.evaluated.itemsBefore(items.length);
  }

  #contain(part: Schema, items: readonly Json[], held: Held): void {
    const least = typeof part['minContains'] === 'number' ? part['minContains'] : 1;
    const largest = typeof part['maxContains'] === 'number' ? part['maxContains'] : Infinity;
    const found = items.flatMap((item, i) => (this.hold(part['contains'], item).fits ? [i] : []));
    for (const i of found) held.evaluated.item(i);
    if (found.length >= least && found.length <= largest) return;
    const upTo = largest === Infinity ? '' : ` and no more than ${largest}`;
    held.say(`must contain at least ${least}${upTo} valid item(s)`);
  }

  #holdFields(part: Schema, value: Fields, held: Held): void {
    const has = (name: string): boolean => Object.hasOwn(value, name);
    for (const name of listIn(part, 'required'))
      if (!has(String(name))) held.say(`must have required property '${String(name)}'`);
    for (const [name, needed] of [
      ...fieldsIn(part, 'dependentRequired'),
      ...fieldsIn(part, 'dependencies'),
    ]) {
      if (!has(name) || !Array.isArray(needed)) continue;
      const missing = needed.filter((each) => !has(String(each)));
      const what = `${needed.length > 1 ? 'properties' : 'property'} ${needed.join(', ')}`;
      if (missing.length > 0) held.say(`must have ${what} when property ${name} is present`);
    }
    for (const [name, each] of [...fieldsIn(part, 'dependentSchemas'), ...fieldsIn(part, 'dependencies')])
      if (has(name) && !Array.isArray(each)) held.adopt(this.hold(each, value));
    if (part['propertyNames'] !== undefined)
      for (const name of Object.keys(value)) {
        const named = this.hold(part['propertyNames'], name);
        if (!named.fits) held.refuse([named], 'property name must be valid');
      }
    this.#holdNamed(part, value, held);
  }

  #holdNamed(part: Schema, value: Fields, held: Held): void {
    const own = (part['properties'] ?? {}) as Schema;
    const patterns = fieldsIn(part, 'patternProperties');
    const others = part['additionalProperties'];
    for (const [name, field] of Object.entries(value)) {
      const described = [
        ...(Object.hasOwn(own, name) ? [own[name]] : []),
        ...patterns.filter(([each]) => this.#schema.patterns.get(each)?.test(name)).map(([, each]) => each),
      ];
      for (const each of described) held.adoptBelow(this.hold(each, field), `/${name}`);
      if (described.length > 0 || others !== undefined) held.evaluated.name(name);
      if (described.length > 0 || others === undefined) continue;
      if (others === false) held.say(`«${name}» is not a known argument`, null);
      else held.adoptBelow(this.hold(others, field), `/${name}`);
    }
    const rest = part['unevaluatedProperties'];
    if (rest === undefined) return;
    for (const [name, field] of Object.entries(value)) {
      if (held.evaluated.hasName(name)) continue;
      held.evaluated.name(name);
      if (rest === false) held.say('must NOT have unevaluated properties');
      else held.adoptBelow(this.hold(rest, field), `/${name}`);
    }
  }
}

type Fields = Readonly<Record<string, Json>>;

/** How a value fits one part, and what of it that part has described. */
class Held {
  readonly faults: Fault[];
  #evaluated: Evaluated | undefined;

  constructor(faults: Fault[] = []) {
    this.faults = faults;
  }

  get evaluated(): Evaluated {
    return (this.#evaluated ??= new Evaluated());
  }

  get fits(): boolean {
    return this.faults.length === 0;
  }

  say(says: string | undefined, at: string | null = ''): void {
    if (says !== undefined && this.faults.length < most) this.faults.push({ at, says });
  }

  /** What another part says of the same value. */
  adopt(other: Held): void {
    for (const { says, at } of other.faults) this.say(says, at);
    if (other.fits && other.#evaluated) this.evaluated.add(other.#evaluated);
  }

  /** What a part says of a value below. */
  adoptBelow(other: Held, place: string): void {
    for (const { says, at } of other.faults) this.say(says, at === null ? null : place + at);
  }

  /** How many of them fit. */
  adoptFitting(others: readonly Held[]): number {
    const fitting = others.filter(({ fits }) => fits);
    for (const each of fitting) this.adopt(each);
    return fitting.length;
  }

  /** Why each of them does not fit, and what follows. */
  refuse(others: readonly Held[], says: string): void {
    for (const other of others) for (const fault of other.faults) this.say(fault.says, fault.at);
    this.say(says);
  }
}

function rulesOf(part: Schema): readonly Rule[] {
  const before = asserted.get(part);
  if (before) return before;
  const rules = Object.entries(assertions).flatMap(([keyword, assertion]): Rule[] => {
    const limit = part[keyword];
    return limit === undefined ? [] : [(value) => assertion(limit as never, value, part)];
  });
  asserted.set(part, rules);
  return rules;
}

function listIn(part: Schema, keyword: string): readonly unknown[] {
  const value = part[keyword];
  return Array.isArray(value) ? value : [];
}

function fieldsIn(part: Schema, keyword: string): readonly [string, unknown][] {
  const value = part[keyword];
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
