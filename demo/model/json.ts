import type { Json } from '../../src/wire/json.ts';

export type { Json };

type JsonObject = { readonly [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value under a name, if there is an object with one. */
export function field(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function text(value: Json | undefined, name: string): string {
  const found = field(value, name);
  return typeof found === 'string' ? found : '';
}

export function number(value: Json | undefined, name: string): number {
  const found = field(value, name);
  return typeof found === 'number' ? found : 0;
}

export function list(value: Json | undefined, name: string): readonly Json[] {
  const found = field(value, name);
  return Array.isArray(found) ? found : [];
}
