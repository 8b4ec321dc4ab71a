import { z } from 'zod';
import { Decision } from './events.ts';
import { Attachment, Json } from './values.ts';

const by = z.string().min(1);
const reason = z.string().max(4_000).optional();

/** What people (and their programs) may ask of a run. A command is durable, and asked twice it gets the same answer. */
export const Command = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('pause'), by, reason }),
  z.strictObject({ type: z.literal('resume'), by, reason }),
  z.strictObject({ type: z.literal('stop'), by, reason }),
  z.strictObject({
    type: z.literal('message'),
    by,
    text: z.string().min(1),
    attachments: z.array(Attachment).optional(),
  }),
  z.strictObject({
    type: z.literal('decide'),
    by,
    approval: z.string().min(1),
    decision: Decision.exclude(['expire']),
    rationale: z.string().max(4_000).optional(),
    /** With `edit`: what shall run instead. */
    arguments: Json.optional(),
    /** What a person filled in, where the question had a schema. */
    answer: Json.optional(),
    /** The fingerprint the person saw. If given, a question that has changed since is not decided. */
    fingerprint: z.string().optional(),
    /** With `defer`: milliseconds since 1970. */
    until: z.number().optional(),
  }),
]);
export type Command = z.infer<typeof Command>;
