import { z } from 'zod';
import { Json } from './json.ts';

/** OpenAI chat completions as they are really spoken: unknown fields pass, and what others leave out may be missing. */

const count = z.number().nonnegative().nullish();

export const ChatUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish(),
});
export type ChatUsage = z.infer<typeof ChatUsage>;

const ChatFunctionPiece = z.object({
  name: z.string().nullish(),
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
});

/** A piece of a tool call. The index joins pieces; servers leave out any of these fields. */
export const ChatCallPiece = z.object({
  index: z.int().nonnegative().nullish(),
  id: z.string().nullish(),
  function: ChatFunctionPiece.nullish(),
});
export type ChatCallPiece = z.infer<typeof ChatCallPiece>;

/** A few servers stream content as a list of parts, with thoughts among them. */
export const ChatContentPart = z.object({
  text: z.string().nullish(),
  thinking: z.array(z.object({ text: z.string().nullish() })).nullish(),
});
export type ChatContentPart = z.infer<typeof ChatContentPart>;

export const ChatDelta = z.object({
  content: z.union([z.string(), z.array(ChatContentPart)]).nullish(),
  /** Reasoning has two names in the wild; servers in between send both with the same text. */
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(ChatCallPiece).nullish(),
  /** What servers sent before there were several calls. */
  function_call: ChatFunctionPiece.nullish(),
});
export type ChatDelta = z.infer<typeof ChatDelta>;

/** The body of a refusal, and of an error in the middle of a stream; read with `readChatError`. */
const ChatError = z.union([
  z
    .string()
    .transform((message) => ({ message, type: undefined, code: undefined, display_message: undefined })),
  z.object({
    message: z.string().nullish(),
    /** What DIAL means people to read. */
    display_message: z.string().nullish(),
    type: z.string().nullish(),
    code: z.union([z.string(), z.number()]).nullish(),
  }),
]);

/** What upstream says of its own error, as far as it can be understood. */
export function readChatError(error: unknown): { message?: string; codes: readonly string[] } {
  const parsed = ChatError.safeParse(error);
  if (!parsed.success) return { codes: [] };
  const { type, code } = parsed.data;
  const message = parsed.data.display_message || parsed.data.message;
  const codes = [type, code].filter((value) => value !== null && value !== undefined).map(String);
  return message === null || message === undefined ? { codes } : { message, codes };
}

export const ChatChunk = z.object({
  choices: z
    .array(
      z.object({
        delta: ChatDelta.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  /** Usage that cannot be read must not cost the text beside it. */
  usage: ChatUsage.nullish().catch(undefined),
  error: z.unknown().optional(),
});
export type ChatChunk = z.infer<typeof ChatChunk>;

export const ChatPart = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
]);
export type ChatPart = z.infer<typeof ChatPart>;

const content = z.union([z.string(), z.array(ChatPart)]);

export const ChatMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content }),
  z.object({ role: z.literal('developer'), content }),
  z.object({ role: z.literal('user'), content }),
  z.object({
    role: z.literal('assistant'),
    content: content.nullish(),
    tool_calls: z
      .array(
        z.object({
          id: z.string(),
          type: z.literal('function'),
          function: z.object({ name: z.string(), arguments: z.string() }),
        }),
      )
      .optional(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content }),
]);
export type ChatMessage = z.infer<typeof ChatMessage>;

const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
]);

const ResponseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({ name: z.string(), schema: Json, strict: z.boolean().optional() }),
  }),
]);

export const ChatRequest = z.object({
  model: z.string(),
  messages: z.array(ChatMessage),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).optional(),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({
          name: z.string(),
          description: z.string().optional(),
          parameters: Json.optional(),
        }),
      }),
    )
    .optional(),
  tool_choice: ToolChoice.optional(),
  response_format: ResponseFormat.optional(),
  temperature: z.number().optional(),
  max_tokens: z.int().positive().optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;
