import { RunError } from '../run/failure.ts';
import { failureOfStatus, wordsOf } from './chat-failure.ts';
import type { ChatReader } from './chat-reader.ts';
import type { EventChannel } from './event-channel.ts';
import type { AgentEvent } from './gateway.ts';
import type { Exchange, Headers, Listener } from './http-post.ts';
import { retryAfter } from './retry.ts';

/** Why a try brought no answer, and whether asking again would show nothing twice. */
export interface Refusal {
  readonly error: RunError;
  readonly isBeforeAnswer: boolean;
  /** Milliseconds upstream asked us to wait. */
  readonly wait: number | undefined;
}

interface Settings {
  readonly who: string;
  readonly channel: EventChannel;
  readonly reader: ChatReader;
  readonly clean: (text: string) => string;
  /** Bytes of one answer. */
  readonly limit: number;
}

const mostWords = 16 * 1024;

/** One try at a turn: what one request brings is pushed into the channel, and `outcome` tells how it ended. */
export class ChatAttempt implements Listener {
  readonly outcome: Promise<Refusal | undefined>;
  exchange: Exchange | undefined;
  readonly #settings: Settings;
  readonly #settle: PromiseWithResolvers<Refusal | undefined>;
  #state: 'waiting' | 'answering' | 'refusing' | 'over' = 'waiting';
  #refusal: { readonly status: number; readonly note: string } | undefined;
  #wait: number | undefined;
  #words: Uint8Array[] = [];
  #bytes = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#settle = Promise.withResolvers();
    this.outcome = this.#settle.promise;
  }

  head(status: number, headers: Headers): void {
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      const message = `${this.#settings.who} answered in ${String(encoding)} although no compression was asked for.`;
      return this.#fail(new RunError('unavailable', message));
    }
    this.#wait = retryAfter(headers);
    const type = String(headers['content-type'] ?? '');
    const isStream = status === 200 && !/json|html/.test(type);
    this.#state = isStream ? 'answering' : 'refusing';
    this.#refusal = { status, note: status === 200 ? `${type} instead of an event stream; ` : '' };
  }

  data(bytes: Uint8Array): boolean {
    this.#bytes += bytes.length;
    if (this.#state === 'answering') return this.#read(bytes);
    if (this.#state === 'refusing') {
      this.#words.push(bytes);
      if (this.#bytes > mostWords) this.#refuse();
    } else if (this.#bytes > mostWords) this.exchange?.cancel();
    return true;
  }

  end(): void {
    if (this.#state === 'refusing') this.#refuse();
    else if (this.#settings.reader.isComplete) this.#finish();
    else this.#fail(endedEarly(this.#settings.who));
  }

  fail(error: RunError): void {
    if (this.#state === 'refusing') this.#refuse();
    // Upstream had said how the answer ended; that it did not hang up properly costs nobody anything.
    else if (this.#settings.reader.isComplete) this.#finish();
    else this.#fail(error);
  }

  resume(): void {
    this.exchange?.resume();
  }

  cancel(): void {
    this.exchange?.cancel();
    this.#over(undefined);
  }

  #read(bytes: Uint8Array): boolean {
    const { reader, channel, limit, who } = this.#settings;
    const events: AgentEvent[] = [];
    try {
      if (this.#bytes > limit)
        throw new RunError('too-large', `${who} answered with more than ${limit} bytes.`);
      reader.read(bytes, events);
    } catch (error) {
      channel.push(events);
      if (error instanceof RunError) this.#fail(error);
      else this.#settle.reject(error);
      this.exchange?.cancel();
      return true;
    }
    if (!reader.isDone) return channel.push(events);
    reader.finish(events);
    channel.push(events);
    this.exchange?.release();
    this.#over(undefined);
    return true;
  }

  #finish(): void {
    if (this.#state === 'over') return;
    const events: AgentEvent[] = [];
    this.#settings.reader.finish(events);
    this.#settings.channel.push(events);
    this.#over(undefined);
  }

  #refuse(): void {
    if (this.#refusal === undefined) return;
    const { who, clean } = this.#settings;
    const words = clean(wordsOf(new TextDecoder().decode(Buffer.concat(this.#words))));
    this.#fail(failureOfStatus(who, this.#refusal.status, this.#refusal.note + words));
  }

  #fail(error: RunError): void {
    const { reader, channel } = this.#settings;
    const isBeforeAnswer = !reader.hasTold;
    if (!isBeforeAnswer) {
      const events: AgentEvent[] = [];
      reader.abandon(events);
      channel.push(events);
    }
    this.exchange?.cancel();
    this.#over({ error, isBeforeAnswer, wait: this.#wait });
  }

  #over(refusal: Refusal | undefined): void {
    this.#state = 'over';
    this.#words = [];
    this.#bytes = 0;
    this.#settle.resolve(refusal);
  }
}

function endedEarly(who: string): RunError {
  const message = `${who} ended early: the stream closed without a finish reason and without [DONE].`;
  return new RunError('unavailable', message, { retryable: true });
}
