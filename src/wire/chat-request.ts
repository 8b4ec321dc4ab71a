import { z } from 'zod';
import { Json } from './json.ts';

/** What clients of chat completions send to whoever answers them: unknown fields pass. */

const ChatPartIn = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('refusal'), refusal: z.string() }),
  z.object({
    type: z.literal('image_url'),
    /** Some clients give the address alone. */
    image_url: z.union([z.object({ url: z.string() }), z.string().transform((url) => ({ url }))]),
  }),
  z.object({
    type: z.literal('input_audio'),
    input_audio: z.object({ data: z.string(), format: z.string() }),
  }),
  z.object({
    type: z.literal('file'),
    file: z.object({
      file_id: z.string().optional(),
      file_data: z.string().optional(),
      filename: z.string().optional(),
    }),
  }),
]);
export type ChatPartIn = z.infer<typeof ChatPartIn>;

/** What hangs on a message of DIAL, beside its words. */
const CustomContentIn = z.object({
  attachments: z
    .array(
      z.object({
        type: z.string().nullish(),
        title: z.string().nullish(),
        data: z.string().nullish(),
        url: z.string().nullish(),
      }),
    )
    .nullish(),
  state: Json.nullish(),
  form_value: Json.nullish(),
});

const ChatMessageIn = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'function', 'tool']),
  content: z.union([z.string(), z.array(ChatPartIn)]).nullish(),
  custom_content: CustomContentIn.nullish(),
});
export type ChatMessageIn = z.infer<typeof ChatMessageIn>;

export const ChatCompletionRequest = z.looseObject({
  model: z.string().optional(),
  messages: z.array(ChatMessageIn).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, 'one answer is given at a time').nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>;
