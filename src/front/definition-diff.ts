import type { Json } from '../run/values.ts';
import { isList } from './definition-body.ts';

/** One place where two bodies differ. What is only in one of them is absent in the other. */
export interface Difference {
  /** `settings.agents[0].title`; empty for the whole. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Where two bodies differ, as deep as they have the same shape, in the order of their fields. */
export function differences(before: Json, after: Json, path = ''): readonly Difference[] {
  if (isList(before) && isList(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, i) => between(before[i], after[i], `${path}[${i}]`)).flat();
  }
  if (!isFields(before) || !isFields(after)) return before === after ? [] : [{ path, before, after }];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return keys.flatMap((key) =>
    between(own(before, key), own(after, key), path === '' ? key : `${path}.${key}`),
  );
}

function between(before: Json | undefined, after: Json | undefined, path: string): readonly Difference[] {
  if (before === undefined) return after === undefined ? [] : [{ path, after }];
  return after === undefined ? [{ path, before }] : differences(before, after, path);
}

type Fields = { readonly [key: string]: Json };

function isFields(value: Json): value is Fields {
  return typeof value === 'object' && value !== null && !isList(value);
}

function own(fields: Fields, key: string): Json | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
