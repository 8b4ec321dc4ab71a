import { AsyncLocalStorage } from 'node:async_hooks';
import type { Execution } from './execution.ts';
import { type Step, isOpen } from '../run/tree.ts';
import { strayIn } from './scope/broken.ts';
import { errorOf, sentenceOf } from '../run/failure.ts';

/** What goes on in a run: effects in flight, waits that only others can end, and outcomes being recorded. */
export class Activity {
  readonly #recordings = new Set<Promise<void>>();
  #inFlight = 0;
  #waits = 0;
  #quiet: PromiseWithResolvers<void> | undefined;

  get isQuiet(): boolean {
    return this.#inFlight === 0;
  }

  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  /** Something is in flight, until `land`. */
  takeOff(): void {
    this.#inFlight += 1;
  }

  land(): void {
    this.#inFlight -= 1;
    if (this.isQuiet) this.#quiet?.resolve();
  }

  async waiting<T>(what: Promise<T>): Promise<T> {
    this.#waits += 1;
    try {
      return await what;
    } finally {
      this.#waits -= 1;
    }
  }

  recording(work: () => Promise<void>): Promise<void> {
    const recorded = work().finally(() => this.#recordings.delete(recorded));
    this.#recordings.add(recorded);
    return recorded;
  }

  /** Resolves when nothing is in flight. */
  quiet(): Promise<void> {
    if (this.isQuiet) return Promise.resolve();
    if (!this.#quiet) {
      this.#quiet = Promise.withResolvers();
      void this.#quiet.promise.then(() => (this.#quiet = undefined));
    }
    return this.#quiet.promise;
  }

  /** Resolves when what is being recorded now is recorded. */
  async recorded(): Promise<void> {
    await Promise.allSettled(this.#recordings);
  }
}

/**
 * A signal of one's own that also aborts with another. `AbortSignal.any` says the same, and keeps both in weak references that
 * the collector has to look after for every turn and every call.
 */
export class Within {
  readonly #outer: AbortSignal;
  readonly #own = new AbortController();

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    if (outer.aborted) this.#own.abort(outer.reason);
    else outer.addEventListener('abort', this.#follow);
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** It must come to this: the outer one may live much longer, and holds whoever listens to it. */
  abort(reason: unknown): void {
    this.#outer.removeEventListener('abort', this.#follow);
    this.#own.abort(reason);
  }

  readonly #follow = (): void => this.#own.abort(this.#outer.reason);
}

/** Whose code is running: it answers for what that code leaves behind. */
interface Owner {
  take(cause: unknown): void;
}

const owners = new AsyncLocalStorage<Owner | undefined>();

/**
 * Run code of somebody else as part of a step. A rejection it never awaits, or a throw in one of its timers, has no caller to go
 * to: it fails this step, and nobody else's work.
 */
export async function owned<T>(
  execution: Execution,
  step: Step,
  { name, work }: { readonly name: string; readonly work: () => Promise<T> },
): Promise<T> {
  const stray = Promise.withResolvers<never>();
  const owner: Owner = {
    take(cause) {
      execution.world.log.error({ run: execution.run, cause }, `«${name}» left an error that nobody caught.`);
      const failure = strayIn(name, cause);
      if (isOpen(step) && !isOver) return stray.reject(errorOf(failure));
      const message = sentenceOf(failure);
      execution.emit({ type: 'notice.posted', step: step.id, code: 'STRAY_ERROR', message });
    },
  };
  let isOver = false;
  const working = owners.run(owner, work);
  try {
    return await Promise.race([working, stray.promise]);
  } finally {
    isOver = true;
    // What it does from here on is nobody's result any more.
    working.catch(() => {});
  }
}

/** To run without an owner makes a context for each piece of text; this one is made once, where there is none. */
const nobodys = AsyncLocalStorage.snapshot();

/** Work of our own that somebody else's code has only set off: what goes wrong in it is not theirs. */
export function unowned(work: () => void): void {
  if (owners.getStore() === undefined) work();
  else nobodys(work);
}

/** An error nobody caught reached the process: hand it to the step whose code left it. False if it is nobody's. */
export function takeStray(cause: unknown): boolean {
  const owner = owners.getStore();
  owner?.take(cause);
  return owner !== undefined;
}
