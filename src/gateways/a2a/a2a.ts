import { type Message, type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { TaskNotCancelableError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import type { Attachment } from '../../run/values.ts';
import { textPart } from '../../wire/a2a.ts';
import { noteOf } from '../attachment-note.ts';
import type { AgentEvent, Gateway, Turn } from '../gateway.ts';
import { readSecret, type Secret } from '../http/secret.ts';
import { answerParts, Token } from './answers.ts';
import { TaskReader } from './task-reader.ts';

export interface A2aSettings {
  readonly name: string;
  /** Where the card is, with a slash at the end. */
  readonly url: string;
  readonly key?: Secret | undefined;
}

const State = z.object({ ums_conversation_id: z.string() });

/**
 * An agent that speaks A2A. What it does is told as its task goes on; what it wants to know of a person ends the turn, and
 * the answer goes to the same task. It may act on what it is told, so it is asked once.
 */
export function a2aGateway(settings: A2aSettings): Gateway {
  let reached: Promise<Client> | undefined;
  const client = (): Promise<Client> =>
    (reached ??= reach(settings).catch((cause: unknown) => {
      reached = undefined;
      throw new RunError('unavailable', `Agent ${settings.name} cannot be reached.`, {
        retryable: true,
        cause,
      });
    }));
  const { name } = settings;
  return {
    takeTurn(turn, signal) {
      const asked = Token.safeParse(turn.answers?.[0]?.token).data;
      const reader = new TaskReader(name, asked ?? { seen: 0, open: [] });
      return {
        [Symbol.asyncIterator]: () => take(client, reader, { name, turn, signal }),
        token: () => present({ task: reader.task ?? asked?.task }),
      };
    },
    async cancel(token, signal) {
      const { task: id } = Token.partial().parse(token);
      if (id === undefined) return;
      await (
        await client()
      )
        .cancelTask({ tenant: '', id, metadata: undefined }, { signal })
        .catch(heard(name));
    },
  };
}

/** One that has ended needs not be told. */
function heard(name: string): (thrown: unknown) => void {
  return (thrown) => {
    if (thrown instanceof TaskNotCancelableError || thrown instanceof TaskNotFoundError) return;
    throw new RunError('unavailable', `Agent ${name} did not take the cancellation.`, { cause: thrown });
  };
}

function reach({ url, key, name }: A2aSettings): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (key !== undefined) headers.set('authorization', `Bearer ${readSecret(key, name)}`);
    return fetch(input, { ...init, headers });
  };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return new ClientFactory(options).createFromUrl(url);
}

interface Taking {
  readonly name: string;
  readonly turn: Turn;
  readonly signal: AbortSignal;
}

async function* take(
  reached: () => Promise<Client>,
  reader: TaskReader,
  { name, turn, signal }: Taking,
): AsyncGenerator<readonly AgentEvent[]> {
  const client = await reached();
  try {
    for await (const event of client.sendMessageStream(requestOf(turn), { signal })) {
      const told = reader.take(event);
      if (told.length > 0) yield told;
    }
    yield reader.finish();
  } catch (thrown) {
    if (thrown instanceof RunError || signal.aborted) throw thrown;
    const message = `Agent ${name} broke off. It may have acted on the message all the same.`;
    throw new RunError('unavailable', message, { cause: thrown });
  }
}

function requestOf(turn: Turn): SendMessageRequest {
  const { answers = [], idempotencyKey: messageId } = turn;
  const context = State.safeParse(turn.state).data?.ums_conversation_id ?? '';
  const message: Message = {
    messageId,
    contextId: context,
    taskId: '',
    role: Role.ROLE_USER,
    parts: [],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
  const sent =
    answers.length > 0 ? { ...message, ...answerParts(answers) } : { ...message, parts: partsOf(turn) };
  return { tenant: '', message: sent, configuration: undefined, metadata: undefined };
}

function partsOf({ messages }: Turn): Part[] {
  const last = messages.findLast(({ role }) => role === 'user');
  return [textPart(last?.text ?? ''), ...(last?.attachments ?? []).map(attachedPart)];
}

function attachedPart(attachment: Attachment): Part {
  const { type: mediaType, title: filename = '', url, data } = attachment;
  const about = { metadata: undefined, mediaType, filename };
  if (url !== undefined) return { ...about, content: { $case: 'url', value: url } };
  if (data === undefined || mediaType.startsWith('text/')) return textPart(noteOf(attachment));
  return { ...about, content: { $case: 'raw', value: Buffer.from(data, 'base64') } };
}
