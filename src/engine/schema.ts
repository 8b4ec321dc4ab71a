import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Json } from '../run/values.ts';

const namedErrors = 5;

/** An Ajv keeps something of every schema it has compiled, also of those it was told to remove: so it is replaced. */
const schemasPerAjv = 100;

let ajv = newAjv();
let compiled = 0;
const validators = new WeakMap<object, ValidateFunction | string>();

/** How a value does not fit a JSON schema, in words a model or a person can act on. */
export function misfit(schema: Json, value: Json): string | undefined {
  const validate = validatorOf(schema);
  if (typeof validate === 'string') return validate;
  if (validate(value)) return undefined;
  return (validate.errors ?? []).slice(0, namedErrors).map(sentence).join('; ');
}

function validatorOf(schema: Json): ValidateFunction | string {
  const isObject = typeof schema === 'object' && schema !== null;
  const known = isObject ? validators.get(schema) : undefined;
  if (known) return known;
  const made = compile(schema);
  if (isObject) validators.set(schema, made);
  return made;
}

function compile(schema: Json): ValidateFunction | string {
  const isObject = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
  // The dialect named need not be one that is installed here.
  const { $schema: _, ...plain } = isObject ? (schema as Readonly<Record<string, Json>>) : {};
  const wanted = isObject ? plain : schema !== false;
  compiled += 1;
  if (compiled % schemasPerAjv === 0) ajv = newAjv();
  try {
    return ajv.compile(wanted);
  } catch (cause) {
    return `its schema cannot be used (${cause instanceof Error ? cause.message : String(cause)})`;
  } finally {
    // Kept by name, the schema of one question would stand in the way of the next, and stay for ever.
    if (typeof wanted === 'object') ajv.removeSchema(wanted);
  }
}

function newAjv(): Ajv2020 {
  return new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
}

function sentence({ instancePath, message, keyword, params }: ErrorObject): string {
  const field = instancePath === '' ? 'the whole' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties')
    return `«${String(params['additionalProperty'])}» is not a known argument`;
  if (keyword === 'enum') return `${field} must be one of ${JSON.stringify(params['allowedValues'])}`;
  return `${field} ${message ?? 'is wrong'}`;
}
