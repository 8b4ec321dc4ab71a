import { stopped } from '../../run/stopped.ts';
import type { AgentEvent, Take, Telling } from '../gateway.ts';
import { RunError } from '../../run/failure.ts';
import type { Headers } from './http-exchange.ts';
import { setTimeout } from 'node:timers/promises';

/** How long a stop waits for the head of an answer, in milliseconds: without what it names, nobody can stop what was just begun. */
export const longestUnnamed = 5_000;

type Step = IteratorResult<readonly AgentEvent[], undefined>;

interface Source {
  /** The reader was behind and has taken everything. */
  resume(): void;
  /** The reader has gone, or the signal has told it to go. */
  cancel(): void;
}

const over: Step = { done: true, value: undefined };
/** What waits is told in one go once it is asked for. */
const highWater = 8;

/** A turn whose events are pushed into a channel by `ask`; it ends when `ask` does. */
export function channelled(signal: AbortSignal, ask: (channel: EventChannel) => Promise<void>): Telling {
  const begin = (channel: EventChannel): void => {
    ask(channel).then(
      () => channel.close(),
      (error: unknown) => channel.close(error),
    );
  };
  return {
    [Symbol.asyncIterator]() {
      const channel = new EventChannel(signal);
      begin(channel);
      return channel;
    },
    each(take) {
      const channel = new EventChannel(signal);
      const told = channel.each(take);
      begin(channel);
      return told;
    },
  };
}

/** Aborts when the reader of the channel leaves, for work that brings no chunks. */
export function signalOf(channel: EventChannel): AbortSignal {
  const left = new AbortController();
  channel.source = { resume: () => undefined, cancel: () => left.abort() };
  if (channel.isOver) left.abort();
  return left.signal;
}

/**
 * What callbacks bring: one array for each chunk, in order. Whoever has given a `take` is called in the same breath; for
 * whoever iterates they wait. Written by hand, since a generator would cost more than all else that is done for a piece of
 * text. Abort and `return` take effect at once, whatever is still queued.
 */
