/** Repeatable chance: the same seed gives the same numbers (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.between(0, values.length - 1)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  shuffle<T>(values: readonly T[]): T[] {
    const left = [...values];
    return values.map(() => left.splice(this.between(0, left.length - 1), 1)[0] as T);
  }

  /** A text cut into pieces, as a stream would bring it. */
  pieces(text: string): string[] {
    const pieces: string[] = [];
    for (let at = 0; at < text.length;) {
      const length = this.between(1, 9);
      pieces.push(text.slice(at, at + length));
      at += length;
    }
    return pieces.length === 0 ? [''] : pieces;
  }
}
