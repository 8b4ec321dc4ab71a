import type { Json } from '../run/values.ts';

/** What an expression gave, as JSON: its own fields and nothing else, whole numbers as numbers. */
export function jsonOf(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(jsonOf);
  if (value instanceof Map) return fieldsOf(value.entries());
  if (isPlain(value)) return fieldsOf(Object.entries(value));
  throw new TypeError('This gives something that is not JSON: texts, numbers, lists and maps are.');
}

/** `__proto__` is a name like any other. */
function fieldsOf(entries: Iterable<[unknown, unknown]>): Json {
  const fields: [string, Json][] = [];
  for (const [key, inner] of entries) fields.push([String(key), jsonOf(inner)]);
  return Object.fromEntries(fields);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  const { constructor: maker } = value as { constructor?: unknown };
  return maker === Object || maker === undefined || typeof maker !== 'function';
}
