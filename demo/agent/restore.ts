import { z } from 'zod';
import type { Json, Message } from '../../src/index.ts';
import { DialError } from '../dial/dial-error.ts';
import type { DialMessage } from '../dial/dial-request.ts';

const ToolCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

/** A message as it is kept in the state: an assistant's calls, or what a tool gave. */
const Kept = z.union([
  z.object({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(ToolCall).min(1),
  }),
  z.object({
    role: z.literal('tool'),
    content: z.string(),
    tool_call_id: z.string(),
    name: z.string().nullish(),
  }),
]);

const State = z.object({ tool_call_history: z.array(Kept) });

export interface RestoredCall {
  readonly tool: string;
  readonly arguments: string;
  readonly result: string;
}

/** The exchange as the model reads it, with the calls of earlier turns where they were made. */
export function restore(messages: readonly DialMessage[]): {
  readonly messages: Message[];
  readonly restored: RestoredCall[];
} {
  const restored: RestoredCall[] = [];
  const exchange = messages.flatMap((message): Message[] => {
    const text = textOf(message);
    switch (message.role) {
      case 'system':
      case 'user':
        return [{ role: message.role, text: withAttachments(text, message) }];
      case 'assistant': {
        const kept = keptIn(message.custom_content?.state);
        restored.push(...callsIn(kept));
        return [...kept, { role: 'assistant', text }];
      }
      case 'tool':
      case 'function':
        throw new DialError(400, 'Results of tools belong into the state of assistant messages.');
    }
  });
  if (messages.at(-1)?.role !== 'user') throw new DialError(400, 'The last message must be the user’s.');
  return { messages: exchange, restored };
}

/** Messages of a turn as the state keeps them; the answer itself is the client’s to keep. */
export function stateOf(added: readonly Message[]): Json {
  const names = new Map(added.flatMap(({ calls = [] }) => calls.map(({ id, tool }) => [id, tool] as const)));
  const history = added.flatMap(({ role, text, calls = [], call = '' }): Json[] => {
    if (role === 'tool') return [{ role, content: text, tool_call_id: call, name: names.get(call) ?? '' }];
    if (role !== 'assistant' || calls.length === 0) return [];
    const tool_calls = calls.map(({ id, tool, arguments: given }) => ({
      id,
      type: 'function',
      function: { name: tool, arguments: given },
    }));
    return [{ role, content: text, tool_calls }];
  });
  return { tool_call_history: history };
}

/** A state of another agent, or none, restores nothing. */
function keptIn(state: Json | undefined): Message[] {
  const parsed = State.safeParse(state);
  if (!parsed.success) return [];
  return parsed.data.tool_call_history.map((kept): Message =>
    kept.role === 'tool'
      ? { role: 'tool', call: kept.tool_call_id, text: kept.content }
      : {
          role: 'assistant',
          text: kept.content ?? '',
          calls: kept.tool_calls.map(({ id, function: called }) => ({
            id,
            tool: called.name,
            arguments: called.arguments,
          })),
        },
  );
}

function callsIn(kept: readonly Message[]): RestoredCall[] {
  const results = new Map(
    kept.flatMap(({ role, call, text }) => (role === 'tool' && call !== undefined ? [[call, text]] : [])),
  );
  return kept.flatMap(({ calls = [] }) =>
    calls.map(({ id, tool, arguments: given }) => ({
      tool,
      arguments: given,
      result: results.get(id) ?? '',
    })),
  );
}

function textOf({ content }: DialMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text = '' }) => text).join('\n');
}

/** Attachments a model can read go along as text, the others by name. */
function withAttachments(text: string, { custom_content: custom }: DialMessage): string {
  const notes = (custom?.attachments ?? []).map(({ type, title, data, url }) =>
    type.startsWith('text/') && data
      ? `Attachment ${title ?? ''} (${type}):\n${data}`
      : `Attachment ${title ?? url ?? ''} (${type})`,
  );
  return [text, ...notes].join('\n\n');
}
