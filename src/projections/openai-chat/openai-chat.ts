import { RunError } from '../../run/failure.ts';
import { parsed } from '../../run/values.ts';
import { ChatCompletionRequest } from '../../wire/chat-request.ts';
import type { Framing } from '../../wire/framing.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';
import { chatError } from '../chat/chat-error.ts';
import { usageOf, wholeOf, type ChatFrame, type ChatPlace } from '../chat/chat.ts';
import { decisionIn, sentChat } from '../chat/sent-chat.ts';
import type { Door, DoorRequest, Wish } from '../door.ts';
import { protocol } from '../protocol.ts';
import { unusedIn } from '../unused-fields.ts';
import { answerId, namedQuestion, openAiChatProjection } from './projection.ts';
import { present } from '../../run/tree.ts';

/** The most bytes of a request: a conversation with pictures in it. */
export const mostBytes = 32 * 1024 * 1024;

export const openAiChat = protocol<ChatPlace<null, null>, ChatFrame, SseFrame>({
  name: 'openai-chat',
  projection: openAiChatProjection,
  write: ({ data }) => ({ data: data === '[DONE]' ? data : JSON.stringify(data) }),
  ends: 'question',
  block: (frames, { run }) => completion(frames, run),
  error: chatError,
  doors: [
    {
      path: '/v1/chat/completions',
      about: 'Chat completions of OpenAI: «model» names the app.',
      bodyLimit: mostBytes,
      read: readChat,
    },
    {
      method: 'GET',
      path: '/v1/models',
      about: 'The apps, as models of OpenAI.',
      role: 'viewer',
      read: () => ({
        wants: 'look',
        look: ({ apps }) => ({ object: 'list', data: apps.map((app) => modelOf(app)) }),
      }),
    },
    {
      method: 'GET',
      path: '/v1/models/:model',
      about: 'One app, as a model of OpenAI.',
      role: 'viewer',
      read: ({ params: { model = '' } }) => ({
        wants: 'look',
        look: ({ apps }) => modelOf(apps.find(({ name }) => name === model) ?? noApp(model)),
      }),
    },
  ] satisfies readonly Door<Framing>[],
});

function readChat({ body, header }: DoorRequest): Wish<Framing> {
  const request = parsed(ChatCompletionRequest, body, 'The request');
  const { model: app = '', messages, stream, stream_options: options, metadata } = request;
  const form = stream === true ? 'stream' : 'whole';
  const wanted = { form, options: { usage: options?.include_usage === true } } as const;
  const { message, history } = sentChat(messages);
  const decision = decisionIn(message);
  if (decision) return { wants: 'decide', app: app || undefined, decisions: [decision], ...wanted };
  const isRetry = isSentAgain(header);
  const ignored = unusedIn(request, ChatCompletionRequest.shape);
  return {
    wants: 'start',
    app,
    message,
    history,
    labels: metadata ?? undefined,
    isRetry,
    ignored,
    ...wanted,
  };
}

/** The official clients say how often they have tried. */
export function isSentAgain(header: DoorRequest['header']): boolean {
  return Number(header('x-stainless-retry-count') ?? 0) > 0;
}

function noApp(model: string): never {
  throw new RunError('unknown', `There is no app «${model.slice(0, 100)}»: GET /v1/models lists them.`);
}

function modelOf({
  name,
  description,
}: {
  readonly name: string;
  readonly description?: string | undefined;
}): object {
  return { id: name, object: 'model', created: 0, owned_by: 'vitrine', ...present({ description }) };
}

/** A whole answer. Its steps are what `x_step` told, joined. */
function completion(frames: readonly ChatFrame[], run: string): object {
  const { content, ended, finish, questions } = wholeOf(frames);
  const { id, created, model } = (frames[0]?.data ?? {}) as { id?: string; created?: number; model?: string };
  const asked = questions.map(namedQuestion);
  return {
    id: id ?? answerId(run, 0),
    object: 'chat.completion',
    created: created ?? 0,
    model: model ?? '',
    choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: finish }],
    usage: usageOf(ended?.usage ?? { input: 0, output: 0 }),
    ...(asked.length > 0 ? { x_approvals: asked } : {}),
    x_steps: joinedSteps(frames),
  };
}

interface Told {
  readonly id: string;
  readonly text?: string;
  readonly channel?: string;
}

function joinedSteps(frames: readonly ChatFrame[]): readonly object[] {
  const steps = new Map<string, Record<string, unknown>>();
  for (const { data } of frames) {
    if (data === '[DONE]' || !('x_step' in data)) continue;
    const { id, text, channel = 'content', ...more } = data.x_step as Told;
    const step = steps.get(id) ?? {};
    const before = step[channel];
    const said = text === undefined ? {} : { [channel]: typeof before === 'string' ? before + text : text };
    steps.set(id, { ...step, id, ...more, ...said });
  }
  return [...steps.values()];
}
