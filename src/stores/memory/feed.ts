import type { FeedPage, FeedPlace, RunRow } from '../store.ts';
import { expectPast, feedSize, placeNumber } from '../rules/feed.ts';

interface Moved {
  readonly place: number;
  readonly run: string;
}

/** Runs of each tenant in the order of their last change. One that changes again leaves a gap where it was. */
export interface MemoryFeed {
  /** It has changed, or is gone. */
  move(tenant: string, run: string): void;
  read(from: FeedPlace, row: (run: string) => RunRow | undefined): FeedPage;
}

export function memoryFeed(): MemoryFeed {
  const moves = new Map<string, Moved[]>();
  const places = new Map<string, number>();
  let last = 0;
  return {
    move(tenant, run) {
      last += 1;
      const list = moves.get(tenant) ?? [];
      moves.set(tenant, list.length < 2 * places.size + 16 ? list : list.filter(isLast));
      moves.get(tenant)?.push({ place: last, run });
      places.set(run, last);
    },
    read({ tenant, after, limit = feedSize }, row) {
      const from = placeNumber(after);
      expectPast(from, last, after);
      const list = moves.get(tenant) ?? [];
      const items = [];
      for (let at = firstAfter(list, from); at < list.length && items.length < limit; at += 1) {
        const moved = list[at];
        if (moved && isLast(moved))
          items.push({ place: String(moved.place), run: moved.run, row: row(moved.run) });
      }
      return { items, last: String(last) };
    },
  };
  function isLast({ place, run }: Moved): boolean {
    return places.get(run) === place;
  }
}

function firstAfter(list: readonly Moved[], place: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.place ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
