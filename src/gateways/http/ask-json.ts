import { RunError } from '../../run/failure.ts';
import { type Refusal, retryAfter } from './event-channel.ts';
import { failureOfStatus, wordsOf } from '../chat/attempt.ts';
import type { Endpoint, Exchange, Headers, HttpRequest, Listener } from './http-exchange.ts';
import { parseJson } from '../../wire/sse.ts';

interface Asking {
  readonly who: string;
  readonly endpoint: Endpoint;
  readonly clean: (text: string) => string;
  /** Bytes of the answer. */
  readonly limit: number;
}

export type JsonAnswer = { readonly body: unknown } | { readonly refusal: Refusal };

/** Sends a request that is answered with one piece of JSON. Rejects only when the signal aborts. */
export function askJson(request: HttpRequest, asking: Asking, signal: AbortSignal): Promise<JsonAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<JsonAnswer>();
  if (signal.aborted) return Promise.reject(signal.reason);
  const listener = new JsonListener(asking, resolve);
  const exchange = asking.endpoint.send(request, listener);
  listener.exchange = exchange;
  const leave = (): void => {
    exchange.cancel();
    reject(signal.reason);
  };
  signal.addEventListener('abort', leave, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', leave));
}

class JsonListener implements Listener {
  exchange: Exchange | undefined;
  readonly who: string;
  readonly #asking: Asking;
  readonly #resolve: (answer: JsonAnswer) => void;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #status: number | undefined;
  #wait: number | undefined;

  constructor(asking: Asking, resolve: (answer: JsonAnswer) => void) {
    this.who = asking.who;
    this.#asking = asking;
    this.#resolve = resolve;
  }

  head(status: number, headers: Headers): void {
    this.#status = status;
    this.#wait = retryAfter(headers);
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity')
      this.#refuse('unavailable', `answered in ${String(encoding)} although no compression was asked for`);
  }

  data(bytes: Uint8Array): boolean {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#asking.limit)
      this.#refuse('too-large', `answered with more than ${this.#asking.limit} bytes`);
    else this.#pieces.push(bytes);
    return true;
  }

  end(): void {
    const { who, clean } = this.#asking;
    const text = new TextDecoder().decode(Buffer.concat(this.#pieces));
    const status = this.#status ?? 0;
    if (status < 200 || status > 299)
      return this.fail(failureOfStatus(who, status, clean(wordsOf(text))), true);
    const body = parseJson(text);
    if (body === undefined) this.#refuse('unavailable', 'answered with something that is no JSON');
    else this.#resolve({ body });
  }

  fail(error: RunError, isSent: boolean): void {
    const refusal = { error, isSent, isBeforeAnswer: true, status: this.#status, wait: this.#wait };
    this.#resolve({ refusal });
  }

  #refuse(code: 'unavailable' | 'too-large', what: string): void {
    this.exchange?.cancel();
    this.fail(new RunError(code, `${this.#asking.who} ${what}.`), true);
  }
}
