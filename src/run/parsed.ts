import type { z } from 'zod';
import { RunError } from './failure.ts';

/** What came from outside, if it has the form it must have; else a failure that names the fields that are wrong. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const wrong = result.error.issues.slice(0, 3).map(sentence).join('; ');
  throw new RunError('malformed', `${what} does not fit: ${wrong}.`);
}

function sentence(issue: z.core.$ZodIssue): string {
  const place = issue.path.map(String).join('.').slice(0, 100);
  const where = place === '' ? '' : `${place}: `;
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, 3).map((key) => `«${key.slice(0, 60)}»`);
    return `${where}${keys.join(', ')} is not known here`;
  }
  return `${where}${issue.message.replace(/^Invalid input: /, '').slice(0, 200)}`;
}
