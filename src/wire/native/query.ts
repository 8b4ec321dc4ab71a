import { z } from 'zod';
import { Preferences } from '../../run/preferences.ts';

/** A whole number in a query. */
export function whole(least: number, most: number): z.ZodType<number> {
  const shape = z
    .string()
    .regex(/^\d{1,15}$/, 'give a whole number')
    .transform(Number);
  return shape.pipe(z.int().min(least).max(most));
}

export const flag = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .pipe(z.boolean());

/** Where a page begins: after what `next` of the page before says. */
export const after = z.string().max(200).optional();
export const pageSize = 50;
export const largestPage = 200;
export const limit = whole(1, largestPage).optional();

const isoDate = /^\d{4}-\d{2}-\d{2}(T[\d:.]{5,15}(Z|[+-]\d{2}:\d{2}))?$/;

/** A moment in a query: milliseconds since 1970, or a date as ISO 8601 has it. */
export const moment = z
  .string()
  .max(40)
  .transform((text) => (/^\d{1,15}$/.test(text) ? Number(text) : isoDate.test(text) ? Date.parse(text) : NaN))
  .pipe(z.number('give milliseconds since 1970, or a date as 2026-11-30T12:00:00Z'));

/** The number of an entry. */
export const entry = whole(0, Number.MAX_SAFE_INTEGER).optional();

/** Takes back what an app says: every name, any depth. */
export const everything = '*';

const Depth = z
  .string()
  .regex(/^(\*|\d{1,3}|1000)$/, 'give a whole number up to 1000, or * for all')
  .transform((text): number | typeof everything => (text === everything ? everything : Number(text)))
  .pipe(z.union([z.int(), z.literal(everything)]));

/** What a viewer can ask to be shown. What is left out is as its app prefers. */
export const showing = {
  /** What to show of the inner stages of other agents. */
  stages: Preferences.shape.stages,
  /** The only stages to show, by their titles; `*` for all. */
  names: z.union([z.string(), z.array(z.string())]).optional(),
  /** How many levels of steps to show; `*` for all. */
  depth: Depth.optional(),
} as const;
export const Showing = z.strictObject(showing);
export type Showing = z.infer<typeof Showing>;

export const idempotencyHeader = {
  'Idempotency-Key': 'Up to 200 visible characters: the same again, with the same body, is the same request.',
};

export const cursorHeader = {
  'Last-Event-ID': 'The last id that was seen; it goes before the one in the address.',
};
