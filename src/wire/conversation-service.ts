import { z } from 'zod';

/** A service that keeps conversations itself and speaks chunks of chat; only what is its own is here. */

/** Part of a path, so it must not be a way out of it. */
export const ConversationId = z.string().min(1).max(200).regex(/[^.]/, 'an id is more than dots');

/** What the service is sent; a conversation cannot be created without a body. */
export const CreateRequest = z.strictObject({ title: z.string().optional() });
export type CreateRequest = z.infer<typeof CreateRequest>;

export const ChatMessageRequest = z.strictObject({
  message: z.strictObject({ role: z.literal('user'), content: z.string() }),
  stream: z.literal(true),
});
export type ChatMessageRequest = z.infer<typeof ChatMessageRequest>;

export const Created = z.object({ id: ConversationId });

/** The first frame of a stream names the conversation. */
export const ConversationFrame = z.object({ conversation_id: ConversationId });

/** An answer in one piece. */
export const ConversationBlock = z.object({
  content: z.string(),
  conversation_id: ConversationId.optional(),
});

/** What the service remembers: its system prompt, tool calls and tool results included. */
export const History = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish() })),
});
export type History = z.infer<typeof History>;
