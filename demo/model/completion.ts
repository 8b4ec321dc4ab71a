import type { ChatRequest } from '../../src/wire/openai.ts';
import type { Call } from './rule.ts';
import type { decide } from './rules.ts';

/** One answer of the model, ready to be sent whole or in pieces. */
export interface Completion {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly (Call & { readonly id: string })[];
  readonly finish: 'stop' | 'tool_calls' | 'length';
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
  };
}

/** About four characters make a token; good enough for a model that has none. */
const perToken = 4;

export function completionOf(
  request: ChatRequest,
  { text, calls, rule, why }: ReturnType<typeof decide>,
  { id, created }: { readonly id: string; readonly created: number },
): Completion {
  const room = (request.max_tokens ?? Infinity) * perToken;
  const shown = text.length > room ? text.slice(0, room).toWellFormed() : text;
  const prompt = tokens(JSON.stringify(request.messages) + JSON.stringify(request.tools ?? []));
  const completion = tokens(shown + calls.map((call) => JSON.stringify(call)).join(''));
  return {
    id: `chatcmpl-${id}`,
    created,
    model: request.model,
    reasoning: `Scripted model, rule «${rule}»: ${why}.`,
    text: shown,
    calls: calls.map((call, i) => ({ ...call, id: `call_${id.slice(0, 8)}_${i}` })),
    finish: calls.length > 0 ? 'tool_calls' : shown.length < text.length ? 'length' : 'stop',
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}

export function wholeBody({ id, created, model, reasoning, text, calls, finish, usage }: Completion): object {
  const tool_calls = calls.map(({ id: call, tool, arguments: given }) => ({
    id: call,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(given) },
  }));
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    reasoning_content: reasoning,
    ...(calls.length > 0 && { tool_calls }),
  };
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    system_fingerprint: 'scripted',
    choices: [{ index: 0, message, finish_reason: finish }],
    usage,
  };
}

function tokens(text: string): number {
  return Math.ceil(text.length / perToken);
}
