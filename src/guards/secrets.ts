import { ExactTexts } from './exact-texts.ts';
import { clean, cleanAll, type Found, type Guard } from './guard.ts';
import { formsOf } from './secret-forms.ts';

/** Shorter values would be found in words that are no secrets. */
export const shortestSecret = 8;
/** What comes in is a key or a token. A shorter one is a word that somebody gave in place of one. */
const shortestPassing = 16;
/** Whatever is longer is known by its beginning. */
const longestSecret = 4_096;
/** How many characters of passing secrets are looked for, in all their forms. */
const roomForPassing = 500_000;

/**
 * The secrets that this process knows, so that none of them is recorded or told: those of its configuration, which are
 * kept, and those that came in with requests, of which the latest are kept.
 */
export class Secrets implements Guard {
  readonly #kept = new Set<string>();
  readonly #passing = new Map<string, number>();
  readonly #roomForPassing: number;
  #passingSize = 0;
  #texts = new ExactTexts();

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

  find(text: string): Found {
    return this.#texts.find(text);
  }

  /** The text without secrets. */
  readonly clean = (text: string): string => clean(this, text);

  /** A value without secrets in any of its texts; itself if there are none. */
  readonly cleanAll = <T>(value: T): T => cleanAll(this, value);

  #lookFor(value: string): number {
    const before = this.#texts.size;
    for (const form of formsOf(value.slice(0, longestSecret))) this.#texts.add(form);
    return this.#texts.size - before;
  }

  /** Nothing can be taken out of what is looked for, so it is made anew: half goes at a time, so that this is rare. */
  #forgetHalf(): void {
    let room = this.#roomForPassing / 2;
    const newest = [...this.#passing].toReversed().filter(([, size]) => (room -= size) >= 0);
    this.#texts = new ExactTexts();
    this.#passing.clear();
    this.#passingSize = 0;
    for (const value of this.#kept) this.#lookFor(value);
    for (const [value] of newest.toReversed()) this.addPassing(value);
  }
}
