import { tailOf } from './folded.ts';
import { isEnd, markOf, redacted, type Found, type Guard, type Kind, type Stretch } from './guard.ts';
import { countRead } from './tight.ts';

/** So few characters of the beginning of anything tell nothing about it. */
const crumb = 4;

/**
 * A text that is still arriving. It is let go up to the last place where nothing that must not pass can be in the middle,
 * so what comes out is the same wherever it was cut.
 */
export class HeldText {
  readonly #guard: Guard;
  /** What could begin a match. */
  #text = '';
  /** How much of it was told nevertheless: as it is, or by a mark that stands for it. */
  #told = 0;
  #isMarked = false;
  #marks = 0;
  /** The character before what is held, where the guard wants to know it. */
  #before = '';
  /** Something ended the text: nothing more of it is told. */
  #isEnded = false;
  #kinds: Kind[] = [];

  constructor(guard: Guard) {
    this.#guard = guard;
  }

  /** Whether the next piece can be looked at alone. */
  get isEmpty(): boolean {
    return this.#text === '' && this.#before === '' && !this.#isEnded;
  }

  /** Whether something in it ended it. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** What was found since this was asked last, secrets aside. */
  takeKinds(): readonly Kind[] {
    return this.#kinds.splice(0);
  }

  /** How often a secret was hidden. */
  get marks(): number {
    return this.#marks;
  }

  /** What may be told now that this piece has come. `found` is what was found in it, where nothing is held. */
  take(piece: string, found?: Found): string {
    if (this.#isEnded) return '';
    const text = this.#text + piece;
    if (this.#guard.isWhole) {
      this.#text = text;
      return '';
    }
    const { stretches, open, isSparse = false } = found ?? this.#guard.find(text, this.#before);
    const told = this.#tell(text, stretches, text.length - open);
    const isFound = (stretches.at(-1)?.end ?? 0) > text.length - open;
    // What says nothing waits for the next piece, and not also for the rest of what is spelled or broken in it.
    return isSparse && !isFound ? told + this.#takeFew(this.#text.length - piece.length) : told;
  }

  /** What was held back and says nothing, for whoever cannot wait. Should it turn out to begin a match, the rest is hidden. */
  takeCrumb(): string {
    return this.#guard.isWhole ? '' : this.#takeFew(this.#text.length);
  }

  #takeFew(length: number): string {
    if (length <= this.#told || countRead(this.#text.slice(0, length)) >= crumb) return '';
    const told = this.#text.slice(this.#told, length);
    this.#isMarked = false;
    this.#told = length;
    return told;
  }

  /** What stands in place of what is held back, for whoever can neither wait nor hear of it later. */
  takeMark(): string {
    if (this.#told >= this.#text.length) return '';
    this.#told = this.#text.length;
    if (this.#isMarked) return '';
    this.#isMarked = true;
    this.#marks += 1;
    return redacted;
  }

  /** The rest: nothing more comes. */
  end(): string {
    return this.#tell(this.#text, this.#guard.find(this.#text, this.#before).stretches, this.#text.length);
  }

  /** Tell `text` up to `cut`, and hold what is after it. A match that begins before the cut is told as one mark. */
  #tell(text: string, stretches: readonly Stretch[], cut: number): string {
    let at = this.#told;
    let isMarked = this.#isMarked;
    let told = '';
    for (const stretch of stretches) {
      const { start, end, of } = stretch;
      if (start >= cut) break;
      if (end <= at) continue;
      if (start >= at || !isMarked || isEnd(stretch)) {
        told += text.slice(at, Math.max(at, start)) + markOf(stretch);
        if (of) this.#kinds.push(of);
        else this.#marks += 1;
      }
      if (isEnd(stretch)) return this.#endWith(told);
      at = end;
      isMarked = true;
    }
    if (at < cut) {
      told += text.slice(at, cut);
      at = cut;
      isMarked = false;
    }
    if (this.#guard.looksBack && cut > 0) this.#before = tailOf(text.slice(0, cut), this.#before);
    this.#text = text.slice(cut);
    this.#told = at - cut;
    this.#isMarked = isMarked;
    return told;
  }

  #endWith(told: string): string {
    this.#isEnded = true;
    this.#text = '';
    this.#told = 0;
    return told;
  }
}
