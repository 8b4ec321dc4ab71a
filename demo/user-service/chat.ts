import type { Gateway, Message } from '../../src/index.ts';
import { takeAgentTurn } from '../agent/agent-turn.ts';
import type { Conversations, StoredMessage } from './conversations.ts';
import { userTools } from './user-tools.ts';
import type { Users } from './users.ts';

const system =
  'You manage the users of Banksia Networks with your tools. Answer from what they return, name users with their numbers, and ' +
  'change nothing that was not asked for.';

export interface Chat {
  readonly conversations: Conversations;
  readonly users: Users;
  readonly model: Gateway;
  readonly signal: AbortSignal;
}

/** One turn of a conversation. The message is kept before the work begins, so that the history tells that it arrived. */
export async function chat(
  { conversations, users, model, signal }: Chat,
  { id, content }: { readonly id: string; readonly content: string },
  say: (text: string) => void,
): Promise<string> {
  const before = conversations.get(id)?.messages ?? [];
  const opened: StoredMessage[] = before.length === 0 ? [{ role: 'system', content: system }] : before;
  const asked: StoredMessage[] = [...opened, { role: 'user', content }];
  conversations.save(id, asked);
  const turn = {
    model,
    messages: asked.map(messageOf),
    tools: userTools(users, { conversation: id, message: content }),
    conversation: id,
    idempotencyKey: `${id}-${asked.length}`,
  };
  const nobody = {
    think: () => undefined,
    use: () => undefined,
    begin: () => ({ say: () => undefined, attach: () => undefined, end: () => undefined }),
  };
  const added = await takeAgentTurn(turn, { say, ...nobody }, signal);
  conversations.save(id, [...asked, ...added.map(storedOf)]);
  return added.at(-1)?.text ?? '';
}

function messageOf({ role, content, tool_calls, tool_call_id }: StoredMessage): Message {
  return {
    role,
    text: content,
    ...(tool_calls && {
      calls: tool_calls.map(({ id, function: called }) => ({
        id,
        tool: called.name,
        arguments: called.arguments,
      })),
    }),
    ...(tool_call_id !== undefined && { call: tool_call_id }),
  };
}

function storedOf({ role, text, calls, call }: Message): StoredMessage {
  return {
    role,
    content: text,
    ...(calls && {
      tool_calls: calls.map(({ id, tool, arguments: given }) => ({
        id,
        type: 'function' as const,
        function: { name: tool, arguments: given },
      })),
    }),
    ...(call !== undefined && { tool_call_id: call }),
  };
}
