import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from '../run/values.ts';
import { linearPattern, type LinearPattern } from './linear-pattern.ts';
import { readSchema, workKeyword, type Schema } from './read-schema.ts';
import { mostWork, spend, TooMuchWork, withBoundedWork } from './work.ts';
import { workOf } from './work-of.ts';

const namedErrors = 5;

/** An Ajv keeps something of every schema it has compiled, also of those it was told to remove: so it is replaced. */
const schemasPerAjv = 100;

let ajv = newAjv();
let compiled = 0;

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
  if (reading.is === 'broken') return broken(reading.fault);
  const { unchecked } = reading;
  if (reading.is === 'unreadable') return { unchecked, misfit: () => undefined };
  const { schema } = reading;
  if (!withBoundedWork(() => ajv.validateSchema(schema)))
    return broken(ajv.errorsText(ajv.errors?.slice(0, 1)));
  let validate: ValidateFunction | string | undefined;
  return {
    unchecked,
    misfit(value) {
      // Not before it is needed: a server may list a thousand, and each takes a while.
      validate ??= compile(schema);
      return typeof validate === 'string' ? validate : misfitBy(validate, value);
    },
  };
}

function broken(fault: string): Checked {
  const sentence = `its schema cannot be used (${fault})`;
  return { fault: sentence, unchecked: [], misfit: () => sentence };
}

function misfitBy(validate: ValidateFunction, value: Json): string | undefined {
  try {
    if (withBoundedWork(() => validate(value))) return undefined;
  } catch (thrown) {
    if (thrown instanceof TooMuchWork) return `checking them takes more than ${mostWork} steps`;
    if (thrown instanceof RangeError) return 'they are nested too deeply to be checked';
    throw thrown;
  }
  return (validate.errors ?? []).slice(0, namedErrors).map(sentence).join('; ');
}

function compile(schema: Schema | boolean): ValidateFunction | string {
  compiled += 1;
  if (compiled % schemasPerAjv === 0) ajv = newAjv();
  try {
    return ajv.compile(schema);
  } catch (cause) {
    return `its schema cannot be used (${cause instanceof Error ? cause.message : String(cause)})`;
  } finally {
    // Kept by name, the schema of one question would stand in the way of the next, and stay for ever.
    if (typeof schema === 'object') ajv.removeSchema(schema);
  }
}

function newAjv(): Ajv2020 {
  const made = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
    // Copied to each place that names it, a part would make the compiled code grow without bound.
    inlineRefs: false,
    code: { regExp: Object.assign(patternFor, { code: 'patternFor' }) },
  });
  const validate = (_: unknown, value: unknown, part?: object): boolean => {
    spend(workOf(part ?? {}, value));
    return true;
  };
  made.addKeyword({ keyword: workKeyword, before: '$ref', errors: false, validate });
  return made;
}

/** Those it cannot read were left out when the schema was read. */
function patternFor(pattern: string): LinearPattern {
  const read = linearPattern(pattern);
  if (!read) throw new Error(`the pattern «${pattern}» cannot be read`);
  return read;
}

function sentence({ instancePath, message, keyword, params }: ErrorObject): string {
  const field = instancePath === '' ? 'the whole' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties')
    return `«${String(params['additionalProperty'])}» is not a known argument`;
  if (keyword === 'enum') return `${field} must be one of ${JSON.stringify(params['allowedValues'])}`;
  return `${field} ${message ?? 'is wrong'}`;
}
