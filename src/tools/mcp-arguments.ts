import type { Tool as Definition } from '@modelcontextprotocol/client';
import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { RunError } from '../run/failure.ts';
import { Json } from '../run/values.ts';

/** The schema of a server's tool, as far as we can use it. */
export interface Arguments {
  readonly schema: Json;
  /** Throws `malformed` if the input does not fit; `tool` is for the sentence. */
  check(tool: string, input: Json): Record<string, unknown>;
}

const namedErrors = 5;
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false });

/** Nothing if the schema is none: a model could not use the tool, and nobody could check what it sends. */
export function argumentsOf(definition: Definition): Arguments | undefined {
  // Both name the schema for others, and two servers may well use the same name.
  const { $schema: _dialect, $id: _id, ...schema } = definition.inputSchema;
  const validate = compile(schema);
  if (validate === undefined) return undefined;
  return {
    schema: Json.parse(schema),
    check(tool, input) {
      if (validate(input)) return input;
      const errors = (validate.errors ?? []).slice(0, namedErrors).map(sentence).join('; ');
      throw new RunError('malformed', `The arguments of ${tool} do not fit: ${errors}.`);
    },
  };
}

function compile(schema: AnySchemaObject): ValidateFunction<Record<string, unknown>> | undefined {
  try {
    return ajv.compile(schema);
  } catch {
    // A broken pattern, a reference to nothing, a dialect of its own: the reason is the server's affair.
    return undefined;
  } finally {
    ajv.removeSchema(schema);
  }
}

function sentence({ instancePath, message = 'is wrong', keyword, params }: ErrorObject): string {
  if (keyword === 'additionalProperties')
    return `${String(params['additionalProperty'])} is not a known argument`;
  return `${instancePath === '' ? 'the whole' : instancePath.slice(1).replaceAll('/', '.')} ${message}`;
}
