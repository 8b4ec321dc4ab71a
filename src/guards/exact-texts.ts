import { Beginnings, type Ahead, type Gaps } from './beginnings.ts';
import { nothing, type Found, type Guard, type Stretch } from './guard.ts';

const none: Gaps = [];
const root = 0;
/** Characters whose pairs have a table. */
const usual = 128;

/**
 * What is known of a place, side by side: of places that were not looked at for a while memory brings all at once. Where to
 * go on when no text goes on from here, and the longest text that ends here, are as of a version.
 */
const [characterOf, parentOf, childOf, siblingOf, depthOf, backOf, endingOf, versionOf] = [
  0, 1, 2, 3, 4, 5, 6, 7,
];
const fields = 8;
/** Beside the character of a place: a text ends there. */
const isWhole = 0x1_0000;

/**
 * Finds any of many exact texts at one look at each character, however many there are (Aho and Corasick's automaton: a
 * tree of all texts, and from each place in it a way back to the longest other beginning that ends there). A text can be
 * added at any time at the cost of its length: the ways back are worked out when they are needed, and again after that.
 */
export class ExactTexts implements Guard {
  #tree = new Int32Array(0);
  #beginnings: Beginnings | undefined;
  /** Places of one character, and of two. */
  #first = new Int32Array(0);
  #pairs = new Int32Array(0);
  #version = 1;
  #places = 0;

  /** How much there is to look for, in characters. */
  get size(): number {
    return this.#places;
  }

  add(text: string): void {
    if (!this.#beginnings) {
      this.#beginnings = new Beginnings();
      this.#first = new Int32Array(0x1_0000);
      this.#pairs = new Int32Array(usual * usual);
    }
    let place = root;
    for (let i = 0; i < text.length; i += 1) {
      const character = text.charCodeAt(i);
      place = this.#under(place, character) || this.#grow(place, character);
    }
    this.#tree[place + characterOf] = this.#of(place, characterOf) | isWhole;
    this.#beginnings.add(text);
    this.#version += 1;
  }

  find(text: string): Found {
    return this.findOver(text, none);
  }

  /** In a text, as if some of its parts were not there. */
  findOver(text: string, gaps: Gaps): Found {
    if (!this.#beginnings) return nothing;
    const ahead: Ahead = { gaps, gap: 0 };
    let gapStart = gaps[0] ?? Infinity;
    let [place, last, before] = [root, -1, 0];
    let stretches: Stretch[] | undefined;
    for (let i = 0; i < text.length; i += 1) {
      if (i === gapStart) {
        i = (gaps[ahead.gap + 1] ?? i) - 1;
        ahead.gap += 2;
        gapStart = gaps[ahead.gap] ?? Infinity;
        continue;
      }
      const character = text.charCodeAt(i);
      last = i;
      before = ahead.gap;
      if (place !== root) place = this.#next(place, character);
      if (place === root) {
        const begun = this.#beginnings.at(text, i, ahead);
        if (begun === 0) continue;
        if (begun < 3) return openFrom(text, { from: i, depth: begun }, stretches);
        place = this.#first[character] ?? root;
      }
      if (this.#of(place, versionOf) !== this.#version) this.#workOut(place);
      const length = this.#of(place, endingOf);
      if (length > 0)
        stretches = withStretch(stretches ?? [], {
          start: startOf({ last, before }, length, gaps),
          end: i + 1,
        });
    }
    // Where every text that led here is over, only what ends here and goes on elsewhere is open.
    while (place !== root && this.#of(place, childOf) === root) place = this.#of(place, backOf);
    const depth = this.#of(place, depthOf);
    if (depth === 0) return stretches ? { stretches, open: 0, isSparse: false } : nothing;
    return openFrom(text, { from: startOf({ last, before }, depth, gaps), depth }, stretches);
  }

  #of(place: number, field: number): number {
    return this.#tree[place + field] ?? root;
  }

  /** The longest beginning of more than one character that ends with this one. */
  #next(from: number, character: number): number {
    for (let place = from; place !== root; place = this.#of(place, backOf)) {
      const next = this.#under(place, character);
      if (next !== root) return next;
      if (this.#of(place, versionOf) !== this.#version) this.#workOut(place);
    }
    return root;
  }

  #characterAt(place: number): number {
    return this.#of(place, characterOf) & 0xffff;
  }

  #under(place: number, character: number): number {
    if (place === root) return this.#first[character] ?? root;
    if (character < usual && this.#of(place, depthOf) === 1) {
      const before = this.#characterAt(place);
      if (before < usual) return this.#pairs[before * usual + character] ?? root;
    }
    let child = this.#of(place, childOf);
    while (child !== root && this.#characterAt(child) !== character) child = this.#of(child, siblingOf);
    return child;
  }

  /** From the nearest place above that is worked out, down to this one. */
  #workOut(place: number): void {
    const path: number[] = [];
    for (
      let at = place;
      at !== root && this.#of(at, versionOf) !== this.#version;
      at = this.#of(at, parentOf)
    )
      path.push(at);
    for (const at of path.reverse()) {
      const parent = this.#of(at, parentOf);
      const back = parent === root ? root : this.#backFrom(parent, this.#characterAt(at));
      if (back !== root && this.#of(back, versionOf) !== this.#version) this.#workOut(back);
      this.#tree[at + backOf] = back;
      const isEnd = this.#of(at, characterOf) >= isWhole;
      this.#tree[at + endingOf] = isEnd ? this.#of(at, depthOf) : this.#of(back, endingOf);
      this.#tree[at + versionOf] = this.#version;
    }
  }

  #backFrom(parent: number, character: number): number {
    return this.#next(this.#of(parent, backOf), character) || (this.#first[character] ?? root);
  }

  #grow(parent: number, character: number): number {
    this.#places += 1;
    const place = this.#places * fields;
    if (place + fields > this.#tree.length) this.#makeRoom();
    const depth = parent === root ? 1 : this.#of(parent, depthOf) + 1;
    this.#tree[place + characterOf] = character;
    this.#tree[place + parentOf] = parent;
    this.#tree[place + depthOf] = depth;
    if (parent === root) this.#first[character] = place;
    else {
      this.#tree[place + siblingOf] = this.#of(parent, childOf);
      this.#tree[parent + childOf] = place;
      const before = this.#characterAt(parent);
      if (depth === 2 && before < usual && character < usual) this.#pairs[before * usual + character] = place;
    }
    return place;
  }

  #makeRoom(): void {
    const larger = new Int32Array(Math.max(256 * fields, this.#tree.length * 2));
    larger.set(this.#tree);
    this.#tree = larger;
  }
}

/** What was found, where the rest of the text from here on begins one of so many characters that are not left out. */
function openFrom(
  text: string,
  { from, depth }: { readonly from: number; readonly depth: number },
  stretches: readonly Stretch[] = [],
): Found {
  const open = text.length - from;
  return { stretches, open, isSparse: open > depth };
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
