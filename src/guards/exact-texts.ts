import { nothing, type Found, type Guard, type Stretch } from './guard.ts';

/** Parts of a text that are left out, in order: where each begins and ends, in a row. */
export type Gaps = readonly number[];

const none: Gaps = [];
const root = 0;
/** Characters whose pairs have a table. */
const usual = 128;
/** How many numbers there are for the first three characters of a text. */
const beginnings = 0x4_0000;

/**
 * Finds any of many exact texts at one look at each character, however many there are (Aho and Corasick's automaton: a
 * tree of all texts, and from each place in it a way back to the longest other beginning that ends there). A text can be
 * added at any time at the cost of its length: the ways back are worked out when they are needed, and again after that.
 */
export class ExactTexts implements Guard {
  #character = new Uint16Array(0);
  #parent = new Int32Array(0);
  #child = new Int32Array(0);
  #sibling = new Int32Array(0);
  #depth = new Int32Array(0);
  #isWhole = new Uint8Array(0);
  /** Where to go on when no text goes on from here, and the longest text that ends here: as of a version. */
  #back = new Int32Array(0);
  #ending = new Int32Array(0);
  #asOf = new Int32Array(0);
  /** Places of one character, and of two. */
  #first = new Int32Array(0);
  #pairs = new Int32Array(0);
  /**
   * The numbers of all first three characters, as bits. With many texts nearly every character begins one of them, but
   * hardly three in a row do: this is small enough to stay at hand, and the tree is not.
   */
  #beginnings = new Uint32Array(0);
  #hasShort = false;
  #version = 1;
  #places = 0;

  /** How much there is to look for, in characters. */
  get size(): number {
    return this.#places;
  }

  add(text: string): void {
    if (this.#places === 0) {
      this.#first = new Int32Array(0x1_0000);
      this.#pairs = new Int32Array(usual * usual);
      this.#beginnings = new Uint32Array(beginnings / 32);
    }
    let place = root;
    for (let i = 0; i < text.length; i += 1) {
      const character = text.charCodeAt(i);
      place = this.#under(place, character) || this.#grow(place, character);
    }
    this.#isWhole[place] = 1;
    if (text.length < 3) this.#hasShort = true;
    else this.#note(numberAt(text, 0));
    this.#version += 1;
  }

