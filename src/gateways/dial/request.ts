import type { DialMessage, DialRequest } from '../../wire/dial.ts';
import { withNotes } from '../attachment-note.ts';
import { chatCalls, chatOptions } from '../chat/request.ts';
import { dialAttachment } from './attachment.ts';
import type { Message, Turn } from '../gateway.ts';

/** A turn as the strictest DIAL server takes it. */
export function dialRequest(turn: Turn): DialRequest {
  return { messages: turn.messages.map(dialMessage), stream: true, ...chatOptions(turn) };
}

function dialMessage(message: Message): DialMessage {
  const { role, text, attachments = [], calls = [], call = '', state } = message;
  switch (role) {
    case 'system':
      return { role, content: withNotes(text, attachments) };
    case 'user':
      return userMessage(message);
    case 'assistant':
      return {
        role,
        content: text === '' && calls.length > 0 ? null : text,
        ...(calls.length === 0 ? {} : { tool_calls: chatCalls(message) }),
        ...(state === undefined || state === null ? {} : { custom_content: { state } }),
      };
    case 'tool':
      return { role, tool_call_id: call, content: withNotes(text, attachments) };
  }
}

function userMessage({ text, attachments = [] }: Message): DialMessage {
  const sent = attachments.flatMap((attachment) => dialAttachment(attachment) ?? []);
  const unsent = attachments.filter((attachment) => dialAttachment(attachment) === undefined);
  return {
    role: 'user',
    content: withNotes(text, unsent),
    ...(sent.length === 0 ? {} : { custom_content: { attachments: sent } }),
  };
}
