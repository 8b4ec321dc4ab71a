import { RunError } from '../run/failure.ts';
import { Json } from '../run/values.ts';
import { isDeeper, parseJson } from '../wire/sse.ts';

/** Characters of a body, and how deep it may nest. */
const longest = 1 << 20;
const deepest = 64;

/** What a definition says, as it is kept: the same, in whatever order its fields were written, has the same text. */
export function bodyText(body: unknown, what: string): string {
  const given = JSON.stringify(body) ?? '';
  if (given.length > longest)
    throw new RunError('too-large', `${what} has ${given.length} characters; ${longest} are allowed.`);
  if (isDeeper(given, deepest))
    throw new RunError('too-large', `${what} is nested deeper than ${deepest} levels.`);
  const read = Json.safeParse(given === '' ? undefined : parseJson(given));
  if (!read.success || typeof body !== 'object' || body === null)
    throw new RunError('malformed', `${what} is not a JSON object.`);
  return JSON.stringify(sorted(read.data));
}

/** What a kept text says. */
export function bodyIn(text: string): Json {
  return Json.parse(parseJson(text));
}

function sorted(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(sorted);
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([key, inner]) => [key, sorted(inner)]));
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
