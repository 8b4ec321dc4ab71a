import { z } from 'zod';
import { deepest, isTooDeep } from '../run/depth.ts';
import { RunError } from '../run/failure.ts';
import { plainWords } from '../run/plain-words.ts';
import type { JsonOf } from '../run/json-of.ts';
import type { Json } from '../run/values.ts';
import { orStopped } from './stop.ts';
import type { Tool, ToolContext, TypedTool } from './tool.ts';

export interface FunctionToolOptions<Input extends z.ZodType, Result = unknown> extends Omit<
  Tool,
  'schema' | 'run'
> {
  readonly input: Input;
  readonly run: (input: z.output<Input>, context: ToolContext) => Result | Promise<Result>;
}

/** A tool from a function and the zod schema of its arguments: described, checked and typed by that one schema. */
export function functionTool<Input extends z.ZodType, Result>(
  options: FunctionToolOptions<Input, Result>,
): TypedTool<z.input<Input>, JsonOf<Result>> {
  const { input, run, ...described } = options;
  const { name } = described;
  if (!/^[\w-]{1,64}$/.test(name)) {
    throw new RunError(
      'malformed',
      `"${name}" cannot be a tool's name; use up to 64 letters, digits, _ and -.`,
    );
  }
  return {
    ...described,
    schema: jsonSchema(name, input),
    async run(given, context) {
      const parsed = parseArguments(name, input, given);
      return asJson(name, await orStopped(name, context.signal, () => run(parsed, context)));
    },
  };
}

/** The arguments, or a failure whose one sentence names each field that is wrong, for the model to read. */
function parseArguments<Input extends z.ZodType>(name: string, input: Input, given: Json): z.output<Input> {
  const parsed = attempt(name, () => input.safeParse(given, plainWords));
  if (parsed.success && !isTooDeep(given)) return parsed.data;
  if (parsed.success) throw tooDeep(name);
  const wrong = parsed.error.issues.slice(0, 10).map(describe).join('; ');
  throw new RunError('malformed', `The arguments of ${name} are wrong: ${wrong}.`);
}

function describe(issue: z.core.$ZodIssue): string {
  const place = issue.path.length === 0 ? 'arguments' : shorten(issue.path.join('.'));
  if (issue.code === 'unrecognized_keys') {
    return `\`${shorten(issue.keys.join('`, `'))}\` is not an argument`;
  }
  return `\`${place}\` ${shorten(issue.message)}`;
}

// Names and values come from the model: they may be a megabyte long, or break a line.
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 200).toWellFormed()}…` : line;
}

function attempt<T>(name: string, check: () => T): T {
  try {
    return check();
  } catch (cause) {
    throw cause instanceof RangeError ? tooDeep(name, cause) : cause;
  }
}

function tooDeep(name: string, cause?: RangeError): RunError {
  return new RunError('malformed', `The arguments of ${name} are nested deeper than ${deepest} levels.`, {
    cause,
  });
}

function jsonSchema(name: string, input: z.ZodType): Json {
  try {
    const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', target: 'draft-7' });
    return asJson(name, schema);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown reason';
    throw new RunError('malformed', `The input of ${name} cannot be told as JSON Schema: ${why}.`, { cause });
  }
}

// What is used now must be what a recovered run would read back, so the value goes through JSON before anyone sees it.
function asJson(name: string, value: unknown): Json {
  if (value === undefined) return null;
  if (isTooDeep(value))
    throw new RunError('too-large', `${name} gave a result nested deeper than ${deepest} levels.`);
  try {
    const parsed: Json = JSON.parse(JSON.stringify(value));
    return parsed;
  } catch (cause) {
    throw new RunError('internal', `${name} gave a result that is not JSON.`, { cause });
  }
}
