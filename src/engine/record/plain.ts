import type { Json } from '../../run/values.ts';

/** A value as a recovery will see it. What JSON cannot hold must not be there the first time either. */
export function plain(value: unknown): Json {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as Json);
}
