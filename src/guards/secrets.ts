import type { Gaps } from './beginnings.ts';
import { cleanAll, cleanLong } from './clean-value.ts';
import { ExactTexts } from './exact-texts.ts';
import { dumpsIn, toLineEnds } from './dump.ts';
import { clean, merged, nothing, type Found, type Guard } from './guard.ts';
import { plainForms, tightForms } from './secret-forms.ts';
import { readingOf, type Reading } from './spelled.ts';
import { gapsIn, type Tight } from './tight.ts';

/** Shorter values would be found in words that are no secrets. */
export const shortestSecret = 8;
/** What comes in is a key or a token. A shorter one is a word that somebody gave in place of one. */
const shortestPassing = 16;
/** Whatever is longer is known by its beginning. */
const longestSecret = 4_096;
/** How many characters of passing secrets are looked for, in all their forms. */
const roomForPassing = 1_500_000;
/** Of how many runs it is known that they were recorded without what is known now. */
const vouchedRuns = 1_000;

/** Entries of a run. */
interface Part {
  readonly from: number;
  readonly to?: number;
}

interface Vouched {
  /** From here on it was recorded without any. */
  readonly from: number;
  /** Up to here it was looked at, from its first entry on. */
  readonly to: number;
  readonly version: number;
}

/**
 * The secrets that this process knows, so that none of them is recorded or told: those of its configuration, which are
 * kept, and those that came in with requests, of which the latest are kept.
 */
export class Secrets implements Guard {
  readonly #kept = new Set<string>();
  readonly #passing = new Map<string, number>();
  readonly #roomForPassing: number;
  /** What of a run holds none of what was known then. */
  readonly #vouched = new Map<string, Vouched>();
  #version = 0;
  #passingSize = 0;
  #plain = new ExactTexts();
  #tight = new ExactTexts();

  constructor(values: Iterable<string> = [], room = roomForPassing) {
    this.#roomForPassing = room;
    for (const value of values) this.add(value);
  }

