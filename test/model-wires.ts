// Stand-ins for providers of models, as their wires are: asked for the weather they call a tool, and then read its result.
import type { Act, SeenRequest } from './upstream.ts';
import { sse } from './upstream.ts';

export interface Wire {
  /** The heading in the guide. */
  readonly name: string;
  /** The address in the guide, for which the stand-in stands. */
  readonly base: { readonly said: string };
  readonly env?: string;
  readonly path: RegExp;
  /** Where the key is, as the wire has it. */
  readonly key: (request: SeenRequest) => unknown;
  readonly calls: readonly object[];
  readonly answers: readonly object[];
  /** Names of events, for wires that have them. */
  readonly named?: true;
  readonly thinks?: string;
}

export const weather = { city: 'Perth' };
export const told = 'It is sunny in Perth.';
const pieces = ['{"city":', '"Perth"}'];

const chunk = (delta: object, more: object = {}, finish: string | null = null): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish, ...more }],
});
const usage = (prompt: number, completion: number): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [],
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
});
const call = (text: string, first?: { readonly id: string; readonly name: string }): object => ({
  tool_calls: [
    {
      index: 0,
      ...(first ? { id: first.id, type: 'function' } : {}),
      function: { ...(first ? { name: first.name } : {}), arguments: text },
    },
  ],
});

const bearer = ({ headers }: SeenRequest): unknown => headers['authorization'];
const openAiCalls = [
  chunk({ role: 'assistant', content: null, ...call('', { id: 'call_1', name: 'weather' }) }),
  ...pieces.map((piece) => chunk(call(piece))),
  chunk({}, {}, 'tool_calls'),
  usage(20, 10),
];
const openAiAnswers = [
  chunk({ role: 'assistant', content: '' }),
  ...told.split(/(?<= )/).map((word) => chunk({ content: word })),
  chunk({}, {}, 'stop'),
  usage(40, 6),
];
const chat = {
  path: /\/chat\/completions$/,
  key: bearer,
  calls: openAiCalls,
  answers: openAiAnswers,
};

export const wires: readonly Wire[] = [
  {
    ...chat,
    name: 'OpenAI',
    base: { said: 'https://api.openai.com' },
    env: 'OPENAI_API_KEY',
  },
  {
    ...chat,
    name: 'Ollama',
    base: { said: 'http://localhost:11434' },
    // Whole calls in one piece, under an index, and no usage unless asked.
    calls: [
      chunk({
        role: 'assistant',
        content: '',
        reasoning: 'They ask for weather.',
        ...call('{"city":"Perth"}', { id: 'call_abc', name: 'weather' }),
      }),
      chunk({ role: 'assistant', content: '' }, {}, 'tool_calls'),
    ],
  },
  {
    ...chat,
    name: 'vLLM',
    base: { said: 'http://localhost:8000' },
    env: 'VLLM_API_KEY',
    thinks: 'They ask for weather.',
    calls: [
      chunk({ role: 'assistant', content: '' }, { logprobs: null }),
      chunk({ reasoning_content: 'They ask for weather.' }, { logprobs: null }),
      chunk(call('', { id: 'chatcmpl-tool-1', name: 'weather' })),
      ...pieces.map((piece) => chunk(call(piece))),
      chunk({ content: '' }, { stop_reason: null }, 'tool_calls'),
    ],
  },
  {
    ...chat,
    name: 'DIAL',
    base: { said: 'https://dial.example' },
    env: 'DIAL_API_KEY',
    path: /^\/openai\/deployments\/gpt-5\.2\/chat\/completions\?api-version=/,
    key: ({ headers }) => headers['api-key'],
  },
  {
    ...chat,
    name: 'Any other AI SDK provider',
    base: { said: 'https://models.example' },
    env: 'PROVIDER_API_KEY',
  },
  anthropic(),
  google(),
];

function anthropic(): Wire {
  const opening = {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 20, output_tokens: 1 },
    },
  };
  const closing = (reason: string): object[] => [
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: 10 },
    },
    { type: 'message_stop' },
  ];
  const delta = (inner: object): object => ({ type: 'content_block_delta', index: 0, delta: inner });
  return {
    name: 'Anthropic',
    base: { said: 'https://api.anthropic.com' },
    env: 'ANTHROPIC_API_KEY',
    path: /^\/v1\/messages$/,
    key: ({ headers }) => headers['x-api-key'],
    named: true,
    calls: [
      opening,
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
      },
      { type: 'ping' },
      ...pieces.map((piece) => delta({ type: 'input_json_delta', partial_json: piece })),
      ...closing('tool_use'),
    ],
    answers: [
      opening,
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...told.split(/(?<= )/).map((word) => delta({ type: 'text_delta', text: word })),
      ...closing('end_turn'),
    ],
  };
}

function google(): Wire {
  const part = (inner: object, finish?: string): object => ({
    candidates: [
      { content: { role: 'model', parts: [inner] }, index: 0, ...(finish ? { finishReason: finish } : {}) },
    ],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
    modelVersion: 'm',
    responseId: 'r1',
  });
  return {
    name: 'Google',
    base: { said: 'https://generativelanguage.googleapis.com' },
    env: 'GEMINI_API_KEY',
    path: /^\/v1beta\/models\/gemini-2\.5-flash:streamGenerateContent\?alt=sse$/,
    key: ({ headers }) => headers['x-goog-api-key'],
    calls: [part({ functionCall: { name: 'weather', args: weather } }, 'STOP')],
    answers: [...told.split(/(?<= )/).map((word) => part({ text: word })), part({ text: '' }, 'STOP')],
  };
}

/** An answer of this wire, as it goes over it. */
export function framed({ named, path }: Wire, frames: readonly object[]): Act[] {
  const isChat = path.source.includes('completions');
  const lines = frames.map((frame) => {
    const event = named && 'type' in frame ? `event: ${String(frame.type)}\n` : '';
    return `${event}data: ${JSON.stringify(frame)}\n\n`;
  });
  return [sse, ...lines.map((send) => ({ send })), ...(isChat ? [{ send: 'data: [DONE]\n\n' }] : []), 'end'];
}
