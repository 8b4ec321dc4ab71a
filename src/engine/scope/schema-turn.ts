import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { broken, jsonWithin } from '../../run/json-within.ts';
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

type Read<T> = { readonly fits: true; readonly value: T } | { readonly fits: false; readonly misfit: string };

/** The first JSON in an answer that fits: models put it into code fences and between sentences. */
function readAnswer<Schema extends z.ZodType>(schema: Schema, text: string): Read<z.output<Schema>> {
  let misfit: string | undefined;
  for (const found of [whole(text), ...jsonWithin(text)]) {
    if (found === broken) continue;
    const parsed = schema.safeParse(found);
    if (parsed.success) return { fits: true, value: parsed.data };
    if (found !== undefined)
      misfit ??= z.prettifyError(parsed.error).replaceAll(/\s+/g, ' ').slice(0, mostTold);
  }
  return { fits: false, misfit: misfit ?? 'there is no JSON in it' };
}

/** Characters. */
const mostTold = 500;

function whole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Then it stands between sentences, or is none.
    return undefined;
  }
}

function onceMore(misfit: string, schema: Json): string {
  return `Your answer does not fit: ${misfit}. Answer again, with JSON alone that fits this JSON Schema: ${JSON.stringify(schema)}`;
}

function jsonSchemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...told } = z.toJSONSchema(schema, { io: 'input', target: 'draft-7' });
  return JSON.parse(JSON.stringify(told)) as Json;
}
