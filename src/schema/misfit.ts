import type { Json } from '../run/values.ts';
import { Checking, type Fault } from './checking.ts';
import { readSchema, type Usable } from './read-schema.ts';
import { mostWork, TooMuchWork, withBoundedWork } from './work.ts';

/** A schema of somebody else, read: what is wrong with it, and what of it is not checked. */
export interface Checked {
  /** Why it cannot be used at all. */
  readonly fault?: string;
  /** What of it is not checked, each in words. */
  readonly unchecked: readonly string[];
  /** How a value does not fit, in words a model or a person can act on. */
  misfit(value: Json): string | undefined;
}

const known = new WeakMap<object, Checked>();

/** Nothing of the schema is run as it is: patterns take linear time, all work is counted, and there is an end to it. */
export function checked(schema: Json): Checked {
  const isObject = typeof schema === 'object' && schema !== null;
  const before = isObject ? known.get(schema) : undefined;
  if (before) return before;
  const made = read(schema);
  if (isObject) known.set(schema, made);
  return made;
}

/** How a value does not fit a JSON schema. */
export function misfit(schema: Json, value: Json): string | undefined {
  return checked(schema).misfit(value);
}

function read(given: Json): Checked {
  const reading = readSchema(given);
  if (reading.is === 'broken') {
    const fault = `its schema cannot be used (${reading.fault})`;
    return { fault, unchecked: [], misfit: () => fault };
  }
  const { unchecked } = reading;
  if (reading.is === 'unreadable') return { unchecked, misfit: () => undefined };
  const { schema } = reading;
  return { unchecked, misfit: (value) => misfitOf(schema, value) };
}

function misfitOf(schema: Usable, value: Json): string | undefined {
  try {
    const faults = withBoundedWork(() => new Checking(schema).faults(value));
    return faults.length === 0 ? undefined : [...new Set(faults.map(sentence))].join('; ');
  } catch (thrown) {
    if (thrown instanceof TooMuchWork) return `checking them takes more than ${mostWork} steps`;
    if (thrown instanceof RangeError) return 'they are nested too deeply to be checked';
    throw thrown;
  }
}

function sentence({ at, says }: Fault): string {
  if (at === null) return says;
  return `${at === '' ? 'the whole' : at.slice(1).replaceAll('/', '.')} ${says}`;
}