export class EventChannel implements AsyncIterator<readonly AgentEvent[], undefined> {
  /** Where the chunks come from now. */
  source: Source | undefined;
  readonly #signal: AbortSignal;
  readonly #queue: (readonly AgentEvent[])[] = [];
  #taking: { readonly take: Take; readonly told: PromiseWithResolvers<boolean> } | undefined;
  /** Whether `take` has to wait before it can take more. */
  #isTaking = false;
  #waiting: PromiseWithResolvers<Step> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isOver = false;
  #isBehind = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    if (signal.aborted) this.#end({ error: signal.reason });
    else signal.addEventListener('abort', this.#abort, { once: true });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** People stopped the run: what works for it elsewhere is to be told. */
  get isStopped(): boolean {
    return this.#signal.reason === stopped;
  }

  /** Call `take` with every chunk. Resolves when all was told: true if it had enough. */
  each(take: Take): Promise<boolean> {
    this.#taking = { take, told: Promise.withResolvers() };
    this.#tellEnd();
    return this.#taking.told.promise;
  }

  /** False when the reader is behind; the source is resumed when it has caught up. */
  push(events: readonly AgentEvent[]): boolean {
    if (this.#isOver || events.length === 0) return true;
    if (this.#taking && !this.#isTaking) return this.#give(events);
    if (this.#waiting === undefined) {
      this.#isBehind = this.#queue.push(events) >= highWater || this.#isTaking;
      return !this.#isBehind;
    }
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting.resolve({ done: false, value: events });
    return true;
  }

  /** Ends the turn after what was pushed: well, or with this error. */
  close(error?: unknown): void {
    if (!this.#isOver) this.#end(error === undefined ? undefined : { error });
  }

  next(): Promise<Step> {
    const value = this.#queue.shift();
    if (value !== undefined) {
      if (this.#isBehind && this.#queue.length === 0) this.#catchUp();
      return Promise.resolve({ done: false, value });
    }
    if (this.#failure !== undefined) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error);
    }
    if (this.#isOver) return Promise.resolve(over);
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  return(): Promise<Step> {
    this.#leave(undefined);
    return Promise.resolve(over);
  }

  /** What `take` throws must not reach whoever brings the chunks. */
  #give(events: readonly AgentEvent[]): boolean {
    if (!this.#taking) return true;
    const { take, told } = this.#taking;
    try {
      const taken = take(events);
      if (taken === false) return true;
      if (taken === true) {
        told.resolve(true);
        this.#leave(undefined);
        return true;
      }
      this.#isTaking = true;
      this.#isBehind = true;
      taken.then(
        (isEnough) => this.#taken(isEnough),
        (error: unknown) => this.#leave({ error }),
      );
      return false;
    } catch (error) {
      this.#leave({ error });
      return true;
    }
  }

  /** It can take more: first what came meanwhile. */
  #taken(isEnough: boolean): void {
    this.#isTaking = false;
    if (isEnough) {
      this.#taking?.told.resolve(true);
      this.#leave(undefined);
    }
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift())
      if (!this.#give(next)) return;
    if (this.#isBehind && !this.#isOver) this.#catchUp();
    this.#tellEnd();
  }

  #catchUp(): void {
    this.#isBehind = false;
    this.source?.resume();
  }

  readonly #abort = (): void => this.#leave({ error: this.#signal.reason });

  #leave(failure: { readonly error: unknown } | undefined): void {
    this.#queue.length = 0;
    this.#isTaking = false;
    this.#failure = undefined;
    if (this.#isOver) {
      if (failure) this.#taking?.told.reject(failure.error);
      return;
    }
    this.#end(failure);
    this.source?.cancel();
  }

  #end(failure: { readonly error: unknown } | undefined): void {
    this.#isOver = true;
    this.#signal.removeEventListener('abort', this.#abort);
    if (this.#waiting === undefined) this.#failure = failure;
    else if (failure === undefined) this.#waiting.resolve(over);
    else this.#waiting.reject(failure.error);
    this.#waiting = undefined;
    this.#tellEnd();
  }

  /** To whoever is called: once nothing waits to be taken. */
  #tellEnd(): void {
    if (!this.#taking || !this.#isOver || this.#isTaking || this.#queue.length > 0) return;
    const { told } = this.#taking;
    if (this.#failure) told.reject(this.#failure.error);
    else told.resolve(false);
    this.#failure = undefined;
  }
}

/** Why a try brought no answer, and whether asking again would show nothing twice. */
export interface Refusal {
  readonly error: RunError;
  readonly isBeforeAnswer: boolean;
  /** Whether the request was on its way, so that it may have been acted on. */
  readonly isSent: boolean;
  /** What upstream answered with, if it answered. */
  readonly status: number | undefined;
  /** Milliseconds upstream asked us to wait. */
  readonly wait: number | undefined;
}

/** What a test replaces. */
export interface Surroundings {
  readonly random?: () => number;
  readonly sleep?: Sleep;
}

interface Asking extends Surroundings {
  readonly channel: EventChannel;
  readonly mayAskAgain: (refusal: Refusal) => boolean;
}

const mostTries = 3;

/** Asks up to three times, with growing waits, as long as the refusal allows it; each time is told. */
export async function askAgain(
  { channel, mayAskAgain, random = Math.random, sleep = realSleep }: Asking,
  ask: () => Promise<Refusal | undefined>,
): Promise<Refusal | undefined> {
  for (let tries = 1; !channel.isOver; tries += 1) {
    const refusal = await ask();
    if (refusal === undefined) return undefined;
    if (!mayAskAgain(refusal) || tries === mostTries) return refusal;
    const wait = delayBefore(tries, refusal.wait, random);
    channel.push([{ type: 'turn.retried', reason: `${refusal.error.message} Asked again in ${wait} ms.` }]);
    const left = signalOf(channel);
    await sleep(wait, left).catch((error: unknown) => {
      if (!left.aborted) throw error;
    });
  }
  return undefined;
}

const first = 500;
const most = 20_000;
const mostAsked = 60_000;

/** Milliseconds before another try: what upstream asked for, up to a minute, or longer each time, with jitter. */
export function delayBefore(tries: number, asked: number | undefined, random: () => number): number {
  if (asked !== undefined) return Math.min(asked, mostAsked);
  // Without jitter all who were refused together come back together.
  return Math.round(Math.min(first * 2 ** (tries - 1), most) * (0.5 + random() / 2));
}

/** `Retry-After` in milliseconds. A date is counted from upstream's own clock, which need not agree with ours. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1000;
  const wait = Date.parse(value) - Date.parse(String(headers['date']));
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}

/** Waits, and rejects as soon as the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const realSleep: Sleep = (ms, signal) => setTimeout(ms, undefined, { signal });

const mostNotices = 10;
const mostPieces = 1_000;
const refusedCode = 'PART_REFUSED';

/** What cannot be read in one answer, told as notices. An answer full of it is told in few of them, and then given up. */
export class Complaints {
  readonly #who: string;
  readonly #clean: (text: string) => string;
  #count = 0;
  #refused = 0;

  constructor(who: string, clean: (text: string) => string) {
    this.#who = who;
    this.#clean = clean;
  }

  /** `what` ends the sentence «Model m sent …». */
  sent(what: string, events: AgentEvent[]): void {
    this.#count += 1;
    if (this.#count <= mostNotices) this.say(`sent ${this.#clean(what)}`, events);
    if (this.#count > mostPieces)
      throw new RunError(
        'unavailable',
        `${this.#who} sent more than ${mostPieces} pieces that cannot be read.`,
      );
  }

  /** A part that is larger than it may be, and is left out: `what` names it, `limit` the setting and its value. */
  refuse(what: string, limit: string, events: AgentEvent[]): void {
    this.#refused += 1;
    if (this.#refused > mostNotices) return;
    this.say(`sent ${this.#clean(what)}, which is more than ${limit} and is left out.`, events, refusedCode);
  }

  say(what: string, events: AgentEvent[], code = 'UPSTREAM_MALFORMED'): void {
    events.push({ type: 'notice.posted', code, message: `${this.#who} ${what}` });
  }

  finish(events: AgentEvent[]): void {
    const more = this.#count - mostNotices;
    if (more > 0) this.say(`sent ${more} more pieces that cannot be read.`, events);
    const larger = this.#refused - mostNotices;
    if (larger > 0) this.say(`sent ${larger} more parts that are too large.`, events, refusedCode);
    this.#count = 0;
    this.#refused = 0;
  }
}

/** The other side was there, and went. */
const gone =
  /^(?:UND_ERR_(?:SOCKET|CLOSED|DESTROYED|ABORTED)|ECONNRESET|EPIPE|terminated|other side closed)$/;

/** What people read of a connection that failed, without its last full stop. What a library calls that is for the log. */
export function connectionFailed(who: string, code: string): string {
  const connection = `The connection to ${who.replace(/^The /, 'the ')}`;
  if (gone.test(code)) return `${connection} was lost`;
  return code.startsWith('UND_ERR_') ? `${connection} failed` : `${connection} failed (${code})`;
}

/** What the system calls it, wherever in the chain of causes that stands. */
export function codeIn(error: unknown): string {
  let last = 'it was lost';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    if (cause.cause === undefined && /^[\w ]+$/.test(cause.message)) last = cause.message;
  }
  return last;
}
