import type { ContentPart, Message as AgUiMessage, ResumeEntry, RunAgentInput } from '@ag-ui/core';
import type { Attachment } from '../../run/values.ts';
import { noteOf, withNotes } from '../chat/openai-chat.ts';
import type { AgentAnswer, Message, Turn } from '../gateway.ts';
import { exchangeIn, Token, type Exchange } from './thread.ts';

/** A turn as an agent of AG-UI is asked to take it. */
export function inputOf(turn: Turn, { thread, asked, shared }: Exchange): RunAgentInput {
  const { messages, tools = [], answers = [], idempotencyKey } = turn;
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return {
    threadId: thread,
    runId: idempotencyKey,
    messages: messages.map((message, i) => messageOf(message, i === last ? asked : nameOf(messages, i))),
    tools: tools.map(({ name, description, schema }) => ({ name, description, parameters: schema })),
    context: [],
    state: shared ?? {},
    forwardedProps: {},
    ...(answers.length === 0 ? {} : { resume: answers.map(resumed) }),
  };
}

/** An agent that keeps its threads knows a message by its name, and would take another name for another message. */
function nameOf(messages: readonly Message[], i: number): string {
  const fallback = `m${i + 1}`;
  if (messages[i]?.role === 'assistant') return exchangeIn(messages[i].state)?.said ?? fallback;
  return exchangeIn(messages[i + 1]?.state)?.asked ?? fallback;
}

function messageOf(
  { role, text, attachments = [], calls = [], call = '' }: Message,
  id: string,
): AgUiMessage {
  switch (role) {
    case 'system':
      return { id, role, content: withNotes(text, attachments) };
    case 'user':
      return { id, role, content: attachments.length === 0 ? text : partsOf(text, attachments) };
    case 'assistant': {
      const toolCalls = calls.map(({ id: name, tool, arguments: given }) => ({
        id: name,
        type: 'function' as const,
        function: { name: tool, arguments: given },
      }));
      return { id, role, content: text, ...(toolCalls.length === 0 ? {} : { toolCalls }) };
    }
    case 'tool':
      return { id, role, toolCallId: call, content: withNotes(text, attachments) };
  }
}

function partsOf(text: string, attachments: readonly Attachment[]): ContentPart[] {
  const words: ContentPart[] = text === '' ? [] : [{ type: 'text', text }];
  return [...words, ...attachments.map(partOf)];
}

function partOf(attachment: Attachment): ContentPart {
  const { type: mimeType, data, url } = attachment;
  const [kind] = mimeType.split('/', 1);
  const type = kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
  if (url !== undefined) return { type, source: { type: 'url', value: url, mimeType } };
  if (data === undefined || kind === 'text') return { type: 'text', text: noteOf(attachment) };
  return { type, source: { type: 'data', value: data, mimeType } };
}

/** What a person decided. A no is an answer, too; where nobody decided, the question is called off. */
function resumed({ id: interruptId, decision, answer, rationale, token }: AgentAnswer): ResumeEntry {
  const why = rationale === undefined ? {} : { reason: rationale };
  switch (decision) {
    case 'expire':
      return { interruptId, status: 'cancelled' };
    case 'reject':
      return { interruptId, status: 'resolved', payload: { approved: false, ...why } };
    case 'edit':
      return { interruptId, status: 'resolved', payload: { approved: true, arguments: answer, ...why } };
    case 'approve': {
      const isFilledIn = answer !== undefined && Token.safeParse(token).data?.hasSchema === true;
      return { interruptId, status: 'resolved', payload: isFilledIn ? answer : { approved: true, ...why } };
    }
  }
}
