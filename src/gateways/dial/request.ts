import type { DialMessage, DialRequest } from '../../wire/dial.ts';
import { withNotes, chatCalls, chatOptions } from '../chat/openai-chat.ts';
import { dialAttachment } from './attachment.ts';
import type { Json } from '../../run/values.ts';
import type { AgentAnswer, Message, Turn } from '../gateway.ts';
import { present } from '../../run/tree.ts';

/** A turn as the strictest DIAL server takes it. */
export function dialRequest(turn: Turn): DialRequest {
  const { messages, answers = [] } = turn;
  const sent = messages.map(dialMessage);
  const last = answers.length === 0 ? [] : [decisionMessage(answers)];
  return {
    messages: [...sent.slice(0, sent.length - last.length), ...last],
    stream: true,
    ...chatOptions(turn),
  };
}

/** What people made of what a Vitrine asked, in place of what it was told before. */
function decisionMessage(answers: readonly AgentAnswer[]): DialMessage {
  const decisions = answers.map(({ id: question, decision, answer, rationale }) => {
    const isEdit = decision === 'edit';
    const made = { arguments: isEdit ? answer : undefined, answer: isEdit ? undefined : answer };
    const word = decision === 'expire' ? 'reject' : decision;
    return { question, decision: word, ...present({ rationale, ...made }) } as const;
  });
  const content = decisions.map(({ decision }) => decision).join(', ');
  return { role: 'user', content, custom_content: { form_value: { decisions } as Json } };
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
