import { RunError, type FailureCode } from '../../run/failure.ts';
import {
  type Refusal,
  retryAfter,
  Complaints,
  type EventChannel,
  longestUnnamed,
} from '../http/event-channel.ts';
import { ChatReader } from './reader.ts';
import type { AgentEvent, Turn } from '../gateway.ts';
import type { Endpoint, Exchange, Headers, HttpRequest, Listener } from '../http/http-exchange.ts';
import type { Dialect } from '../dialect.ts';
import { readChatError } from '../../wire/openai.ts';

interface Settings {
  readonly who: string;
  readonly channel: EventChannel;
  readonly reader: ChatReader;
  readonly complaints: Complaints;
  readonly clean: (text: string) => string;
  /** Bytes of one event, or of an answer that comes in one piece, and of one answer. */
  readonly limits: { readonly event: number; readonly answer: number };
}

const mostWords = 16 * 1024;

/** One try at a turn: what one request brings is pushed into the channel, and `outcome` tells how it ended. */
class ChatAttempt implements Listener {
  readonly outcome: Promise<Refusal | undefined>;
  readonly who: string;
  readonly #settings: Settings;
  readonly #settle: PromiseWithResolvers<Refusal | undefined>;
  #exchange: Exchange | undefined;
  #state: 'waiting' | 'leaving' | 'answering' | 'gathering' | 'refusing' | 'ending' | 'over' = 'waiting';
  #refusal: { readonly status: number; readonly note: string } | undefined;
  #wait: number | undefined;
  #words: Uint8Array[] = [];
  #bytes = 0;

  constructor(settings: Settings) {
    this.who = settings.who;
    this.#settings = settings;
    this.#settle = Promise.withResolvers();
    this.outcome = this.#settle.promise;
  }

  begin(endpoint: Endpoint, request: HttpRequest): void {
    this.#settings.channel.source = this;
    this.#exchange = endpoint.send(request, this);
  }

  head(status: number, headers: Headers): void {
    this.#settings.reader.head(headers);
    if (this.#state === 'leaving') return this.#close();
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      const message = `${this.#settings.who} answered in ${String(encoding)} although no compression was asked for.`;
      return this.#fail(new RunError('unavailable', message));
    }
    this.#wait = retryAfter(headers);
    const type = String(headers['content-type'] ?? '');
    const isStream = status === 200 && !/json|html/.test(type);
    const isWhole = status === 200 && /json/.test(type) && this.#settings.reader.hasDialect;
    this.#state = isStream ? 'answering' : isWhole ? 'gathering' : 'refusing';
    this.#refusal = { status, note: status === 200 ? `${type} instead of an event stream; ` : '' };
  }

