import { RunError } from '../../run/failure.ts';
import { parsed } from '../../run/values.ts';
import {
  ResponsesRequest,
  type ResponsesItemIn,
  type ResponsesMessageIn,
  type ResponsesPartIn,
} from '../../wire/responses-request.ts';
import type { Framing } from '../../wire/framing.ts';
import type { DoorRequest, SentAttachment, SentDecision, SentMessage, Wish } from '../door.ts';
import { isSentAgain } from '../openai-chat/openai-chat.ts';
import { linked } from '../sent-attachment.ts';
import { unusedIn } from '../unused-fields.ts';
import { answerOfMessage, readResponseId } from './ids.ts';
import { isReference, reference, unknownIn } from './reference.ts';
import { filled, present } from '../../run/tree.ts';

/** What a request of the Responses API asks for. */
export function readResponses({ body, header }: DoorRequest): Wish<Framing> {
  const request = parsed(ResponsesRequest, body, 'The request');
  const { model: app = '', input, stream, background, metadata } = request;
  const form = stream === true ? 'stream' : background === true ? 'now' : 'whole';
  const items = typeof input === 'string' ? [{ role: 'user', content: input } as const] : input;
  const decisions = decisionsIn(items);
  if (decisions.length > 0)
    return { wants: 'decide', app: app || undefined, decisions, field: 'input', form };
  const sent = items.flatMap((item, i) => messageIn(item, i));
  const message = sent.at(-1);
  if (message?.role !== 'user')
    throw new RunError('malformed', 'The last of «input» is what is answered: a message of role «user».');
  return {
    wants: 'start',
    app,
    form,
    labels: metadata ?? undefined,
    isRetry: isSentAgain(header),
    ignored: [...unusedIn(request, ResponsesRequest.shape), ...unkept(request), ...unknownIn(items)],
    ...asked(request, { message, before: sent.slice(0, -1) }),
  };
}

interface Sent {
  readonly message: SentMessage;
  readonly before: readonly SentMessage[];
}

type Asked = Pick<
  Extract<Wish<Framing>, { wants: 'start' }>,
  'message' | 'history' | 'conversation' | 'follows'
>;

/** A conversation that is kept here goes on by its name, or after a response; any other is what the client sends. */
function asked(
  { instructions, previous_response_id: previous, conversation }: ResponsesRequest,
  sent: Sent,
): Asked {
  const { message, before } = sent;
  const name = typeof conversation === 'string' ? conversation : conversation?.id;
  if (previous && name !== undefined)
    throw new RunError('malformed', 'Give «previous_response_id» or «conversation», and not both.');
  if (!previous && name === undefined) {
    const first: SentMessage[] = instructions ? [{ role: 'system', text: instructions }] : [];
    return { message, history: [...first, ...before] };
  }
  const words = [instructions, ...before.map(({ text }) => text), message.text].filter(Boolean).join('\n\n');
  const attachments = filled([...before, message].flatMap((one) => one.attachments ?? []));
  const whole = { ...message, text: words, ...present({ attachments }) };
  return {
    message: whole,
    ...(previous ? { follows: readResponseId(previous) } : { conversation: name }),
  };
}

function unkept({ store }: ResponsesRequest): readonly string[] {
  return store === false
    ? ['«store: false» of the request was not used: every run is kept until it is erased.']
    : [];
}

/** What is decided now: behind all messages. What was decided before the last answer is history. */
function decisionsIn(items: readonly ResponsesItemIn[]): SentDecision[] {
  const answered = items.findLastIndex((item) => messageIn(item, 0).some(({ role }) => role === 'assistant'));
  const said = Math.max(
    answered,
    items.findLastIndex((item) => 'role' in item),
  );
  if (items.slice(answered + 1, Math.max(0, said)).some((item) => decisionIn(item).length > 0))
    throw new RunError(
      'malformed',
      'The «input» decides and says something at once: send the «mcp_approval_response» alone, and the message after its answer.',
    );
  return items.slice(said + 1).flatMap((item) => decisionIn(item));
}

function decisionIn(item: ResponsesItemIn): SentDecision[] {
  if (!('approval_request_id' in item)) return [];
  const { approval_request_id: question, approve, reason } = item;
  return [
    { question, decision: approve ? 'approve' : 'reject', ...present({ rationale: reason ?? undefined }) },
  ];
}

function messageIn(item: ResponsesItemIn, place: number): SentMessage[] {
  if (isReference(item)) return reference(item.id);
  if (!('role' in item)) return [];
  const { role, content, id }: ResponsesMessageIn = item;
  const parts = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  const attachments = filled(parts.flatMap((part) => attachmentsIn(part, place)));
  const run = role === 'assistant' ? answerOfMessage(id)?.run : undefined;
  const text = parts
    .map((part) => ('text' in part ? part.text : 'refusal' in part ? part.refusal : ''))
    .join('');
  return [{ role: role === 'developer' ? 'system' : role, text, ...present({ attachments, run }) }];
}

function attachmentsIn(part: ResponsesPartIn, place: number): SentAttachment[] {
  if (part.type === 'input_image') {
    const { image_url: url, file_id: file } = part;
    if (file) return [{ file }];
    if (url) return [linked(url, { at: `input.${place}` })];
    throw new RunError('malformed', `input.${place}: give an image its «image_url» or «file_id».`);
  }
  if (part.type !== 'input_file') return [];
  const { file_id: file, file_data: data, file_url: url, filename } = part;
  const title = present({ title: filename ?? undefined });
  if (file) return [{ file, ...title }];
  const link = data ?? url;
  if (link) return [{ ...linked(link, { at: `input.${place}` }), ...title }];
  throw new RunError('malformed', `input.${place}: give a file its «file_id», «file_data» or «file_url».`);
}
