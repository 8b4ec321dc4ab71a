import { decisionInWords } from '../../run/asking.ts';
import { RunError } from '../../run/failure.ts';
import type { ChatMessageIn, ChatPartIn } from '../../wire/chat-request.ts';
import type { SentAttachment, SentDecision, SentMessage } from '../door.ts';
import { linked } from '../sent-attachment.ts';
import { filled, present } from '../../run/tree.ts';

/** The conversation of a request, and the message that is to be answered now. */
export interface SentChat {
  readonly message: SentMessage;
  readonly history: readonly SentMessage[];
}

/** The last message is what is asked; all before it is the conversation. */
export function sentChat(messages: readonly ChatMessageIn[], more: More = () => ({})): SentChat {
  const all = messages.map((message, i) => sentMessage(message, i, more));
  const last = all.at(-1);
  if (last?.role !== 'user')
    throw new RunError('malformed', 'The last of «messages» is what is answered: its role is «user».');
  return { message: last, history: all.slice(0, -1) };
}

/** What somebody decides by a message; undefined for every other message. */
export function decisionIn({ text, attachments = [] }: SentMessage): SentDecision | undefined {
  const decided = decisionInWords(text);
  if (!decided) return undefined;
  if (attachments.length > 0)
    throw new RunError('malformed', 'A message that decides has nothing attached: send it in the next one.');
  return { question: decided.fingerprint, decision: decided.decision };
}

/** What a dialect says of a message besides. */
export type More = (message: ChatMessageIn) => Pick<SentMessage, 'attachments' | 'state' | 'run'>;

function sentMessage(message: ChatMessageIn, place: number, more: More): SentMessage {
  const { role, content } = message;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []);
  const text = parts.flatMap((part) => textsIn(part)).join('');
  const own = more(message);
  const attachments = parts.flatMap((part) => attachmentsIn(part, place));
  return {
    role: roles[role],
    text,
    ...present({ ...own, attachments: filled([...attachments, ...(own.attachments ?? [])]) }),
  };
}

const roles = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  function: 'tool',
  tool: 'tool',
} as const;

function textsIn(part: ChatPartIn): string[] {
  if (part.type === 'text') return [part.text];
  return part.type === 'refusal' ? [part.refusal] : [];
}

function attachmentsIn(part: ChatPartIn, place: number): SentAttachment[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return [];
    case 'image_url':
      return [linked(part.image_url.url, { at: `messages.${place}` })];
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return [{ type: `audio/${format}`, data }];
    }
    case 'file': {
      const { file_id: file, file_data: data, filename: title } = part.file;
      if (file !== undefined) return [{ file, ...present({ title }) }];
      if (data !== undefined)
        return [{ ...linked(data, { at: `messages.${place}` }), ...present({ title }) }];
      throw new RunError('malformed', `messages.${place}: give a file its «file_id» or «file_data».`);
    }
  }
}
