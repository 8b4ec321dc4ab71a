import type { z } from 'zod';
import { RunError } from '../run/failure.ts';

/** The body of a request, or a failure that names what of it cannot be read. */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') || 'the body';
  throw new RunError('malformed', `The request cannot be read: «${path}»: ${issue?.message ?? 'unknown'}.`);
}
