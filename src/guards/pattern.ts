import type { Found, Kind, Stretch } from './guard.ts';
import { nothing } from './guard.ts';
import { firstOf, greatestLength, isRune, op, place, programOf, waysOf, type Program } from './program.ts';

/** What to look for. */
export interface Sought {
  readonly of: Kind;
  /** A regular expression without anything that looks ahead, behind or back. */
  readonly pattern: string;
  /** Characters behind which nothing begins, and before which nothing ends. */
  readonly notAfter?: RegExp;
  readonly notBefore?: RegExp;
  /** Whether what fits the pattern is meant: a checksum may say that it is not. */
  readonly accepts?: (text: string) => boolean;
}

/** Where the automaton stands: its places, each with where the match that came there began, those first that began first. */
interface Places {
  readonly at: number[];
  readonly begun: number[];
}

const ascii = 128;
const newline = 10;
const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/**
 * Finds every match of a pattern, also those in each other, and how much of the end could be the beginning of one. Both
 * depend on the characters alone, and not on where the text was cut: all matches are followed at once, and of those that
 * stand at the same place of the automaton the one that began first.
 */
export class Pattern {
  /** How many characters a match has at most. */
  readonly length: number;
  readonly #sought: Sought;
  readonly #program: Program;
  /** Characters that a match may begin with. */
  readonly #first: Uint8Array;
  readonly #mayBegin: (rune: number) => boolean;
  /** At which step each place was come to. */
  readonly #seen: Float64Array;
  #step = 0;

  constructor(sought: Sought) {
    this.#sought = sought;
    this.#program = programOf(sought.pattern);
    this.length = greatestLength(this.#program);
    const first = firstOf(this.#program);
    this.#mayBegin = (rune) => first.some((instruction) => instruction.matchRune(rune));
    this.#first = Uint8Array.from({ length: ascii }, (_, rune) => (this.#mayBegin(rune) ? 1 : 0));
    this.#seen = new Float64Array(this.#program.inst.length);
  }

  find(text: string, before = ''): Found {
    const found = new Finding(text);
    let [now, next]: [Places, Places] = [noPlaces(), noPlaces()];
    let previous = before === '' ? -1 : before.charCodeAt(before.length - 1);
    for (let i = 0; i < text.length;) {
      const rune = text.codePointAt(i) ?? 0;
      const end = i + (rune > 0xffff ? 2 : 1);
      const isBegin = this.#isBegin(rune, previous);
      if (isBegin) {
        // All that stand here were come to by what began before.
        if (now.at.length === 0) this.#step += 1;
        this.#goTo(this.#program.start, i, { to: now, previous, next: rune, found, end: i });
      }
      if (now.at.length > 0) {
        this.#step += 1;
        this.#takeRune(rune, now, {
          to: next,
          previous: rune,
          next: text.codePointAt(end) ?? -1,
          found,
          end,
        });
        [now, next] = [next, now];
        next.at.length = 0;
        next.begun.length = 0;
      }
      previous = rune;
      i = end;
    }
    return found.result(now.begun[0], (start, end) => this.#stretch(text, start, end));
  }

  #isBegin(rune: number, previous: number): boolean {
    if (rune < ascii ? this.#first[rune] === 0 : !this.#mayBegin(rune)) return false;
    const { notAfter } = this.#sought;
    return previous < 0 || notAfter === undefined || !notAfter.test(String.fromCodePoint(previous));
  }

  #takeRune(rune: number, from: Places, going: Going): void {
    for (let i = 0; i < from.at.length; i += 1) {
      const instruction = this.#program.inst[from.at[i] ?? 0];
      if (instruction?.matchRune(rune)) this.#goTo(instruction.out, from.begun[i] ?? 0, going);
    }
  }

  /** Come to a place, and from it to all that need no character. */
  #goTo(at: number, begun: number, going: Going): void {
    const { found, to, previous, next } = going;
    const instruction = this.#program.inst[at];
    if (!instruction || instruction.op === op.fail) return;
    // Who comes to the end is told of each time: a checksum may refuse the first.
    if (instruction.op === op.match) return this.#match(begun, going);
    if (this.#seen[at] === this.#step) return;
    this.#seen[at] = this.#step;
    if (isRune(instruction)) {
      to.at.push(at);
      to.begun.push(begun);
      return;
    }
    if (instruction.op === op.empty) {
      // What stands behind the end is not known yet.
      if (next < 0) found.waits(begun);
      if ((instruction.arg & ~around(previous, next)) !== 0) return;
    }
    for (const way of waysOf(instruction)) this.#goTo(way, begun, going);
  }

  #match(begun: number, { found, end, next }: Going): void {
    const { notBefore } = this.#sought;
    if (notBefore && next < 0) found.waits(begun);
    if (next < 0 || !notBefore?.test(String.fromCodePoint(next))) found.matched(begun, end);
  }

  #stretch(text: string, start: number, end: number): Stretch | undefined {
    const { of, accepts } = this.#sought;
    return end > start && (accepts?.(text.slice(start, end)) ?? true) ? { start, end, of } : undefined;
  }
}

interface Going {
  readonly to: Places;
  /** The characters on both sides; -1 where there is none. */
  readonly previous: number;
  readonly next: number;
  readonly found: Finding;
  readonly end: number;
}

/** What was found so far. */
class Finding {
  readonly #length: number;
  readonly #text: string;
  readonly #matches: [number, number][] = [];
  #waiting = Infinity;

  constructor(text: string) {
    this.#text = text;
    this.#length = text.length;
  }

  matched(start: number, end: number): void {
    this.#matches.push([start, end]);
  }

  waits(start: number): void {
    this.#waiting = Math.min(this.#waiting, start);
  }

  /** `alive` is where the first match began that may go on. */
  result(alive: number | undefined, stretch: (start: number, end: number) => Stretch | undefined): Found {
    // Half of a character is no character yet.
    const half = isHigh(this.#text.charCodeAt(this.#length - 1)) ? this.#length - 1 : this.#length;
    const open = this.#length - Math.min(alive ?? Infinity, this.#waiting, half);
    if (this.#matches.length === 0 && open === 0) return nothing;
    const stretches = this.#matches.flatMap(([start, end]) => stretch(start, end) ?? []);
    return { stretches: stretches.toSorted((a, b) => a.start - b.start), open };
  }
}

function noPlaces(): Places {
  return { at: [], begun: [] };
}

/** What can be said of the place between two characters. */
function around(previous: number, next: number): number {
  let all: number = isWord(previous) === isWord(next) ? place.noBorder : place.border;
  if (previous < 0) all |= place.textBegin | place.lineBegin;
  if (previous === newline) all |= place.lineBegin;
  if (next < 0) all |= place.textEnd | place.lineEnd;
  if (next === newline) all |= place.lineEnd;
  return all;
}

function isWord(code: number): boolean {
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95
  );
}
