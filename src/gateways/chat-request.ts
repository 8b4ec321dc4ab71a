import type { Attachment } from '../run/values.ts';
import type { ChatMessage, ChatPart, ChatRequest } from '../wire/openai.ts';
import { noteOf } from './attachment-note.ts';
import type { Message, Turn } from './gateway.ts';

/** A turn as chat completions ask for it. */
export function chatRequest(model: string, turn: Turn): ChatRequest {
  const { tools = [], toolChoice, answerSchema, temperature, maxTokens } = turn;
  return {
    model,
    messages: turn.messages.map(chatMessage),
    stream: true,
    stream_options: { include_usage: true },
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
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: answerSchema } } }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
  };
}

function chatMessage({ role, text, attachments = [], calls = [], call = '' }: Message): ChatMessage {
  const notes = [text, ...attachments.map(noteOf)].filter((part) => part !== '').join('\n\n');
  switch (role) {
    case 'system':
      return { role, content: notes };
    case 'user':
      return { role, content: attachments.some(isImage) ? partsOf(text, attachments) : notes };
    case 'assistant':
      if (calls.length === 0) return { role, content: notes };
      return {
        role,
        content: notes === '' ? null : notes,
        tool_calls: calls.map(({ id, tool, arguments: given }) => ({
          id,
          type: 'function',
          function: { name: tool, arguments: given },
        })),
      };
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
