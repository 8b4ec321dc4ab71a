import { copyTree } from '../run/copy-tree.ts';
import type { Entry } from '../run/events.ts';
import { fold } from '../run/entries.ts';
import { emptyTree, type RunTree } from '../run/tree.ts';

/** A tree and how many entries it has had. */
interface Folded {
  readonly tree: RunTree;
  folded: number;
}

/** Into how many parts a long run is divided by what is kept of it, at most twice as many. */
const parts = 8;

/** What has arrived of a run, folded: as it is now, or as it was when any entry was the last. */
export class Moments {
  readonly entries: Entry[] = [];
  readonly #now: RunTree = emptyTree();
  /** A tree of its own for the moment that is sought. */
  #then: Folded | undefined;
  #at: number | undefined;
  /** The run as it was at some of its entries: whoever goes back in a long run does not begin from its beginning. */
  readonly #kept = new Map<number, RunTree>();
  #stride: number;

  /** Of a run of fewer entries than `stride` nothing is kept. */
  constructor(stride = 4_096) {
    this.#stride = stride;
  }

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
    this.#then = at === undefined ? undefined : this.#nearest(at);
    this.#goOn();
  }

  /** The furthest that is not beyond it: where the last one went, what was kept, or the beginning. */
  #nearest(at: number): Folded {
    const here = this.#then && this.#then.tree.seq <= at ? this.#then : { tree: emptyTree(), folded: 0 };
    let [folded, kept]: readonly [number, RunTree | undefined] = [here.folded + this.#stride - 1, undefined];
    for (const [count, tree] of this.#kept)
      if (tree.seq <= at && count > folded) [folded, kept] = [count, tree];
    return kept ? { tree: copyTree(kept), folded } : here;
  }

  #goOn(): void {
    const then = this.#then;
    if (!then || this.#at === undefined) return;
    for (; then.folded < this.entries.length; then.folded += 1) {
      if (then.folded > 0 && then.folded % this.#stride === 0) this.#keep(then);
      const entry = this.entries[then.folded];
      if (!entry || entry.seq > this.#at) return;
      fold(then.tree, entry);
    }
  }

  #keep({ tree, folded }: Folded): void {
    while (this.entries.length > 2 * parts * this.#stride) this.#stride *= 2;
    for (const count of this.#kept.keys()) if (count % this.#stride !== 0) this.#kept.delete(count);
    if (folded % this.#stride === 0 && !this.#kept.has(folded)) this.#kept.set(folded, copyTree(tree));
  }
}
