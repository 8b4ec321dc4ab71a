/**
 * Keeps characters whole when a back end cuts one in two: half a surrogate pair waits for the other half, and what
 * stays alone becomes U+FFFD. Otherwise the journal would hold text that cannot be written as UTF-8.
 */
export class WholeText {
  readonly #halves = new Map<string, string>();

  /** The text to tell now, of one stream of pieces. */
  take(stream: string, piece: string): string {
    if (this.#halves.size === 0 && piece.isWellFormed()) return piece;
    const text = (this.#halves.get(stream) ?? '') + piece;
    this.#halves.delete(stream);
    if (!/[\uD800-\uDBFF]$/.test(text)) return text.toWellFormed();
    this.#halves.set(stream, text.slice(-1));
    return text.slice(0, -1).toWellFormed();
  }

  /** What stands for half a character at the end of one stream, if it ended so. */
  end(stream: string): string {
    return this.#halves.delete(stream) ? '\uFFFD' : '';
  }

  /** The streams that ended with half a character, each with what stands for it. */
  finish(): readonly (readonly [stream: string, text: string])[] {
    const rest = [...this.#halves.keys()].map((stream) => [stream, '\uFFFD'] as const);
    this.#halves.clear();
    return rest;
  }
}