  /** In a text, as if some of its parts were not there. */
  find(text: string, gaps: Gaps = none): Found {
    if (this.#places === 0) return nothing;
    // The last two characters may be the beginning of a beginning.
    const looked = this.#hasShort ? 0 : text.length - 2;
    let [gap, gapStart] = [0, gaps[0] ?? Infinity];
    let [place, last, before] = [root, -1, 0];
    let stretches: Stretch[] | undefined;
    for (let i = 0; i < text.length; i += 1) {
      if (i === gapStart) {
        i = (gaps[gap + 1] ?? i) - 1;
        gap += 2;
        gapStart = gaps[gap] ?? Infinity;
        continue;
      }
      const character = text.charCodeAt(i);
      last = i;
      before = gap;
      if (place !== root) place = this.#next(place, character);
      if (place === root) {
        if (i < looked && i + 2 < gapStart && !this.#mayBegin(numberAt(text, i))) continue;
        place = this.#first[character] ?? root;
        if (place === root) continue;
      }
      if (this.#asOf[place] !== this.#version) this.#workOut(place);
      const length = this.#ending[place] ?? 0;
      if (length > 0)
        stretches = withStretch(stretches ?? [], {
          start: startOf({ last, before }, length, gaps),
          end: i + 1,
        });
    }
    if (place === root && !stretches) return nothing;
    // Where every text that led here is over, only what ends here and goes on elsewhere is open.
    while (place !== root && this.#child[place] === root) place = this.#back[place] ?? root;
    const depth = this.#depth[place] ?? 0;
    const open = depth === 0 ? 0 : text.length - startOf({ last, before }, depth, gaps);
    return { stretches: stretches ?? [], open, isSparse: open > depth };
  }

  /** The longest beginning of more than one character that ends with this one. */
  #next(from: number, character: number): number {
    for (let place = from; place !== root; place = this.#back[place] ?? root) {
      const next = this.#under(place, character);
      if (next !== root) return next;
      if (this.#asOf[place] !== this.#version) this.#workOut(place);
    }
    return root;
  }

  #note(number: number): void {
    const word = number >>> 5;
    this.#beginnings[word] = (this.#beginnings[word] ?? 0) | (1 << (number & 31));
  }

  #mayBegin(number: number): boolean {
    return ((this.#beginnings[number >>> 5] ?? 0) & (1 << (number & 31))) !== 0;
  }

  #under(place: number, character: number): number {
    if (place === root) return this.#first[character] ?? root;
    const before = this.#character[place] ?? 0;
    if (this.#depth[place] === 1 && before < usual && character < usual)
      return this.#pairs[before * usual + character] ?? root;
    let child = this.#child[place] ?? root;
    while (child !== root && this.#character[child] !== character) child = this.#sibling[child] ?? root;
    return child;
  }

  /** From the nearest place above that is worked out, down to this one. */
  #workOut(place: number): void {
    const path: number[] = [];
    for (let at = place; at !== root && this.#asOf[at] !== this.#version; at = this.#parent[at] ?? root)
      path.push(at);
    for (const at of path.reverse()) {
      const parent = this.#parent[at] ?? root;
      const back = parent === root ? root : this.#backFrom(parent, this.#character[at] ?? 0);
      if (back !== root && this.#asOf[back] !== this.#version) this.#workOut(back);
      this.#back[at] = back;
      this.#ending[at] = (this.#isWhole[at] ? this.#depth[at] : this.#ending[back]) ?? 0;
      this.#asOf[at] = this.#version;
    }
  }

  #backFrom(parent: number, character: number): number {
    return this.#next(this.#back[parent] ?? root, character) || (this.#first[character] ?? root);
  }

  #grow(parent: number, character: number): number {
    this.#places += 1;
    const place = this.#places;
    if (place >= this.#parent.length) this.#makeRoom(Math.max(256, place * 2));
    this.#character[place] = character;
    this.#parent[place] = parent;
    this.#depth[place] = (this.#depth[parent] ?? 0) + 1;
    if (parent === root) this.#first[character] = place;
    else {
      this.#sibling[place] = this.#child[parent] ?? root;
      this.#child[parent] = place;
      const before = this.#character[parent] ?? 0;
      if (this.#depth[parent] === 1 && before < usual && character < usual)
        this.#pairs[before * usual + character] = place;
    }
    return place;
  }

  #makeRoom(length: number): void {
    const larger = (array: Int32Array): Int32Array<ArrayBuffer> => {
      const copy = new Int32Array(length);
      copy.set(array);
      return copy;
    };
    const character = new Uint16Array(length);
    character.set(this.#character);
    this.#character = character;
    const isWhole = new Uint8Array(length);
    isWhole.set(this.#isWhole);
    this.#isWhole = isWhole;
    this.#parent = larger(this.#parent);
    this.#child = larger(this.#child);
    this.#sibling = larger(this.#sibling);
    this.#depth = larger(this.#depth);
    this.#back = larger(this.#back);
    this.#ending = larger(this.#ending);
    this.#asOf = larger(this.#asOf);
  }
}

/** Where a text begins that ends with a character, before a gap, and has so many of those that are not left out. */
function startOf(
  end: { readonly last: number; readonly before: number },
  length: number,
  gaps: Gaps,
): number {
  let [at, left] = [end.last, length - 1];
  for (let gap = end.before - 2; gap >= 0 && at - left < (gaps[gap + 1] ?? 0); gap -= 2) {
    left -= at - (gaps[gap + 1] ?? 0) + 1;
    at = (gaps[gap] ?? 0) - 1;
  }
  return at - left;
}

/** A number for three characters of a text. */
function numberAt(text: string, i: number): number {
  const three = (text.charCodeAt(i) << 12) ^ (text.charCodeAt(i + 1) << 6) ^ text.charCodeAt(i + 2);
  return three & (beginnings - 1);
}

/** Ends never go back, but a longer text may begin before those found so far. */
function withStretch(stretches: Stretch[], { start, end }: Stretch): Stretch[] {
  let from = start;
  for (let last = stretches.at(-1); last && last.end > start; last = stretches.at(-1)) {
    from = Math.min(from, last.start);
    stretches.pop();
  }
  stretches.push({ start: from, end });
  return stretches;
}
