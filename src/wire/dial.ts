import { z } from 'zod';
import { Json } from './json.ts';
import { ChatPart, ChatRequest } from './openai.ts';
import { salvage, type Salvaged } from './salvage.ts';

/**
 * DIAL is OpenAI chat completions with `custom_content`. What we write is what the strictest server accepts (SDK 0.15
 * refuses unknown fields, and stages with an index or without a final status); what we read may be any version's.
 */

const text = z.string().min(1);

/** Exactly one of `data` and `url`; empty texts are not sent. */
export const DialAttachment = z
  .strictObject({
    type: text,
    title: text.optional(),
    data: text.optional(),
    url: text.optional(),
    reference_url: text.optional(),
    reference_type: text.optional(),
  })
  .refine(({ data, url }) => (data === undefined) !== (url === undefined), 'give either data or url');
export type DialAttachment = z.infer<typeof DialAttachment>;

const DialCall = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

/** An assistant message carries state and nothing else: no stages and no attachments, as DIAL Chat does it. */
export const DialMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(ChatPart)]),
    custom_content: z
      .strictObject({
        attachments: z.array(DialAttachment).min(1).optional(),
        /** What people made of what was asked. */
        form_value: Json.optional(),
      })
      .optional(),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    tool_calls: z.array(DialCall).min(1).optional(),
    custom_content: z.strictObject({ state: Json }).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);
export type DialMessage = z.infer<typeof DialMessage>;

/** `stream_options` is unknown to strict servers, and needed by none: usage comes with the last chunk. */
export const DialRequest = z.strictObject({
  ...ChatRequest.pick({ tools: true, tool_choice: true, response_format: true, max_tokens: true }).shape,
  messages: z.array(DialMessage).min(1),
  stream: z.literal(true),
  temperature: z.number().min(0).max(2).optional(),
});
export type DialRequest = z.infer<typeof DialRequest>;

/** With this header a Vitrine asks another to say what DIAL has no words for. */
export const peerHeader = 'x-vitrine-peer';

/** What one Vitrine tells another beside what DIAL says, in a field of the chunk. */
export const PeerNews = z.object({
  run: z.string().optional(),
  /** Of the stage in the same chunk. */
  stage: z
    .object({
      kind: z.string().optional(),
      agent: z.string().optional(),
      query: z.string().optional(),
      channel: z.enum(['reasoning', 'log']).optional(),
    })
    .optional(),
  asks: z
    .array(
      z.object({
        id: z.string(),
        title: z.string(),
        message: z.string().optional(),
        arguments: Json.optional(),
        schema: Json.optional(),
      }),
    )
    .optional(),
});
export type PeerNews = z.infer<typeof PeerNews>;

/** Decisions as a form that is filled in. */
export const PeerDecisions = z.object({
  decisions: z
    .array(
      z.strictObject({
        question: z.string(),
        decision: z.enum(['approve', 'reject', 'edit']),
        arguments: Json.optional(),
        answer: Json.optional(),
        rationale: z.string().optional(),
      }),
    )
    .min(1),
});

const list = z.array(z.unknown()).nullish();
const words = z.string().nullish();

/** The frame of a stream, as far as it is DIAL's own: the rest is a chunk of chat. */
export const DialFrame = z.object({
  choices: z
    .array(z.object({ delta: z.object({ custom_content: z.unknown().optional() }).nullish() }))
    .nullish(),
  statistics: z.unknown().optional(),
  vitrine: PeerNews.optional().catch(undefined),
});

const CustomContent = z.object({
  stages: list,
  attachments: list,
  state: z.unknown().optional(),
  form_schema: z.unknown().optional(),
});

/** A piece of a stage: names and contents of one index are joined, and its status is the last one given. */
const StagePiece = z.object({
  index: z.int().nonnegative(),
  /** Present, and perhaps null, on the piece that opens a stage. */
  name: words,
  content: words,
  /** `null` while it runs; `open` stands in a decision record and is understood. */
  status: z.enum(['open', 'completed', 'failed']).nullish(),
  attachments: list,
  parent_stage_index: z.int().nonnegative().nullish(),
});
export type StagePiece = z.infer<typeof StagePiece>;

/** Its own index is not read: attachments are numbered anew by whoever shows them. */
const AttachmentPiece = z.object({
  type: words,
  title: words,
  data: words,
  url: words,
  reference_url: words,
  reference_type: words,
});
export type AttachmentPiece = z.infer<typeof AttachmentPiece>;

const count = z.number().nonnegative().nullish();
const Statistics = z.object({
  usage_per_model: z
    .array(z.object({ model: z.string(), prompt_tokens: count, completion_tokens: count }))
    .nullish(),
  discarded_messages: z.array(z.int().nonnegative()).nullish(),
});
export type Statistics = z.infer<typeof Statistics>;

export const readCustomContent = (given: unknown): Salvaged<z.infer<typeof CustomContent>> =>
  salvage(CustomContent, given);
export const readStage = (given: unknown): Salvaged<StagePiece> => salvage(StagePiece, given);
export const readAttachment = (given: unknown): Salvaged<AttachmentPiece> => salvage(AttachmentPiece, given);
export const readStatistics = (given: unknown): Salvaged<Statistics> => salvage(Statistics, given);

/** An answer in one piece: messages in place of deltas, and the index of a stage is its place in the list. */
const DialBlock = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({
          custom_content: z.looseObject({ stages: z.array(z.looseObject({})).nullish() }).nullish(),
          tool_calls: z.array(z.looseObject({})).nullish(),
        }),
      }),
    )
    .min(1),
});

/** An answer in one piece, as the frame of a stream that says it all at once. */
export function frameOfBlock(body: unknown): unknown {
  const block = DialBlock.safeParse(body).data;
  if (block === undefined) return undefined;
  const choices = block.choices.map(({ message, ...choice }) => {
    const { custom_content: custom, tool_calls: calls, ...delta } = message;
    const stages = custom?.stages?.map((stage, index) => ({ ...stage, index }));
    return {
      ...choice,
      delta: {
        ...delta,
        custom_content: custom && { ...custom, stages },
        tool_calls: calls?.map((call, index) => ({ ...call, index })),
      },
    };
  });
  return { ...block, choices };
}
