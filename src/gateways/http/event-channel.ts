import { stopped } from '../../run/stopped.ts';
import type { AgentEvent, Take, Telling } from '../gateway.ts';

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
