import {
  askAgain,
  type Refusal,
  type Surroundings,
  channelled,
  type EventChannel,
} from '../http/event-channel.ts';
import { askChat, type Limits } from './attempt.ts';
import {
  pathOf,
  readSecret,
  requestHeaders,
  type Secret,
  urlBelow,
  defaultTimeouts,
  type Endpoint,
  httpEndpoint,
  type HttpRequest,
  type Timeouts,
} from '../http/http-exchange.ts';
import type { Gateway, Turn, Message } from '../gateway.ts';
import type { ChatRequest, ChatMessage, ChatPart } from '../../wire/openai.ts';
import type { Json, Attachment } from '../../run/values.ts';
import { isStrict } from './strict-schema.ts';

export interface OpenAiChatSettings {
  /** Where the API begins, as in `https://host/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly key?: Secret;
  /** Models of the same endpoint that are asked, in this order, when the first cannot answer. */
  readonly fallbacks?: readonly string[];
  readonly timeouts?: Partial<Timeouts>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: Limits;
}

interface Asking {
  readonly settings: OpenAiChatSettings;
  readonly surroundings: Surroundings;
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly turn: Turn;
  readonly channel: EventChannel;
}

/** Any server that speaks OpenAI chat completions. It is asked again only while it has not begun to answer. */
export function openAiChatGateway(settings: OpenAiChatSettings, surroundings: Surroundings = {}): Gateway {
  const url = urlBelow(settings.baseUrl, 'chat/completions', 'https://host/v1');
  const endpoint = httpEndpoint(url, { ...defaultTimeouts, ...settings.timeouts });
  const path = pathOf(url);
  return {
    takeTurn: (turn, signal) =>
      channelled(signal, (channel) => ask({ settings, surroundings, endpoint, path, turn, channel })),
  };
}

async function ask(asking: Asking): Promise<void> {
  const { settings, channel, surroundings, turn } = asking;
  const models = [settings.model, ...(settings.fallbacks ?? [])];
  for (const [i, model] of models.entries()) {
    const body = JSON.stringify(chatRequest(model, turn));
    // Whoever has waited a whole timeout is not made to wait another one for the same model.
    const mayAskAgain = (refusal: Refusal): boolean => isPassing(refusal) && !isSlow(refusal);
    const once = (): Promise<Refusal | undefined> => askOnce(asking, model, body);
    const refusal = await askAgain({ channel, mayAskAgain, ...surroundings }, once);
    if (refusal === undefined) return;
    const next = models[i + 1];
    if (next === undefined || !isPassing(refusal)) throw refusal.error;
    channel.push([{ type: 'turn.retried', reason: refusal.error.message, model: next }]);
  }
}

function askOnce(asking: Asking, model: string, body: string): Promise<Refusal | undefined> {
  const { settings, endpoint, path, turn, channel } = asking;
  const { headers: own = {}, limits } = settings;
  const who = `Model ${model}`;
  const key = readSecret(settings.key ?? '', who);
  const headers = requestHeaders(turn, key === '' ? {} : { authorization: `Bearer ${key}` }, own);
  const request: HttpRequest = { method: 'POST', path, headers, body };
  return askChat(request, { who, turn, channel, endpoint, limits, secrets: [key, ...Object.values(own)] });
}

function isPassing({ error, isBeforeAnswer }: Refusal): boolean {
  return isBeforeAnswer && error.failure.retryable === true;
}

function isSlow({ error }: Refusal): boolean {
  return error.failure.code === 'timed-out';
}

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

/** What cannot be handed over is named, so that the model can say that it has not seen it. */
export function noteOf({ type, title, data, url }: Attachment): string {
  const name = `Attachment ${title === undefined ? '' : `"${title}" `}(${type})`;
  if (data !== undefined && type.startsWith('text/')) return `${name}:\n${data}`;
  return url === undefined ? `${name}, not included.` : `${name}: ${url}`;
}

/** A text, and below it what stands for the attachments that cannot go with it. */
export function withNotes(text: string, attachments: readonly Attachment[]): string {
  return [text, ...attachments.map(noteOf)].filter((part) => part !== '').join('\n\n');
}