  data(bytes: Uint8Array): boolean {
    this.#bytes += bytes.length;
    if (this.#state === 'answering') return this.#read(bytes);
    if (this.#state === 'gathering') this.#gather(bytes);
    else if (this.#state === 'refusing') {
      this.#words.push(bytes);
      if (this.#bytes > mostWords) this.#refuse();
    } else if (this.#bytes > mostWords) this.#leave();
    return true;
  }

  end(): void {
    const { reader, who } = this.#settings;
    if (this.#state === 'refusing') this.#refuse();
    else if (this.#state === 'gathering') this.#readWhole();
    else if (reader.isComplete) this.#finish();
    else this.#fail(endedEarly(who, reader.hasDialect));
  }

  fail(error: RunError, isSent: boolean): void {
    if (this.#state === 'refusing') this.#refuse();
    // Upstream had said how the answer ended; that it did not hang up properly costs us nothing.
    else if (this.#settings.reader.isComplete) this.#finish(this.#state === 'ending');
    else this.#fail(error, isSent);
  }

  resume(): void {
    this.#exchange?.resume();
  }

  cancel(): void {
    const { reader, channel } = this.#settings;
    if (this.#state !== 'waiting' || !reader.hearsHead || !channel.isStopped) return this.#close();
    this.#state = 'leaving';
    setTimeout(() => this.#close(), longestUnnamed).unref();
  }

  #close(): void {
    if (this.#state === 'over') return;
    this.#exchange?.cancel();
    this.#over(undefined);
  }

  #read(bytes: Uint8Array): boolean {
    const { reader, channel, limits } = this.#settings;
    const events: AgentEvent[] = [];
    try {
      this.#count(limits.answer);
      reader.read(bytes, events);
      if (reader.isDone && !reader.hasDialect) reader.finish(events);
    } catch (error) {
      return this.#failAfter(events, error);
    }
    const isTaken = channel.push(events);
    if (!reader.isDone || channel.isOver) return isTaken;
    this.#bytes = 0;
    if (reader.hasDialect) {
      this.#state = 'ending';
      this.#exchange?.awaitEnd();
    } else {
      this.#exchange?.release();
      this.#over(undefined);
    }
    return true;
  }

  #gather(bytes: Uint8Array): void {
    this.#words.push(bytes);
    try {
      this.#count(this.#settings.limits.event);
    } catch (error) {
      this.#failAfter([], error);
    }
  }

  #readWhole(): void {
    const events: AgentEvent[] = [];
    try {
      this.#settings.reader.readWhole(this.#text(), events);
      this.#settings.channel.push(events);
    } catch (error) {
      this.#failAfter(events, error);
    }
    this.#finish();
  }

  /** What was told before it failed is told all the same. There is nothing left to wait for. */
  #failAfter(events: AgentEvent[], error: unknown): true {
    this.#settings.channel.push(events);
    if (error instanceof RunError) this.#fail(error);
    else this.#break(error);
    return true;
  }

  #count(limit: number): void {
    if (this.#bytes <= limit) return;
    throw new RunError('too-large', `${this.#settings.who} answered with more than ${limit} bytes.`);
  }

  /** Upstream has more to send than it has to say. */
  #leave(): void {
    this.#exchange?.cancel();
    if (this.#state === 'ending') this.#finish(true);
  }

  #finish(isCut = false): void {
    if (this.#state === 'over') return;
    const events: AgentEvent[] = [];
    if (isCut) {
      const what = 'said that its answer was complete, but did not end it; it may not remember this turn.';
      this.#settings.complaints.say(what, events, 'UPSTREAM_CUT');
    }
    this.#settings.reader.finish(events);
    this.#settings.channel.push(events);
    this.#over(undefined);
  }

  #refuse(): void {
    if (this.#refusal === undefined) return;
    const { who, clean } = this.#settings;
    const words = clean(wordsOf(this.#text()));
    this.#fail(failureOfStatus(who, this.#refusal.status, this.#refusal.note + words));
  }

  #text(): string {
    return new TextDecoder().decode(Buffer.concat(this.#words));
  }

  #fail(error: RunError, isSent = true): void {
    const { reader, channel } = this.#settings;
    const isBeforeAnswer = !reader.hasTold;
    if (!isBeforeAnswer) {
      const events: AgentEvent[] = [];
      reader.abandon(events);
      channel.push(events);
    }
    this.#exchange?.cancel();
    this.#over({ error, isBeforeAnswer, isSent, status: this.#refusal?.status, wait: this.#wait });
  }

  /** A mistake of ours, not of upstream. */
  #break(error: unknown): void {
    this.#settle.reject(error);
    this.cancel();
  }

  #over(refusal: Refusal | undefined): void {
    this.#state = 'over';
    this.#words = [];
    this.#bytes = 0;
    this.#settle.resolve(refusal);
  }
}

function endedEarly(who: string, needsDone: boolean): RunError {
  const missing = needsDone ? '[DONE]' : 'a finish reason and without [DONE]';
  return new RunError('unavailable', `${who} ended early: the stream closed without ${missing}.`, {
    retryable: true,
  });
}

/** How much of one answer is taken. */
export interface Limits {
  /** Bytes of one event: 1 MiB of a model, 8 MiB of an agent, unless said. A longer one of an agent is left out. */
  readonly event?: number;
  /** Bytes of the whole answer; 64 MiB unless said. */
  readonly answer?: number;
}

const mebi = 1024 * 1024;

interface Asking {
  /** Who is asked, as failures name it. */
  readonly who: string;
  readonly turn: Turn;
  readonly channel: EventChannel;
  readonly endpoint: Endpoint;
  readonly limits: Limits | undefined;
  /** What was sent and must never be told. */
  readonly secrets: readonly string[];
  readonly dialect?: (complaints: Complaints) => Dialect;
}

/** Sends one request that is answered with chunks of chat, and tells them. Resolves with why there was no answer. */
export function askChat(request: HttpRequest, asking: Asking): Promise<Refusal | undefined> {
  const { who, turn, channel, endpoint, limits = {}, secrets, dialect } = asking;
  const { event = dialect ? 8 * mebi : mebi, answer = 64 * mebi } = limits;
  const clean = cleaner(secrets);
  const complaints = new Complaints(who, clean);
  const failureOf = (error: unknown): RunError => failureOfError(who, error, clean);
  const spoken = dialect?.(complaints);
  const reader = new ChatReader({ who, turn, limit: event, complaints, failureOf, dialect: spoken });
  const attempt = new ChatAttempt({ who, channel, reader, complaints, clean, limits: { event, answer } });
  attempt.begin(endpoint, request);
  return attempt.outcome;
}

const codeOf: Readonly<Record<number, FailureCode>> = {
  400: 'malformed',
  401: 'unauthenticated',
  403: 'refused',
  404: 'unknown',
  409: 'rejected',
  413: 'too-large',
  422: 'malformed',
};

const passing = new Set([408, 429, 500, 502, 503, 504, 529]);
const passingWords =
  /^(server_error|internal_server_error|rate_limit_\w+|overloaded\w*|service_unavailable\w*)$/i;

/** The failure an answer with this status stands for, in upstream's own words. */
export function failureOfStatus(who: string, status: number, words: string): RunError {
  const message = sentence(`${who} answered ${status}${words === '' ? '' : `: ${words}`}`);
  return new RunError(codeOf[status] ?? 'unavailable', message, { retryable: passing.has(status) });
}

/** The failure an error in the middle of a stream stands for; many servers put the status into its code. */
export function failureOfError(who: string, error: unknown, clean: (text: string) => string): RunError {
  const { message, codes } = readChatError(error);
  const status = codes.map(Number).find((code) => code >= 400 && code < 600);
  const retryable =
    (status !== undefined && passing.has(status)) || codes.some((code) => passingWords.test(code));
  const words = message === undefined ? 'it gave no reason' : clean(message);
  return new RunError(codeOf[status ?? 0] ?? 'unavailable', sentence(`${who} reported an error: ${words}`), {
    retryable,
  });
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** What the body of a refusal says, in whatever form. */
export function wordsOf(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null) return body;
    const error = 'error' in value ? value.error : value;
    const detail = 'detail' in value && typeof value.detail === 'string' ? value.detail : undefined;
    return readChatError(error).message ?? detail ?? body;
  } catch {
    return body;
  }
}

const secretLooking = /\b(?:sk|pk|key|token|secret)[-_][\w-]{8,}|\bBearer\s+\S+/gi;

/** Makes upstream's words fit to be shown: one line, short, and without the secrets that were sent to it. */
export function cleaner(secrets: readonly string[]): (text: string) => string {
  // Anything shorter is no secret, and would be found in the middle of words.
  const hidden = secrets.filter((secret) => secret.length >= 8);
  return (text) => {
    let clean = text;
    for (const secret of hidden) clean = clean.replaceAll(secret, '[redacted]');
    clean = clean
      .replaceAll(secretLooking, '[secret]')
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim();
    return clean.length > 500 ? `${clean.slice(0, 500).toWellFormed()}…` : clean;
  };
}
