import type { z } from 'zod';
import { RunError } from './failure.ts';
import { anyForm, plainWords } from './plain-words.ts';

/** A place in what was given, and what is wrong there, in plain words. */
export interface Wrong {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What was given, as a schema reads it, or what is wrong with it: at least one thing. */
type Reading<T> =
  | { readonly fits: true; readonly value: T }
  | { readonly fits: false; readonly wrong: readonly [Wrong, ...Wrong[]] };

export function readAs<T>(schema: z.ZodType<T>, given: unknown): Reading<T> {
  const result = schema.safeParse(given, plainWords);
  if (result.success) return { fits: true, value: result.data };
  const [first, ...others] = result.error.issues.map(wrongOf);
  return { fits: false, wrong: [first ?? { path: [], message: anyForm }, ...others] };
}

/** What came from outside, if it has the form it must have; else a failure that names the fields that are wrong. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = readAs(schema, value);
  if (read.fits) return read.value;
  const wrong = read.wrong.slice(0, 3).map(({ path, message }) => {
    const place = path.join('.').slice(0, 100);
    return `${place === '' ? '' : `${place}: `}${message.slice(0, 200)}`;
  });
  throw new RunError('malformed', `${what} does not fit: ${wrong.join('; ')}.`);
}

/** A place in a configuration or in settings, as people write it: `apps.noc.settings.agents[0]`. */
export function placeIn(path: Wrong['path']): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

function wrongOf(found: z.core.$ZodIssue): Wrong {
  const { path, message } = innermost(found);
  return { path: path.map((part) => (typeof part === 'number' ? part : String(part))), message };
}

/** Of what may have several forms, what is wrong with the one that it comes nearest to; unless its schema has words for all. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union' || issue.message !== anyForm) return issue;
  const inner = issue.errors.flatMap(([first]) => (first ? [innermost(first)] : []));
  const nearest = inner.toSorted((one, other) => other.path.length - one.path.length).at(0);
  if (!nearest || nearest.path.length === 0) return issue;
  return { ...nearest, path: [...issue.path, ...nearest.path] };
}
