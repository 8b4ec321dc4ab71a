/** The most places that are kept of one run in one protocol. */
const most = 64;

/**
 * Tellings of one run in one protocol, kept where they came to: whoever has a cursor is told from the nearest one on. They lie
 * evenly over the run, further apart the longer it is, and the newest one is always there.
 */
export class Places<T extends { readonly seq: number }> {
  readonly #first: T;
  #newest: T;
  #kept: T[] = [];
  #gap = 1;
  #given = 0;

  constructor(first: T) {
    this.#first = first;
    this.#newest = first;
  }

  keep(telling: T): void {
    if (telling.seq <= this.#newest.seq) return;
    this.#newest = telling;
    this.#given += 1;
    if (this.#given % this.#gap !== 0) return;
    this.#kept.push(telling);
    if (this.#kept.length < most) return;
    this.#kept = this.#kept.filter((_, i) => i % 2 === 1);
    this.#gap *= 2;
  }

  /** The last one that has not come further than this. */
  nearest(after: number): T {
    if (this.#newest.seq <= after) return this.#newest;
    return this.#kept.findLast(({ seq }) => seq <= after) ?? this.#first;
  }

  get size(): number {
    return this.#kept.length;
  }
}
