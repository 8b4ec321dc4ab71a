import { RunError } from '../../run/failure.ts';
import { parsed } from '../../run/values.ts';
import { AiSdkRequest, type AiSdkMessage, type AiSdkPart } from '../../wire/ai-sdk.ts';
import type { Framing } from '../../wire/framing.ts';
import type { Door, SentAttachment, SentDecision, SentMessage, Wish } from '../door.ts';
import { linked } from '../sent-attachment.ts';
import { unusedIn } from '../unused-fields.ts';
import { supersededLine } from '../../run/answer-text.ts';
import { present } from '../../run/tree.ts';

/** Attachments come within the messages. Bytes. */
const bodyLimit = 16 * 1024 * 1024;

/**
 * How long after the end of a run a chat is still told of it: one that was cut off in the middle comes back by itself, and
 * would stay with half an answer. Milliseconds.
 */
const endedWithin = 600_000;

/** Where a chat sends what was said, comes back to what runs, and stops it. */
export const aiSdkDoors: readonly Door<Framing>[] = [
  {
    path: '/ai-sdk/:app/chat',
    about: 'Say something in a chat of the AI SDK, or answer what was asked.',
    bodyLimit,
    read: ({ params: { app = '' }, body }) => wishOf(app, parsed(AiSdkRequest, body, 'The request')),
  },
  {
    method: 'GET',
    path: '/ai-sdk/:app/chat/:id/stream',
    about: 'What runs in a chat, or ran a moment ago, told from its beginning; 204 where nothing did.',
    role: 'viewer',
    read: ({ params: { id = '' } }) => ({
      wants: 'follow',
      of: { conversation: id },
      answer: 'all',
      endedWithin,
      form: 'stream',
    }),
  },
  {
    path: '/ai-sdk/:app/chat/:id/stop',
    about: 'Stop what runs in a chat.',
    read: ({ params: { id = '' } }) => ({ wants: 'stop', of: { conversation: id }, form: 'none' }),
  },
];

function wishOf(app: string, request: AiSdkRequest): Wish<Framing> {
  const { id, messages, system } = request;
  const last = messages.at(-1);
  if (last?.role === 'assistant') {
    const decisions = decisionsIn(last);
    if (decisions.length > 0) return { wants: 'decide', app, decisions, field: 'messages', form: 'stream' };
    throw new RunError(
      'malformed',
      'The last of «messages» is an answer, and answers no question: send what the user says.',
    );
  }
  if (last?.role !== 'user')
    throw new RunError(
      'malformed',
      'The last of «messages» is neither a message of the user nor an answer to a question.',
    );
  const before = messages.slice(0, -1);
  const first: SentMessage[] = system ? [{ role: 'system', text: system }] : [];
  return {
    wants: 'start',
    app,
    message: sentMessage(last),
    conversation: id,
    history: [...first, ...before.map(sentMessage)],
    ignored: [...undecided(before.at(-1)), ...unusedIn(request, AiSdkRequest.shape)],
    form: 'stream',
  };
}

/** What a person made of what they were asked, in the message that asked it. */
function decisionsIn({ parts }: AiSdkMessage): SentDecision[] {
  return parts.flatMap(({ state, approval }) => {
    if (state !== 'approval-responded' || approval?.approved === undefined) return [];
    const decision = approval.approved ? ('approve' as const) : ('reject' as const);
    return [{ question: approval.id, decision, rationale: approval.reason }];
  });
}

/** What was answered in the message before, and not sent by itself: the new message came first. */
function undecided(answer: AiSdkMessage | undefined): string[] {
  const decisions = answer ? decisionsIn(answer) : [];
  return decisions.map(
    ({ question }) =>
      `What was decided about «${question}» came together with a message and was not used: decide it at /api/approvals/${question}.`,
  );
}

/** An answer of ours has the id of its run. Of what it consists of, what was said counts. */
function sentMessage({ id, role, parts }: AiSdkMessage): SentMessage {
  const texts = parts.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : []));
  const counting = texts.filter((text) => !text.endsWith(supersededLine));
  if (role === 'assistant') return { role, text: counting.at(-1) ?? '', run: id };
  return {
    role,
    text: counting.join('\n\n'),
    attachments: parts.flatMap((part) => attachmentIn(part, id ?? '')),
  };
}

function attachmentIn({ type, url, mediaType, filename }: AiSdkPart, message: string): SentAttachment[] {
  if (type !== 'file' || url === undefined) return [];
  const attachment = linked(url, { at: `A file of message «${message.slice(0, 100)}»`, type: mediaType });
  return [{ ...attachment, ...present({ title: filename }) }];
}
