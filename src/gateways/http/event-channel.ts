import type { AgentEvent } from '../gateway.ts';

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
export function channelled(
  signal: AbortSignal,
  ask: (channel: EventChannel) => Promise<void>,
): AsyncIterable<readonly AgentEvent[]> {
  return {
    [Symbol.asyncIterator]() {
      const channel = new EventChannel(signal);
      ask(channel).then(
        () => channel.close(),
        (error: unknown) => channel.close(error),
      );
      return channel;
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
 * What callbacks bring, for whoever iterates: one array for each chunk, in order. Written by hand, since a generator
 * would cost more than all else that is done for a piece of text. Abort and `return` take effect at once, whatever is
 * still queued.
 */
export class EventChannel implements AsyncIterator<readonly AgentEvent[], undefined> {
  /** Where the chunks come from now. */
  source: Source | undefined;
  readonly #signal: AbortSignal;
  readonly #queue: (readonly AgentEvent[])[] = [];
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

  /** False when the reader is behind; the source is resumed when it has caught up. */
  push(events: readonly AgentEvent[]): boolean {
    if (this.#isOver || events.length === 0) return true;
    if (this.#waiting === undefined) {
      this.#isBehind = this.#queue.push(events) >= highWater;
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

  #catchUp(): void {
    this.#isBehind = false;
    this.source?.resume();
  }

  readonly #abort = (): void => this.#leave({ error: this.#signal.reason });

  #leave(failure: { readonly error: unknown } | undefined): void {
    this.#queue.length = 0;
    this.#failure = undefined;
    if (this.#isOver) return;
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
  }
}
