import type { z } from 'zod';
import { RunError } from './failure.ts';

/** What came from outside, if it has the form it must have; else a failure that names the fields that are wrong. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const wrong = result.error.issues.slice(0, 3).map(sentence).join('; ');
  throw new RunError('malformed', `${what} does not fit: ${wrong}.`);
}

function sentence(found: z.core.$ZodIssue): string {
  const issue = innermost(found);
  const place = issue.path.map(String).join('.').slice(0, 100);
  const where = place === '' ? '' : `${place}: `;
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, 3).map((key) => `«${key.slice(0, 60)}»`);
    return `${where}${keys.join(', ')} is not known here`;
  }
  if (issue.code === 'invalid_union') return `${where}none of the forms that are known here`;
  if (issue.code === 'too_small' && issue.origin === 'array' && issue.message.startsWith('Too small'))
    return `${where}at least ${issue.minimum} must be given`;
  return `${where}${issue.message.replace(/^Invalid input: /, '').slice(0, 200)}`;
}

/** Of something that may have several forms, what is wrong with the one that it comes nearest to. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.flatMap(([first]) => (first ? [innermost(first)] : []));
  const nearest = inner.toSorted((one, other) => other.path.length - one.path.length).at(0);
  if (!nearest || nearest.path.length === 0) return issue;
  return { ...nearest, path: [...issue.path, ...nearest.path] };
}
