import type { Tool as Definition } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { Json } from '../../run/values.ts';
import { checked } from '../../schema/misfit.ts';

/** The schema of a server's tool, as far as we can use it. */
export interface Arguments {
  readonly schema: Json;
  /** Throws `malformed` if the input does not fit; `tool` is for the sentence. */
  check(tool: string, input: Json): Record<string, unknown>;
}

const Given = z.record(z.string(), z.unknown());

/** Nothing if the schema is none: a model could not use the tool, and nobody could check what it sends. */
export function argumentsOf(definition: Definition): Arguments | undefined {
  // Both name the schema for others, and two servers may well use the same name.
  const { $schema: _dialect, $id: _id, ...given } = definition.inputSchema;
  const schema = Json.parse(given);
  const reading = checked(schema);
  if (reading.fault !== undefined) return undefined;
  return {
    schema,
    check(tool, input) {
      const errors = reading.misfit(input);
      if (errors === undefined) return Given.parse(input);
      throw new RunError('malformed', `The arguments of ${tool} do not fit: ${errors}.`);
    },
  };
}
