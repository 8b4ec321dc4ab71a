import type { z } from 'zod';

/** What has none of several forms. */
export const anyForm = 'must have one of the forms that are known here';

/** For reading with a schema: says in plain words what is wrong, where the schema has no words of its own for it. */
export const plainWords: { readonly error: z.core.$ZodErrorMap } = { error: wordsFor };

function wordsFor(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(issue.expected, issue.input);
    case 'invalid_value':
      return `must be ${choice(issue.values)}`;
    case 'too_small':
      return sizeWords(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return sizeWords(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return formatWords(issue.format, issue.pattern);
    case 'unrecognized_keys':
      return `${issue.keys.slice(0, mostNamed).map(quoted).join(', ')} is not known here; remove or rename it`;
    case 'invalid_union':
      return Array.isArray(issue.options) ? `must be ${choice(issue.options)}` : anyForm;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not a name';
    case 'invalid_element':
      return issue.issues[0]?.message ?? 'does not fit';
    case 'custom':
      return 'does not fit';
    case undefined:
      return 'does not fit';
  }
}

const mostNamed = 3;

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  function: 'a function',
  date: 'a date',
  null: 'null',
  undefined: 'left out',
  never: 'left out',
};

function typeWords(expected: string, given: unknown): string {
  const wanted = kinds[expected] ?? `of the kind «${expected}»`;
  if (given === undefined) return `is missing; give ${wanted}`;
  return wanted === 'left out' ? 'must be left out' : `must be ${wanted}, not ${kindOf(given, expected)}`;
}

function kindOf(given: unknown, expected: string): string {
  if (given === null) return 'null';
  if (Array.isArray(given)) return 'a list';
  // A number that is no number, or not a whole one, is not told from others by its kind.
  if (typeof given === 'number' && (expected === 'number' || expected === 'int')) return String(given);
  return typeof given === 'boolean' ? String(given) : (kinds[typeof given] ?? 'something else');
}

function sizeWords(origin: string, size: number | bigint, bound: string): string {
  if (origin === 'string')
    return bound === 'at least' && size === 1 ? 'must not be empty' : `must have ${bound} ${size} characters`;
  if (origin === 'array' || origin === 'set')
    return `must have ${bound} ${size} ${size === 1 ? 'entry' : 'entries'}`;
  if (origin === 'object' || origin === 'record')
    return `must have ${bound} ${size} ${size === 1 ? 'field' : 'fields'}`;
  return `must be ${bound} ${size}`;
}

const formats: Readonly<Record<string, string>> = {
  url: 'an address like https://host/path',
  email: 'a mail address',
  datetime: 'a time like 2026-01-31T12:00:00Z',
  date: 'a date like 2026-01-31',
  base64: 'base64',
};

function formatWords(format: string, pattern: string | undefined): string {
  if (format === 'regex' && pattern !== undefined) return `must match ${pattern}`;
  return `must be ${formats[format] ?? `of the form «${format}»`}`;
}

/** «a», «b» or «c». */
function choice(values: readonly unknown[]): string {
  const named = values.map((value) => (typeof value === 'string' ? quoted(value) : String(value)));
  const last = named.pop() ?? '';
  return named.length === 0 ? last : `${named.join(', ')} or ${last}`;
}

function quoted(name: string): string {
  return `«${name.slice(0, 60)}»`;
}
