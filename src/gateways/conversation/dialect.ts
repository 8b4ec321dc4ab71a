import type { Json } from '../../run/values.ts';
import { ConversationBlock, ConversationFrame } from '../../wire/conversation-service.ts';
import type { Dialect } from '../dialect.ts';
import type { AgentEvent } from '../gateway.ts';

/** What is saved of a conversation service: the id under which it remembers. */
export function conversationState(id: string): AgentEvent & { readonly state: Json } {
  return { type: 'state.reported', state: { ums_conversation_id: id } };
}

/** What a conversation service adds to chunks of chat: the id of the conversation, known as `id` before it answers. */
export function conversationDialect(id: string): Dialect {
  let known = id;
  return {
    take(frame, events) {
      const named = ConversationFrame.safeParse(frame).data?.conversation_id;
      if (named === undefined) return false;
      if (named !== known) events.push(conversationState(named));
      known = named;
      return true;
    },
    framesOf(body) {
      const block = ConversationBlock.safeParse(body).data;
      if (block === undefined) return undefined;
      const chunk = { choices: [{ delta: { content: block.content }, finish_reason: 'stop' }] };
      const { conversation_id: named } = block;
      return named === undefined ? [chunk] : [{ conversation_id: named }, chunk];
    },
    usage: (reported) => reported,
    finish: () => undefined,
  };
}
