import { type Message, type Part, Role, type SendMessageRequest } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { stopped } from '../../run/stopped.ts';
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

const State = z.object({ a2a_context: z.string() });

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
  return { takeTurn: (turn, signal) => take(settings.name, client, { turn, signal }) };
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
  readonly turn: Turn;
  readonly signal: AbortSignal;
}

async function* take(
  name: string,
  reached: () => Promise<Client>,
  { turn, signal }: Taking,
): AsyncGenerator<readonly AgentEvent[]> {
  const client = await reached();
  const reader = new TaskReader(name, Token.safeParse(turn.answers?.[0]?.token).data?.seen ?? 0);
  // Whoever stops the run stops what is done for it elsewhere; a connection that ends means nothing there.
  const cancel = (): void => {
    const id = reader.task;
    if (signal.reason === stopped && id !== undefined)
      client.cancelTask({ tenant: '', id, metadata: undefined }).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel);
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
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function requestOf(turn: Turn): SendMessageRequest {
  const { answers = [], idempotencyKey: messageId } = turn;
  const context = State.safeParse(turn.state).data?.a2a_context ?? '';
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
