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
