import type { Entry } from '../run/events.ts';
import { fold } from '../run/fold.ts';
import { emptyTree, type RunTree } from '../run/tree.ts';

/** What has arrived of a run, folded: as it is now, or as it was when any entry was the last. */
export class Moments {
  readonly entries: Entry[] = [];
  readonly #now: RunTree = emptyTree();
  /** A tree of its own for the moment that is sought, and how many entries it has had. */
  #then: { readonly tree: RunTree; folded: number } | undefined;
  #at: number | undefined;

  /** The last entry that has arrived. */
  get head(): number {
    return this.#now.seq;
  }

  /** The entry that was sought. */
  get at(): number | undefined {
    return this.#at;
  }

  /** The run as it is to be shown. */
  get tree(): RunTree {
    return this.#then?.tree ?? this.#now;
  }

  take(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.entries.push(entry);
      fold(this.#now, entry);
    }
    this.#goOn();
  }

  /** What has not arrived yet is shown when it does. */
  seek(at: number | undefined): void {
    this.#at = at;
    if (at === undefined) this.#then = undefined;
    else if (!this.#then || this.#then.tree.seq > at) this.#then = { tree: emptyTree(), folded: 0 };
    this.#goOn();
  }

  #goOn(): void {
    const then = this.#then;
    if (!then || this.#at === undefined) return;
    for (; then.folded < this.entries.length; then.folded += 1) {
      const entry = this.entries[then.folded];
      if (!entry || entry.seq > this.#at) return;
      fold(then.tree, entry);
    }
  }
}
