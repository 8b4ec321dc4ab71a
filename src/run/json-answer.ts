import { broken, jsonWithin } from './json-within.ts';
import type { Json } from './values.ts';

/** JSON as it was wanted, or why it is not. */
export type Read<T> =
  | { readonly fits: true; readonly value: T }
  | { readonly fits: false; readonly misfit: string };

/** The first JSON in an answer that fits: models put it into code fences and between sentences. */
export function firstFitting<T>(text: string, read: (found: unknown) => Read<T>): Read<T> {
  let misfit: string | undefined;
  for (const found of [whole(text), ...jsonWithin(text)]) {
    if (found === broken || found === undefined) continue;
    const one = read(found);
    if (one.fits) return one;
    misfit ??= one.misfit.replaceAll(/\s+/g, ' ').slice(0, mostTold);
  }
  return { fits: false, misfit: misfit ?? 'there is no JSON in it' };
}

/** Characters. */
const mostTold = 500;

function whole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Then it stands between sentences, or is none.
    return undefined;
  }
}

/** What whoever answered something else is told. */
export function onceMore(misfit: string, schema: Json): string {
  return `Your answer does not fit: ${misfit}. Answer again, with JSON alone that fits this JSON Schema: ${JSON.stringify(schema)}`;
}
