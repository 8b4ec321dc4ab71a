import type { Message, Turn } from '../../gateways/gateway.ts';
import type { Attachment } from '../../run/values.ts';

/** How many characters whoever takes this turn has to read: the messages, and what is offered with them. */
export function sentCharacters({ messages, tools, answerSchema }: Pick<Turn, Read>): number {
  let characters = sizeOf(tools) + sizeOf(answerSchema);
  for (const message of messages) characters += charactersIn(message);
  return characters;
}

type Read = 'messages' | 'tools' | 'answerSchema';

function charactersIn({ text, attachments = [], calls, state }: Message): number {
  let characters = text.length + sizeOf(calls) + sizeOf(state);
  for (const attachment of attachments) characters += readable(attachment);
  return characters;
}

/** A picture in Base64 says nothing about its tokens. */
function readable({ type, data = '' }: Attachment): number {
  return type.startsWith('text/') || type.includes('json') ? data.length : 0;
}

function sizeOf(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}
