import { connectionFailed } from './event-channel.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Dispatcher, Pool } from 'undici';
import { RunError } from '../../run/failure.ts';
import { inTurn, loopTurn } from '../../loop/machine.ts';
import type { Turn } from '../gateway.ts';

/** Milliseconds: until a connection stands, until the first byte of the answer, and between two pieces of it. */
export interface Timeouts {
  readonly connect: number;
  readonly firstByte: number;
  readonly idle: number;
}

export const defaultTimeouts: Timeouts = { connect: 10_000, firstByte: 300_000, idle: 120_000 };

/** Shorter than servers keep a connection: what is sent over one that is just closing may or may not have arrived. */
export const agentKeepAlive = 4_000;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Whoever hears an answer. `data` says whether it can take more; if not, `resume` asks for it. */
export interface Listener {
  /** Who is asked, as failures name it: addresses are for the log. */
  readonly who: string;
  head(status: number, headers: Headers): void;
  data(bytes: Uint8Array): boolean;
  end(): void;
  /** `isSent`: the request was on its way, so that it may have been acted on. */
  fail(error: RunError, isSent: boolean): void;
}

export interface Exchange {
  /** Closes the connection; the listener hears nothing more. */
  cancel(): void;
  /** Nothing more is wanted: what is left is read for a moment, so that the connection can be used again. */
  release(): void;
  /** Nothing more is wanted but the end: it is waited for, up to the idle timeout, and the listener hears of it. */
  awaitEnd(): void;
  resume(): void;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Endpoint {
  send(request: HttpRequest, listener: Listener): Exchange;
}

/** One server that is asked again and again, over connections that are kept for a while (in milliseconds). */
export function httpEndpoint(url: URL, timeouts: Timeouts, keepAlive = 30_000): Endpoint {
  const pool = new Pool(url.origin, {
    connect: { timeout: timeouts.connect },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: keepAlive,
  });
  // Many share a connection: what it brings is not the doing of whoever happened to open it.
  const outside = AsyncLocalStorage.snapshot();
  const send: Endpoint['send'] = ({ method, path, headers, body = null }, listener) => {
    const exchange = new HttpExchange(url.origin, timeouts, listener);
    pool.dispatch({ method, path, headers, body }, exchange);
    return exchange;
  };
  return { send: (request, listener) => outside(send, request, listener) };
}

/** Bytes of an answer that are read in a turn of the loop: the smallest events cost most, and this many of them a few milliseconds. */
const slice = 4 * 1024;
/** Bytes that may wait to be read: whoever sends more is told to wait. */
const mostUnread = 128 * 1024;

/** Milliseconds a server has to end an answer it has called complete. Whoever waits for our process waits for this. */
const linger = 1000;

/** undici calls this for every chunk. One timer serves all three timeouts, each in its phase. */
class HttpExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #origin: string;
  readonly #timeouts: Timeouts;
  readonly #listener: Listener;
  #controller: Dispatcher.DispatchController | undefined;
  #phase: keyof Timeouts = 'connect';
  /** When the phase has taken too long. The timer may fire before that, and is set anew then: nearly all phases are short. */
  #until = Infinity;
  #firesAt = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #verdict: NodeJS.Immediate | undefined;
  #isOver = false;
  #isLast = false;
  /** What came and was not read, because others have their turn first or the listener can take no more. */
  #unread: Uint8Array[] = [];
  #waiting = 0;
  #reading: 'now' | 'in turn' | 'when resumed' = 'now';
  /** How many bytes were read in which turn of the loop: small pieces come in any number. */
  #turn = 0;
  #spent = 0;
  /** What is to be done once all is read: the answer is over. */
  #ending: (() => void) | undefined;

