import { HttpAgent, transformChunks, type HttpAgentConfig } from '@ag-ui/client';
import type { RunAgentInput } from '@ag-ui/core';
import { soonInTurn } from '../../loop/machine.ts';
import { RunError } from '../../run/failure.ts';
import { failureOfStatus, wordsOf } from '../chat/attempt.ts';
import {
  type Refusal,
  retryAfter,
  longestUnnamed,
  type EventChannel,
  codeIn,
  connectionFailed,
} from '../http/event-channel.ts';
import type { EventReader } from './event-reader.ts';

export interface Asked {
  readonly who: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly input: RunAgentInput;
  readonly clean: (text: string) => string;
  /** Called when the agent has begun to answer. */
  readonly answers?: (headers: Headers) => void;
}

/** Bytes of one answer, and of a refusal that is read for its words. */
const mostBytes = 64 * 1024 * 1024;
const mostWords = 16 * 1024;
/** What is larger than this is followed by others' turns. */
const much = 4 * 1024;

/** Asks once. Resolves with why there was no answer; what the reader throws is thrown. */
export async function exchange(
  asked: Asked,
  channel: EventChannel,
  reader: EventReader,
): Promise<Refusal | undefined> {
  const { who, url, headers, input } = asked;
  const line = new Line(asked);
  channel.source = { resume: () => line.resume(), cancel: () => line.leave(channel.isStopped) };
  let hasTold = false;
  const agent = new HttpAgent({ url, headers: { ...headers }, threadId: input.threadId, fetch: line.fetch });
  const thrown = await new Promise<unknown>((resolve) => {
    const fail = (error: unknown): void => {
      line.leave();
      resolve(error);
    };
    // Whatever is thrown into the client's pipeline would reach nobody but the process.
    const take = (event: { readonly type: string }): void => {
      if (line.isLeft) return;
      try {
        const told = reader.take(event);
        hasTold ||= told.length > 0;
        if (!channel.push(told)) line.wait();
      } catch (error) {
        fail(error);
      }
    };
    transformChunks()(agent.run(input)).subscribe({
      next: take,
      error: fail,
      complete: () => resolve(undefined),
    });
  });
  if (channel.isOver || (reader.isFinished && thrown === undefined)) return undefined;
  if (line.refusal) return { ...line.refusal, isBeforeAnswer: !hasTold };
  if (thrown instanceof RunError) throw thrown;
  return { ...brokeOff(who, thrown), isBeforeAnswer: !hasTold };
}

function brokeOff(who: string, cause: unknown): Refused {
  const how =
    cause === undefined ? 'ended before it said how its answer ended' : 'sent what is no event of AG-UI';
  return refused(new RunError('unavailable', `${who} ${how}.`, { retryable: true, cause }));
}

type Refused = Omit<Refusal, 'isBeforeAnswer'>;

function refused(error: RunError): Refused {
  return { error, isSent: true, status: 200, wait: undefined };
}

/** What the system says of a request that never left. */
const unsent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

async function beginningOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > mostWords) break;
  }
  return text.slice(0, mostWords);
}

/** The connection to the agent, in a form that the official client can neither hurry nor be hurt by. */
class Line {
  readonly #asked: Asked;
  readonly #closing = new AbortController();
  #hasAnswered = false;
  isLeft = false;
  #room: PromiseWithResolvers<void> | undefined;
  refusal: Refused | undefined;

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  /** Nothing more is read. Where it is stopped before the agent has answered, who it is is waited for. */
  leave(isStopped = false): void {
    this.isLeft = true;
    if (!isStopped || this.#hasAnswered) this.#closing.abort();
    else setTimeout(() => this.#closing.abort(), longestUnnamed).unref();
    this.resume();
  }

  /** The reader is behind. */
  wait(): void {
    this.#room ??= Promise.withResolvers();
  }

  resume(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }

  readonly fetch: NonNullable<HttpAgentConfig['fetch']> = async (url, init) => {
    const { who } = this.#asked;
    const response = await fetch(url, { ...init, signal: this.#closing.signal }).catch((cause: unknown) => {
      const code = codeIn(cause);
      const error = new RunError('unavailable', `${connectionFailed(who, code)}.`, {
        retryable: true,
        cause,
      });
      throw this.#refused({ error, isSent: !unsent.has(code), status: undefined, wait: undefined });
    });
    if (!response.ok) throw this.#refused(await this.#refusalOf(response));
    const type = response.headers.get('content-type') ?? '';
    if (/html|json|plain/.test(type)) {
      await response.body?.cancel();
      const message = `${who} answered with ${type}, which is no stream of AG-UI events; check its url.`;
      throw this.#refused(refused(new RunError('unavailable', message)));
    }
    this.#hasAnswered = true;
    this.#asked.answers?.(response.headers);
    if (this.isLeft) this.#closing.abort();
    const { status, headers } = response;
    return new Response(ReadableStream.from(this.#pieces(response)), { status, headers });
  };

  async #refusalOf(response: Response): Promise<Refused> {
    const { who, clean } = this.#asked;
    const { status } = response;
    const error = failureOfStatus(who, status, clean(wordsOf(await beginningOf(response))));
    const wait = retryAfter(Object.fromEntries(response.headers));
    return { error, isSent: true, status, wait };
  }

  #refused(refusal: Refused): RunError {
    this.refusal = refusal;
    return refusal.error;
  }

  /** A connection that is lost is the end of the answer: what the client would throw then reaches nobody. */
  async *#pieces({ body }: Response): AsyncGenerator<Uint8Array> {
    const { who } = this.#asked;
    let bytes = 0;
    try {
      for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
        bytes += piece.length;
        if (bytes > mostBytes) {
          const error = new RunError('too-large', `${who} sent more than ${mostBytes} bytes in one answer.`);
          return void this.#refused(refused(error));
        }
        yield piece;
        if (piece.length > much) await soonInTurn();
        await this.#room?.promise;
      }
    } catch (cause) {
      if (this.isLeft) return;
      const lost = `${connectionFailed(who, codeIn(cause))} in the middle of the answer.`;
      const error = new RunError('unavailable', lost, { retryable: true, cause });
      this.#refused(refused(error));
    }
  }
}
