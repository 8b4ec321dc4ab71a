import { z } from 'zod';

/** What may be recorded: JSON, and nothing a crash would turn into something else. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export const Json: z.ZodType<Json> = z.json();

/** Tokens of one model turn; `estimated` where the model did not say. */
export const Usage = z.object({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cached: z.number().nonnegative().optional(),
  reasoning: z.number().nonnegative().optional(),
  estimated: z.boolean().optional(),
  /** What they cost by the prices of then, where prices of the model are configured. */
  cost: z.number().nonnegative().optional(),
  /** Whose tokens these are, where an agent elsewhere asked several models. */
  models: z
    .array(z.object({ model: z.string(), input: z.number().nonnegative(), output: z.number().nonnegative() }))
    .optional(),
});
export type Usage = z.infer<typeof Usage>;

const price = z.number().nonnegative();

/** What a million tokens of a model cost, in whatever money they are written in. What is read again costs `cached` where that is said. */
export const Prices = z.strictObject({ input: price, output: price, cached: price.optional() });
export type Prices = z.infer<typeof Prices>;

/** Something large that is kept once, beside the journal. The hash is the SHA-256 of its UTF-8 bytes. */
export const BlobRef = z.object({ blob: z.string(), size: z.number(), preview: z.string().optional() });
export type BlobRef = z.infer<typeof BlobRef>;

/** A file or a piece of text that came with a message or a step. One of `data`, `url` and `blob` says where it is. */
export const Attachment = z.object({
  type: z.string(),
  title: z.string().optional(),
  data: z.string().optional(),
  url: z.string().optional(),
  blob: BlobRef.optional(),
  referenceUrl: z.string().optional(),
  referenceType: z.string().optional(),
});
export type Attachment = z.infer<typeof Attachment>;

/** What hangs on a step beside its text. */
export const Item = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('attachment'), attachment: Attachment }),
  z.object({
    kind: z.literal('visualization'),
    shape: z.enum(['graph', 'table', 'documents', 'chart']),
    data: Json,
  }),
  z.object({
    kind: z.literal('citation'),
    title: z.string(),
    url: z.string().optional(),
    quote: z.string().optional(),
  }),
  z.object({ kind: z.literal('action'), name: z.string(), data: Json }),
]);
export type Item = z.infer<typeof Item>;

/** Whether doing a thing again is harmless: always, with the same key, or never. */
export const Effect = z.enum(['pure', 'idempotent', 'once']);
export type Effect = z.infer<typeof Effect>;

/** What a whole tree of steps may use up. Absent means the app's own limit. */
export const Limits = z.object({
  turns: z.int().positive().optional(),
  calls: z.int().nonnegative().optional(),
  tokens: z.int().positive().optional(),
  depth: z.int().positive().optional(),
  seconds: z.number().positive().optional(),
  /** Of the journal. */
  entries: z.int().positive().optional(),
  /** Of the journal and of what is kept beside it. */
  bytes: z.int().positive().optional(),
});
export type Limits = z.infer<typeof Limits>;

export function isBlobRef(value: unknown): value is BlobRef {
  return typeof value === 'object' && value !== null && 'blob' in value && 'size' in value;
}