  constructor(origin: string, timeouts: Timeouts, listener: Listener) {
    this.#origin = origin;
    this.#timeouts = timeouts;
    this.#listener = listener;
    this.#wait(timeouts.connect);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Nothing can be aborted while the connection is being made, so whoever left then is obeyed now.
    if (this.#isOver) controller.abort(new Error('The turn was left.'));
    else this.#enter('firstByte');
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (!this.#isOver && status >= 200) this.#listener.head(status, headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#phase !== 'idle' || !this.#isLast) this.#enter('idle');
    if (!this.#readAtOnce(bytes)) {
      this.#unread.push(bytes);
      this.#waiting += bytes.length;
      if (this.#reading === 'now') this.#read();
    }
    if (this.#isOver || (this.#reading !== 'when resumed' && this.#waiting <= mostUnread)) return;
    // A reader that is slow is no upstream that is silent.
    this.#until = Infinity;
    controller.pause();
  }

  onResponseEnd(): void {
    this.#end(() => this.#listener.end());
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const isSent = this.#phase !== 'connect';
    this.#end(() => this.#listener.fail(lost(this.#listener.who, this.#origin, error), isSent));
  }

  resume(): void {
    if (this.#isOver || this.#reading !== 'when resumed') return;
    this.#reading = 'now';
    if (this.#unread.length > 0) this.#readInTurn();
    else this.#goOn();
  }

  /** Nearly all of what comes is small, and nothing waits before it: false where that is not so. */
  #readAtOnce(bytes: Uint8Array): boolean {
    if (this.#reading !== 'now' || this.#unread.length > 0 || bytes.length > slice) return false;
    this.#lookAtTurn();
    if (this.#spent >= slice) return false;
    this.#spent += bytes.length;
    const isTaken = this.#listener.data(bytes);
    if (this.#isOver) return true;
    if (!isTaken) this.#reading = 'when resumed';
    else this.#goOn();
    return true;
  }

  #lookAtTurn(): void {
    const turn = loopTurn();
    if (this.#turn === turn) return;
    this.#turn = turn;
    this.#spent = 0;
  }

  /** As much of what came as is read in a turn; the rest when it is its turn again. */
  #read(): void {
    this.#lookAtTurn();
    while (this.#unread.length > 0 && this.#spent < slice) {
      const isTaken = this.#listener.data(this.#nextSlice());
      if (this.#isOver) return;
      if (!isTaken) return void (this.#reading = 'when resumed');
    }
    if (this.#unread.length > 0) this.#readInTurn();
    else this.#goOn();
  }

  #nextSlice(): Uint8Array {
    const [first = new Uint8Array()] = this.#unread;
    const next = first.subarray(0, slice);
    if (first.length > slice) this.#unread[0] = first.subarray(slice);
    else this.#unread.shift();
    this.#spent += next.length;
    this.#waiting -= next.length;
    return next;
  }

  #readInTurn(): void {
    this.#reading = 'in turn';
    void inTurn().then(() => {
      this.#reading = 'now';
      if (!this.#isOver) this.#read();
    });
  }

  /** All that came is read. */
  #goOn(): void {
    if (this.#ending) return this.#end(this.#ending);
    if (this.#controller?.paused !== true) return;
    this.#enter('idle');
    this.#controller.resume();
  }

  #end(tell: () => void): void {
    if (this.#unread.length > 0) this.#ending = tell;
    else if (this.#finish()) tell();
  }

  cancel(): void {
    if (this.#finish()) this.#controller?.abort(new Error('The turn was left.'));
  }

  release(): void {
    if (this.#isOver) return;
    this.#phase = 'idle';
    this.#hear();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.cancel(), Math.min(this.#timeouts.idle, linger));
  }

  awaitEnd(): void {
    if (this.#isOver) return;
    this.#enter('idle');
    // Whoever says that all was said and then goes on for ever must not hold anyone.
    this.#isLast = true;
  }

  #enter(phase: keyof Timeouts): void {
    this.#phase = phase;
    this.#wait(this.#timeouts[phase]);
  }

  /** At most so long, from now on. */
  #wait(milliseconds: number): void {
    this.#hear();
    this.#until = performance.now() + milliseconds;
    if (this.#until < this.#firesAt) this.#setTimer(milliseconds);
  }

  #setTimer(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = performance.now() + milliseconds;
    this.#timer = setTimeout(this.#expire, milliseconds);
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#unread = [];
    this.#hear();
    clearTimeout(this.#timer);
    return true;
  }

  #hear(): void {
    if (this.#verdict === undefined) return;
    clearImmediate(this.#verdict);
    this.#verdict = undefined;
  }

  /** If our own process stood still, bytes that came in time are still waiting: they are looked at first. */
  readonly #expire = (): void => {
    this.#firesAt = Infinity;
    const left = this.#until - performance.now();
    if (left > 0) return left === Infinity ? undefined : this.#setTimer(left);
    this.#verdict = setImmediate(() => {
      if (this.#unread.length > 0) return this.#setTimer(this.#timeouts[this.#phase]);
      this.cancel();
      const isSent = this.#phase !== 'connect';
      const { code, message, retryable } = tooSlow(this.#listener.who, this.#phase, this.#timeouts).failure;
      const cause = new Error(`${this.#origin} was too slow.`);
      this.#listener.fail(new RunError(code, message, { retryable, cause }), isSent);
    });
  };
}

/** The failure of whoever kept us waiting, naming the timeout and its length. */
export function tooSlow(who: string, phase: keyof Timeouts, timeouts: Timeouts): RunError {
  const what = {
    connect: 'did not accept a connection within',
    firstByte: 'did not begin to answer within',
    idle: 'stopped in the middle of its answer and was silent for',
  }[phase];
  return new RunError('timed-out', `${who} ${what} ${timeouts[phase]} ms (timeouts.${phase}).`, {
    retryable: true,
  });
}

/** Where it was and what the system says of it are in the cause, which the log has and nobody else. */
function lost(who: string, origin: string, error: Error): RunError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const cause = new Error(`${origin}: ${error.message}`, { cause: error });
  if (code === 'UND_ERR_INVALID_ARG') {
    const message = `The request to ${who} cannot be sent (${error.message}); check the key and the headers.`;
    return new RunError('malformed', message, { cause });
  }
  const hint =
    code === 'ECONNREFUSED' || code === 'ENOTFOUND' ? '; check that it runs and that baseUrl is right' : '';
  return new RunError('unavailable', `${connectionFailed(who, code)}${hint}.`, {
    retryable: true,
    cause,
  });
}

type Fields = Readonly<Record<string, string>>;

/** The headers of a request for an event stream. What a user configures (`own`) wins over what a protocol needs. */
export function requestHeaders(turn: Turn, needed: Fields, own: Fields = {}): Record<string, string> {
  const named = Object.entries(own).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    // Counting bytes bounds memory only while a byte is a byte.
    'accept-encoding': 'identity',
    ...idempotencyHeader(turn),
    ...needed,
    ...Object.fromEntries(named),
  };
}

/** The key as a header may carry it, the same for every attempt. */
export function idempotencyHeader({ idempotencyKey }: Turn): { 'idempotency-key': string } {
  return { 'idempotency-key': idempotencyKey.toWellFormed().replace(/[^!-~]/gu, encodeURIComponent) };
}

/** A key, or where it is read from each time it is needed. */
export type Secret = string | (() => string);

export function readSecret(secret: Secret, who: string): string {
  if (typeof secret === 'string') return secret;
  try {
    return secret();
  } catch (cause) {
    const how = cause instanceof RunError ? `: ${cause.message}` : '.';
    throw new RunError('unauthenticated', `The key for ${who} cannot be read${how}`, { cause });
  }
}

/** An address below `baseUrl`, whose own path and query stay. */
export function urlBelow(baseUrl: string, path: string, example: string): URL {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RunError('malformed', `baseUrl "${baseUrl}" is no address; give one like ${example}.`);
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url;
}

/** What stands after the origin, as a request names it. */
export function pathOf(url: URL): string {
  return url.pathname + url.search;
}

/**
 * Keeps characters whole when a back end cuts one in two: half a surrogate pair waits for the other half, and what
 * stays alone becomes U+FFFD. Otherwise the journal would hold text that cannot be written as UTF-8.
 */
export class WholeText {
  #halves: Map<string, string> | undefined;

  /** The text to tell now, of one stream of pieces. */
  take(stream: string, piece: string): string {
    if (this.#halves === undefined && piece.isWellFormed()) return piece;
    const halves = (this.#halves ??= new Map());
    const text = (halves.get(stream) ?? '') + piece;
    halves.delete(stream);
    if (!/[\uD800-\uDBFF]$/.test(text)) return text.toWellFormed();
    halves.set(stream, text.slice(-1));
    return text.slice(0, -1).toWellFormed();
  }

  /** What stands for half a character at the end of one stream, if it ended so. */
  end(stream: string): string {
    return this.#halves?.delete(stream) ? '\uFFFD' : '';
  }

  /** The streams that ended with half a character, each with what stands for it. */
  finish(): readonly (readonly [stream: string, text: string])[] {
    const rest = [...(this.#halves?.keys() ?? [])].map((stream) => [stream, '\uFFFD'] as const);
    this.#halves = undefined;
    return rest;
  }
}
