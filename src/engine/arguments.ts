import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Failure } from '../run/failure.ts';
import type { Json } from '../run/values.ts';
import type { Tool } from '../tools/tool.ts';

/** Arguments larger than this are refused before anyone looks into them. */
const sizeLimit = 262_144;
const namedErrors = 5;

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
const validators = new WeakMap<Tool, ValidateFunction>();

/** Why these arguments do not fit the tool, in words a model can act on. */
export function misfitOf(tool: Tool, input: Json): Failure | undefined {
  const size = JSON.stringify(input).length;
  if (size > sizeLimit) {
    return {
      code: 'too-large',
      message: `The arguments of ${tool.name} have ${size} characters; ${sizeLimit} are allowed.`,
    };
  }
  const validate = validatorOf(tool);
  if (validate(input)) return undefined;
  const errors = (validate.errors ?? []).slice(0, namedErrors).map(sentence).join('; ');
  return {
    code: 'malformed',
    message: `The arguments of ${tool.name} do not fit: ${errors}. Correct them and call again.`,
  };
}

function validatorOf(tool: Tool): ValidateFunction {
  const known = validators.get(tool);
  if (known) return known;
  const { $schema: _, ...schema } = tool.schema as Record<string, Json>;
  const made = ajv.compile(schema);
  validators.set(tool, made);
  return made;
}

function sentence({ instancePath, message, keyword, params }: ErrorObject): string {
  const field = instancePath === '' ? 'the whole' : instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties')
    return `«${String(params['additionalProperty'])}» is not a known argument`;
  if (keyword === 'enum') return `${field} must be one of ${JSON.stringify(params['allowedValues'])}`;
  return `${field} ${message ?? 'is wrong'}`;
}
