import { z } from 'zod';
import { runIn } from '../../run/combined-state.ts';
import { parsed } from '../../run/values.ts';
import { ChatCompletionRequest, type ChatMessageIn } from '../../wire/chat-request.ts';
import { asciiJson } from '../../wire/ascii-json.ts';
import { PeerDecisions, peerHeader } from '../../wire/dial.ts';
import type { Framing } from '../../wire/framing.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';
import type { ChatFrame, ChatPlace } from '../chat/chat.ts';
import { decisionIn, sentChat } from '../chat/sent-chat.ts';
import type { DoorRequest, SentAttachment, SentMessage, Wish } from '../door.ts';
import { isSentAgain, mostBytes } from '../openai-chat/openai-chat.ts';
import { protocol } from '../protocol.ts';
import { unusedIn } from '../unused-fields.ts';
import { dialBlock } from './block.ts';
import { dialError } from './error.ts';
import { beatOf, dialProjection, type Stages, type StageMark } from './projection.ts';
import { filled, present } from '../../run/tree.ts';

const at = '/openai/deployments/:app';
const keyHeader = 'api-key';

/** What a client may want of the answer, as the newer protocol asks for it. */
const Configuration = z.object({ stages: z.enum(['nested', 'flat']).optional() });
const DialChat = ChatCompletionRequest.extend({
  custom_fields: z.object({ configuration: Configuration.nullish() }).nullish(),
});

/** Vitrine as an application of DIAL: each app is a deployment. */
export const dial = protocol<ChatPlace<Stages, StageMark>, ChatFrame, SseFrame>({
  name: 'dial',
  projection: dialProjection,
  write: ({ data }) => ({ data: data === '[DONE]' ? data : asciiJson(data) }),
  ends: 'question',
  block: dialBlock,
  error: dialError,
  stream: { beat: (options) => ({ data: asciiJson(beatOf(options)) }) },
  doors: [
    {
      path: `${at}/chat/completions`,
      about: 'Chat completions of DIAL: the deployment names the app.',
      keyHeader,
      bodyLimit: mostBytes,
      read: readDial,
    },
    {
      path: `${at}/rate`,
      about: 'Ratings are taken and not kept.',
      keyHeader,
      read: () => ({ wants: 'look', look: () => ({}) }),
    },
    {
      method: 'GET',
      path: `${at}/configuration`,
      about: 'What a request may configure, as a JSON Schema.',
      keyHeader,
      role: 'viewer',
      read: () => ({ wants: 'look', look: () => z.toJSONSchema(Configuration) }),
    },
    {
      method: 'GET',
      path: '/health',
      about: 'Whether this application of DIAL is up.',
      keyHeader,
      role: 'viewer',
      read: () => ({ wants: 'look', look: () => ({ status: 'ok' }) }),
    },
  ],
});

function readDial({ params: { app = '' }, body, header }: DoorRequest): Wish<Framing> {
  const request = parsed(DialChat, body, 'The request');
  const { messages, stream, custom_fields: fields } = request;
  const form = stream === true ? 'stream' : 'whole';
  const flat = fields?.configuration?.stages === 'flat';
  const options: Record<string, boolean> = {
    flat,
    ...(header(peerHeader) === undefined ? {} : { peer: true }),
  };
  const wanted = { form, options } as const;
  const { message, history } = sentChat(messages, (one) => ownOf(one));
  const filled = messages.at(-1)?.custom_content?.form_value ?? undefined;
  if (filled !== undefined)
    return { wants: 'decide', app, ...parsed(PeerDecisions, filled, 'The form'), ...wanted };
  const decision = decisionIn(message);
  if (decision) return { wants: 'decide', app, decisions: [decision], ...wanted };
  const conversation = named(header('x-conversation-id'));
  const ignored = unusedIn(request, DialChat.shape);
  const isRetry = isSentAgain(header);
  return { wants: 'start', app, message, history, conversation, ignored, isRetry, ...wanted };
}

/** Clients send it URI-encoded; one that cannot be decoded is taken as it is. */
function named(id: string | undefined): string | undefined {
  if (id === undefined || id === '') return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** What hangs on a message beside its words: on one of the user, attachments; on an answer, what its agents left. */
function ownOf({
  role,
  custom_content: custom,
}: ChatMessageIn): Pick<SentMessage, 'attachments' | 'state' | 'run'> {
  if (role === 'assistant') {
    const state = custom?.state ?? undefined;
    return present({ state, run: runIn(state) });
  }
  const attachments = (custom?.attachments ?? []).flatMap((one) => attachmentOf(one));
  return present({ attachments: filled(attachments) });
}

type Given = NonNullable<NonNullable<ChatMessageIn['custom_content']>['attachments']>[number];

/** What has no type is markdown, by the rules of DIAL. What is neither here nor anywhere cannot be attached. */
function attachmentOf({ type, title, data, url }: Given): SentAttachment[] {
  const known = { type: type || 'text/markdown', ...present({ title: title || undefined }) };
  if (data) return [{ ...known, data }];
  return url ? [{ ...known, url }] : [];
}
