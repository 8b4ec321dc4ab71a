/** Parts of a text that are left out, in order: where each begins and ends, in a row. */
export type Gaps = readonly number[];

/** The gaps of a text, and which of them is the next one. */
export interface Ahead {
  readonly gaps: Gaps;
  gap: number;
}

/** Characters whose pairs have a table. */
const usual = 128;
/** How many numbers there are for the first three characters of a text, and for the first four. */
const threes = 0x4_0000;
const fours = 0x10_0000;

/**
 * What many texts begin with, so that nearly every character is done with before it is looked up among them: with a
 * thousand of them every character begins one, but hardly four in a row do. This is small enough to stay at hand, and the
 * texts are not.
 */
export class Beginnings {
  readonly #ones = new Uint8Array(0x1_0000);
  readonly #pairs = new Uint8Array(usual * usual);
  readonly #otherPairs = new Set<number>();
  readonly #threes = new Uint32Array(threes / 32);
  readonly #fours = new Uint32Array(fours / 32);
  #hasShort = false;

  add(text: string): void {
    const [one, two] = [text.charCodeAt(0), text.charCodeAt(1)];
    this.#ones[one] = 1;
    if (text.length < 4) {
      this.#hasShort = true;
      return;
    }
    if (one < usual && two < usual) this.#pairs[one * usual + two] = 1;
    else this.#otherPairs.add(one * 0x1_0000 + two);
    const three = numberOf(one, two, text.charCodeAt(2));
    note(this.#threes, three & (threes - 1));
    note(this.#fours, numberOfFour(three, text.charCodeAt(3)));
  }

  /**
   * Whether one can begin at a character: 0 if none does, 1 or 2 if one does for so many characters and there is no more,
   * and 3 if one may. The character is not left out.
   */
  at(text: string, i: number, ahead: Ahead): 0 | 1 | 2 | 3 {
    const one = text.charCodeAt(i);
    if (this.#ones[one] === 0) return 0;
    if (this.#hasShort) return 3;
    const isInRow = i + 3 < (ahead.gaps[ahead.gap] ?? Infinity);
    const second = isInRow ? i + 1 : following(i, ahead);
    if (second >= text.length) return 1;
    const two = text.charCodeAt(second);
    const third = isInRow ? i + 2 : following(second, ahead);
    if (third >= text.length) return this.#hasPair(one, two) ? 2 : 0;
    const three = numberOf(one, two, text.charCodeAt(third));
    if (!has(this.#threes, three & (threes - 1))) return 0;
    const fourth = isInRow ? i + 3 : following(third, ahead);
    const isMore = fourth < text.length;
    return isMore && !has(this.#fours, numberOfFour(three, text.charCodeAt(fourth))) ? 0 : 3;
  }

  #hasPair(one: number, two: number): boolean {
    if (one < usual && two < usual) return this.#pairs[one * usual + two] === 1;
    return this.#otherPairs.has(one * 0x1_0000 + two);
  }
}

/** The next place after one that is not left out. */
function following(place: number, { gaps, gap: from }: Ahead): number {
  let next = place + 1;
  for (let gap = from; (gaps[gap] ?? Infinity) <= next; gap += 2)
    if (gaps[gap] === next) next = gaps[gap + 1] ?? next;
  return next;
}

function numberOf(one: number, two: number, three: number): number {
  return (one << 12) ^ (two << 6) ^ three;
}

function numberOfFour(three: number, four: number): number {
  return Math.imul((three << 7) ^ four, 0x9e37_79b1) >>> 12;
}

function note(bits: Uint32Array, number: number): void {
  const word = number >>> 5;
  bits[word] = (bits[word] ?? 0) | (1 << (number & 31));
}

function has(bits: Uint32Array, number: number): boolean {
  return ((bits[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
}
