import { setTimeout } from 'node:timers/promises';
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
import { stopped } from '../../run/stopped.ts';
import type { Attachment } from '../../run/values.ts';
import { textPart } from '../../wire/a2a.ts';
import { noteOf } from '../chat/openai-chat.ts';
import type { AgentEvent, Gateway, Turn } from '../gateway.ts';
import { longestUnnamed } from '../http/event-channel.ts';
import { readSecret, type Secret } from '../http/http-exchange.ts';
import { answerParts, Token } from './answers.ts';
import { isOver, TaskReader } from './task-reader.ts';
import { reasonOf, streamOf } from './task-stream.ts';
import { present } from '../../run/tree.ts';

export interface A2aSettings {
  readonly name: string;
  /** Where the card is, with a slash at the end. */
  readonly url: string;
  readonly key?: Secret | undefined;
}

const State = z.object({ ums_conversation_id: z.string() });

/** Bytes of one answer. */
const mostBytes = 64 * 1024 * 1024;

/**
 * An agent that speaks A2A. What it does is told as its task goes on; what it wants to know of a person ends the turn, and
 * the answer goes to the same task. It may act on what it is told, so it is asked once.
 */
export function a2aGateway(settings: A2aSettings, most = mostBytes): Gateway {
  let reached: Promise<Client> | undefined;
  const client = (): Promise<Client> =>
    (reached ??= reach(settings, most).catch((cause: unknown) => {
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
      const named = Promise.withResolvers<string | undefined>();
      if (asked) named.resolve(asked.task);
      const taking = { name, turn, signal, named, line: lineOf(signal, named.promise) };
      return {
        [Symbol.asyncIterator]: () => take(client, reader, taking),
        token: async () => present({ task: await named.promise }),
      };
    },
    async cancel(token, signal) {
      const { task: id } = Token.partial().parse(token);
      if (id !== undefined) await cancel(await client(), { name, id, signal });
    },
  };
}

interface Cancelling {
  readonly name: string;
  readonly id: string;
  readonly signal: AbortSignal;
}

/** One that has ended needs not be told; one that goes on all the same has not heard it. */
async function cancel(client: Client, { name, id, signal }: Cancelling): Promise<void> {
  try {
    await client.cancelTask({ tenant: '', id, metadata: undefined }, { signal });
  } catch (thrown) {
    if (thrown instanceof TaskNotFoundError) return;
    if (!(thrown instanceof TaskNotCancelableError))
      throw new RunError('unavailable', `Agent ${name} did not take the cancellation.`, { cause: thrown });
    const { status } = await client.getTask({ tenant: '', id, historyLength: undefined }, { signal });
    if (isOver(status?.state)) return;
    throw new RunError('rejected', `Agent ${name} goes on: it does not let its task be cancelled.`);
  }
}

function reach({ url, key, name }: A2aSettings, most: number): Promise<Client> {
  const fetchImpl: typeof fetch = async (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (key !== undefined) headers.set('authorization', `Bearer ${readSecret(key, name)}`);
    return bounded(name, await fetch(input, { ...init, headers }), most);
  };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return new ClientFactory(options).createFromUrl(url);
}

function bounded(name: string, { body, status, headers }: Response, most: number): Response {
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      bytes += piece.length;
      if (bytes <= most) return controller.enqueue(piece);
      const message = `Agent ${name} sent more than ${most} bytes in one answer.`;
      controller.error(new RunError('too-large', message));
    },
  });
  return new Response(body?.pipeThrough(counting) ?? null, { status, headers });
}

interface Taking {
  readonly name: string;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  /** The task, once it is known, or that there is none. */
  readonly named: PromiseWithResolvers<string | undefined>;
  /** Aborts where the connection is to be closed. */
  readonly line: AbortSignal;
}

function lineOf(signal: AbortSignal, named: Promise<unknown>): AbortSignal {
  const line = new AbortController();
  const leave = async (): Promise<void> => {
    if (signal.reason === stopped)
      await Promise.race([named, setTimeout(longestUnnamed, undefined, { ref: false })]);
    line.abort(signal.reason);
  };
  signal.addEventListener('abort', () => void leave(), { once: true });
  if (signal.aborted) line.abort(signal.reason);
  return line.signal;
}

async function* take(
  reached: () => Promise<Client>,
  reader: TaskReader,
  { name, turn, signal, named, line }: Taking,
): AsyncGenerator<readonly AgentEvent[]> {
  try {
    const client = await reached();
    signal.throwIfAborted();
    for await (const event of streamOf(client, reader, { request: requestOf(turn), line })) {
      const told = reader.take(event);
      if (reader.task !== undefined) named.resolve(reader.task);
      if (told.length > 0) yield told;
    }
    yield reader.finish();
  } catch (thrown) {
    if (thrown instanceof RunError || signal.aborted) throw thrown;
    throw failureOf(name, thrown);
  } finally {
    named.resolve(reader.task);
  }
}

function failureOf(name: string, cause: unknown): RunError {
  const reason = reasonOf(cause);
  if (reason instanceof RunError) return reason;
  if (reason)
    return new RunError('rejected', `Agent ${name} refused the message: ${reason.message.slice(0, 500)}`, {
      cause,
    });
  const message = `Agent ${name} broke off. It may have acted on the message all the same.`;
  return new RunError('unavailable', message, { cause });
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
