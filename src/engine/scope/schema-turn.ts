import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { firstFitting, onceMore, type Read } from '../../run/json-answer.ts';
import type { Json } from '../../run/values.ts';
import type { Scope, SchemaTurn } from '../scope.ts';

/** A turn that is to answer with JSON of a certain shape. Whoever answers something else is told so once, and asked again. */
export async function schemaTurn<Schema extends z.ZodType>(
  scope: Scope,
  agent: string,
  { text, schema, key, before = [], ...more }: SchemaTurn<Schema> & { readonly text: string },
): Promise<z.output<Schema>> {
  const answerSchema = jsonSchemaOf(schema);
  const asked = { role: 'user', text } as const;
  const first = await scope.turn(agent, {
    ...more,
    messages: [...before, asked],
    answerSchema,
    ...(key ? { key } : {}),
  });
  const read = readAnswer(schema, first.text);
  if (read.fits) return read.value;
  const messages = [
    ...before,
    asked,
    { role: 'assistant', text: first.text } as const,
    { role: 'user', text: onceMore(read.misfit, answerSchema) } as const,
  ];
  const again = key === undefined ? {} : { key: `${key}-again` };
  const second = await scope.turn(agent, { ...more, messages, answerSchema, ...again });
  const last = readAnswer(schema, second.text);
  if (last.fits) return last.value;
  throw new RunError(
    'malformed',
    `${agent} was asked twice for JSON, and its answer does not fit: ${last.misfit}.`,
  );
}

function readAnswer<Schema extends z.ZodType>(schema: Schema, text: string): Read<z.output<Schema>> {
  return firstFitting(text, (found) => {
    const parsed = schema.safeParse(found);
    return parsed.success
      ? { fits: true, value: parsed.data }
      : { fits: false, misfit: z.prettifyError(parsed.error) };
  });
}

/** A flow asks by the same schemas again and again, and to write one as JSON takes as long as a stage does. */
const written = new WeakMap<z.ZodType, Json>();

function jsonSchemaOf(schema: z.ZodType): Json {
  const known = written.get(schema);
  if (known !== undefined) return known;
  const { $schema: _, ...told } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  const json = JSON.parse(JSON.stringify(told)) as Json;
  written.set(schema, json);
  return json;
}
