/** What goes on in a run: effects in flight, waits that only others can end, and outcomes being recorded. */
export class Activity {
  readonly #recordings = new Set<Promise<void>>();
  #inFlight = 0;
  #waits = 0;
  #onQuiet: () => void = () => {};

  get isQuiet(): boolean {
    return this.#inFlight === 0;
  }

  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  async busy<T>(work: Promise<T>): Promise<T> {
    this.#inFlight += 1;
    try {
      return await work;
    } finally {
      this.#inFlight -= 1;
      if (this.isQuiet) this.#onQuiet();
    }
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
    return new Promise((resolve) => (this.#onQuiet = resolve));
  }

  /** Resolves when what is being recorded now is recorded. */
  async recorded(): Promise<void> {
    await Promise.allSettled(this.#recordings);
  }
}
