import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
} from '@ai-sdk/provider';
import type { Attachment, Json } from '../../run/values.ts';
import { noteOf } from '../chat/openai-chat.ts';
import type { Message, Turn } from '../gateway.ts';
import { idempotencyHeader } from '../http/http-exchange.ts';

/** A turn as AI SDK providers ask for it. */
export function callOptions(turn: Turn): LanguageModelV4CallOptions {
  const { tools = [], toolChoice = 'auto', answerSchema, temperature, maxTokens } = turn;
  const toolOf = new Map(
    turn.messages.flatMap(({ calls = [] }) => calls.map(({ id, tool }) => [id, tool] as const)),
  );
  return {
    prompt: turn.messages.map((message) => promptMessage(message, toolOf)),
    headers: idempotencyHeader(turn),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, schema }) => ({
            type: 'function',
            name,
            description,
            inputSchema: schemaOf(schema),
          })),
          toolChoice: { type: toolChoice },
        }),
    ...(answerSchema === undefined
      ? {}
      : { responseFormat: { type: 'json', name: 'answer', schema: schemaOf(answerSchema) } }),
    temperature,
    maxOutputTokens: maxTokens,
  };
}

/** A schema is JSON to us; whether it is a schema is for the provider to say. */
function schemaOf(schema: Json): JSONSchema7 {
  return schema as JSONSchema7;
}

function promptMessage(message: Message, toolOf: ReadonlyMap<string, string>): LanguageModelV4Message {
  const { role, text, attachments = [], calls = [], call = '' } = message;
  const notes = [text, ...attachments.map(noteOf)].filter((part) => part !== '').join('\n\n');
  switch (role) {
    case 'system':
      return { role, content: notes };
    case 'user':
      return { role, content: [...textParts(text), ...attachments.map(filePart)] };
    case 'assistant':
      return {
        role,
        content: [
          ...textParts(notes),
          ...calls.map(({ id, tool, arguments: given }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: tool,
            input: readArguments(given),
          })),
        ],
      };
    case 'tool':
      return {
        role,
        content: [
          {
            type: 'tool-result',
            toolCallId: call,
            toolName: toolOf.get(call) ?? 'unknown',
            output: { type: 'text', value: notes },
          },
        ],
      };
  }
}

function textParts(text: string): LanguageModelV4TextPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function filePart(attachment: Attachment): LanguageModelV4TextPart | LanguageModelV4FilePart {
  const { type: mediaType, url, data } = attachment;
  if (mediaType.startsWith('image/')) {
    if (data !== undefined) {
      const bytes = data.replace(/^data:[^,]*,/, '');
      return { type: 'file', mediaType, data: { type: 'data', data: bytes } };
    }
    const parsed = url === undefined ? null : URL.parse(url);
    if (parsed !== null) return { type: 'file', mediaType, data: { type: 'url', url: parsed } };
  }
  return { type: 'text', text: noteOf(attachment) };
}

/** Arguments the model made up wrongly go back as the text they were. */
function readArguments(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}
