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
