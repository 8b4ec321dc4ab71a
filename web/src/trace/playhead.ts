import type { Entry } from '../../../src/client/client.ts';

/** Where nothing happens for longer, what is played goes on at once. Milliseconds. */
const longestPause = 400;

/** Plays what happened, as fast as it happened or in another pace. */
export class Playhead {
  readonly #entries: readonly Entry[];
  readonly #jumps: boolean;
  #index: number;
  #time: number;

  constructor(entries: readonly Entry[], from: number, { jumps }: { readonly jumps: boolean }) {
    this.#entries = entries;
    this.#jumps = jumps;
    this.#index = indexOfEntry(entries, from);
    this.#time = entries[Math.max(0, this.#index)]?.at ?? 0;
  }

  /** So much time of the run has passed: the entry that is the last now. */
  advance(milliseconds: number): number {
    this.#time += milliseconds;
    const next = this.#entries[this.#index + 1];
    if (this.#jumps && next) this.#time = Math.max(this.#time, next.at - longestPause);
    for (
      let at = this.#entries[this.#index + 1];
      at && at.at <= this.#time;
      at = this.#entries[this.#index + 1]
    )
      this.#index += 1;
    return this.#entries[this.#index]?.seq ?? 0;
  }

  get isAtEnd(): boolean {
    return this.#index >= this.#entries.length - 1;
  }
}

/** Where the last entry stands that is not after this one; -1 where there is none. */
export function indexOfEntry(entries: readonly Entry[], seq: number): number {
  return lastIndex(entries, (entry) => entry.seq <= seq);
}

/** When an entry was the last, where one is sought. */
export function momentOf(entries: readonly Entry[], at: number | undefined): number | undefined {
  return at === undefined ? undefined : entries[indexOfEntry(entries, at)]?.at;
}

/** The last entry at a moment: what is shown when somebody points there. */
export function entryAt(entries: readonly Entry[], moment: number): number {
  return (
    entries[
      Math.max(
        0,
        lastIndex(entries, ({ at }) => at <= moment),
      )
    ]?.seq ?? 0
  );
}

function lastIndex(entries: readonly Entry[], isBefore: (entry: Entry) => boolean): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry && isBefore(entry)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** How many entries fall into each of so many equal stretches of the time. */
export function densityOf(entries: readonly Entry[], bins: number): number[] {
  const counts = Array.from({ length: bins }, () => 0);
  const begin = entries[0]?.at ?? 0;
  const length = Math.max(1, (entries.at(-1)?.at ?? 0) - begin);
  for (const { at } of entries) {
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(((at - begin) / length) * bins)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}