  /** Hide a value from now on. False if it is too short to be told from a word. */
  add(value: string): boolean {
    if (value.length < shortestSecret) return false;
    if (this.#kept.has(value)) return true;
    this.#kept.add(value);
    this.#lookFor(value);
    return true;
  }

  /** Hide what came in with a request: for long, and not for ever. */
  addPassing(value: string): void {
    if (value.length < shortestPassing || this.#kept.has(value)) return;
    const known = this.#passing.get(value);
    // The one that was used last stands last.
    if (known !== undefined) this.#passing.delete(value);
    const size = known ?? this.#lookFor(value);
    this.#passing.set(value, size);
    if (known !== undefined) return;
    this.#passingSize += size;
    if (this.#passingSize > this.#roomForPassing) this.#forgetHalf();
  }

  /** Whether there is nothing to hide. */
  get isEmpty(): boolean {
    return this.#kept.size === 0 && this.#passing.size === 0;
  }

  /** Looked for as it came and as it reads, each also without whatever is read over. */
  find(text: string): Found {
    if (this.isEmpty) return nothing;
    const reading = readingOf(text);
    const found = this.#findBoth(text);
    return reading
      ? inWhole(text, reading, [found, asItCame(text, reading, this.#findBoth(reading.text))])
      : found;
  }

  #findBoth(text: string): Found {
    const gaps = gapsIn(text);
    const tight = this.#findTight(text, gaps);
    // Where nothing is read over, what is looked for in such texts is all there is.
    return gaps.length === 0 ? tight : both(this.#plain.find(text), tight);
  }

  #findTight(text: string, gaps: Gaps): Found {
    // The text without its gaps is never made: it would be garbage at once, as large as all that is looked at.
    let found = this.#tight.findOver(text, gaps);
    // Lines of a dump of bytes have spaces in them.
    if (gaps.length > 0)
      for (const dump of dumpsIn(text))
        found = both(found, asItStands(text, dump, this.#tight.find(dump.text)));
    return found.stretches.length === 0 ? found : toLineEnds(text, found);
  }

  /** Moves on with every value that becomes known. */
  get version(): number {
    return this.#version;
  }

  /** From this entry on a run is recorded without any of these. */
  vouch(run: string, from: number): void {
    if (this.isVouched(run, { from })) return;
    this.#keepVouched(run, { ...this.#vouchedNow(run), from });
  }

  /** A part of a run was looked at and holds none of what was known then. It is kept where nothing before it is open. */
  vouchPart(run: string, { from, to, version }: Required<Part> & { readonly version: number }): void {
    const known = this.#vouchedNow(run);
    if (version !== this.#version || from > known.to + 1 || to <= known.to) return;
    this.#keepVouched(run, { ...known, to });
  }

  /** Whether a part of a run, to its end unless said, holds none. Whatever became known since may stand there. */
  isVouched(run: string, { from, to = Infinity }: Part): boolean {
    const known = this.#vouchedNow(run);
    return from >= known.from || to <= known.to;
  }

  #vouchedNow(run: string): Vouched {
    const known = this.#vouched.get(run);
    return known?.version === this.#version ? known : { from: Infinity, to: 0, version: this.#version };
  }

  #keepVouched(run: string, vouched: Vouched): void {
    this.#vouched.delete(run);
    this.#vouched.set(run, vouched);
    for (const oldest of this.#vouched.keys())
      if (this.#vouched.size > vouchedRuns) this.#vouched.delete(oldest);
      else break;
  }

  /** The text without secrets. */
  readonly clean = (text: string): string => (this.isEmpty ? text : clean(this, text));

  /** A value without secrets in any of its texts; itself if there are none. */
  readonly cleanAll = <T>(value: T): T => (this.isEmpty ? value : cleanAll(this, value));

  /** The same of a value that may be long: between parts of its texts it rests. */
  readonly cleanLong = async <T>(value: T, rest: () => Promise<void>): Promise<T> =>
    this.isEmpty ? value : cleanLong(this, value, rest);

  #lookFor(value: string): number {
    this.#version += 1;
    const before = this.#plain.size + this.#tight.size;
    const secret = value.slice(0, longestSecret);
    const plain = plainForms(secret);
    for (const form of plain) this.#plain.add(form);
    for (const form of [...plain, ...tightForms(secret)]) this.#tight.add(form);
    return this.#plain.size + this.#tight.size - before;
  }

  /** Nothing can be taken out of what is looked for, so it is made anew: half goes at a time, so that this is rare. */
  #forgetHalf(): void {
    let room = this.#roomForPassing / 2;
    const newest = [...this.#passing].toReversed().filter(([, size]) => (room -= size) >= 0);
    this.#plain = new ExactTexts();
    this.#tight = new ExactTexts();
    this.#passing.clear();
    this.#passingSize = 0;
    for (const value of this.#kept) this.#lookFor(value);
    for (const [value] of newest.toReversed()) this.addPassing(value);
  }
}

/** What was found in a tight text, in the one it was made of. */
function asItStands(text: string, tight: Tight, found: Found): Found {
  if (found === nothing) return nothing;
  const { stretches, open } = found;
  const { placeOf } = tight;
  const from = open === 0 ? text.length : placeOf(tight.text.length - open);
  return {
    stretches: stretches.map(({ start, end }) => ({ start: placeOf(start), end: placeOf(end - 1) + 1 })),
    open: text.length - from,
    isSparse: text.length - from > open,
  };
}

/** What was found in a reading, in the text as it came. */
function asItCame(text: string, reading: Reading, { stretches, open }: Found): Found {
  return {
    stretches: stretches.map(({ start, end }) => ({
      start: reading.beginOf(start),
      end: reading.endOf(end - 1),
    })),
    open: open === 0 ? 0 : text.length - reading.beginOf(reading.text.length - open),
  };
}

/** A text is never cut inside of what is spelled out: each half would read as something else. */
function inWhole(text: string, reading: Reading, [one, other]: readonly [Found, Found]): Found {
  const { stretches, open } = both(one, other);
  const cut = reading.outside(text.length - open);
  if (stretches.length === 0 && cut === text.length) return nothing;
  return { stretches, open: text.length - cut, isSparse: true };
}

function both(one: Found, other: Found): Found {
  if (one === nothing) return other;
  if (other === nothing) return one;
  return {
    stretches: merged([...one.stretches, ...other.stretches]),
    open: Math.max(one.open, other.open),
    isSparse: one.isSparse === true || other.isSparse === true,
  };
}
