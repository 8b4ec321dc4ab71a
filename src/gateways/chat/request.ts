import type { Attachment, Json } from '../../run/values.ts';
import type { ChatMessage, ChatPart, ChatRequest } from '../../wire/openai.ts';
import { noteOf, withNotes } from '../attachment-note.ts';
import type { Message, Turn } from '../gateway.ts';
import { isStrict } from './strict-schema.ts';

/** A turn as chat completions ask for it. */
export function chatRequest(model: string, turn: Turn): ChatRequest {
  return {
    model,
    messages: turn.messages.map(chatMessage),
    stream: true,
    stream_options: { include_usage: true },
    ...chatOptions(turn),
  };
}

type ChatOptions = Pick<
  ChatRequest,
  'tools' | 'tool_choice' | 'response_format' | 'temperature' | 'max_tokens'
>;

/** What a turn says beside its messages. */
export function chatOptions({
  tools = [],
  toolChoice,
  answerSchema,
  temperature,
  maxTokens,
}: Turn): ChatOptions {
  return {
    // An empty list of tools, and a choice without tools, are refused by most servers.
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, schema }) => ({
            type: 'function',
            function: { name, description, parameters: schema },
          })),
          ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
        }),
    ...(answerSchema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: asked(answerSchema) } }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
  };
}

function asked(schema: Json): { name: string; schema: Json; strict?: true } {
  return { name: 'answer', schema, ...(isStrict(schema) ? { strict: true } : {}) };
}

/** The calls an assistant message asked for. */
export function chatCalls({ calls = [] }: Message): NonNullable<AssistantMessage['tool_calls']> {
  return calls.map(({ id, tool, arguments: given }) => ({
    id,
    type: 'function',
    function: { name: tool, arguments: given },
  }));
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

function chatMessage(message: Message): ChatMessage {
  const { role, text, attachments = [], calls = [], call = '' } = message;
  const notes = withNotes(text, attachments);
  switch (role) {
    case 'system':
      return { role, content: notes };
    case 'user':
      return { role, content: attachments.some(isImage) ? partsOf(text, attachments) : notes };
    case 'assistant':
      if (calls.length === 0) return { role, content: notes };
      return { role, content: notes === '' ? null : notes, tool_calls: chatCalls(message) };
    case 'tool':
      return { role, tool_call_id: call, content: notes };
  }
}

function partsOf(text: string, attachments: readonly Attachment[]): ChatPart[] {
  const parts = attachments.map((attachment): ChatPart => {
    const url = imageUrl(attachment);
    return url === undefined
      ? { type: 'text', text: noteOf(attachment) }
      : { type: 'image_url', image_url: { url } };
  });
  return text === '' ? parts : [{ type: 'text', text }, ...parts];
}

function isImage(attachment: Attachment): boolean {
  return imageUrl(attachment) !== undefined;
}

function imageUrl({ type, url, data }: Attachment): string | undefined {
  if (!type.startsWith('image/')) return undefined;
  if (data === undefined) return url;
  return data.startsWith('data:') ? data : `data:${type};base64,${data}`;
}
