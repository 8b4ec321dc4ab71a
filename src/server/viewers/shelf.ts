import { LRUCache } from 'lru-cache';
import type { Piece } from './channel.ts';

/** Pages of several runs, as many as there is room for. Those that were used last stay longest. */
export interface Shelf {
  find(run: string, after: number): Piece | undefined;
  put(run: string, page: Piece): void;
  forget(run: string): void;
}

/** What a page takes beside its text: the bytes it is sent as, and what it is found by, however short it is. */
const perCharacter = 2;
const perPage = 2_000;

/** `room` is in bytes. */
export function shelfOf(room: number): Shelf {
  const byRun = new Map<string, Set<Piece>>();
  const runs = new LRUCache<Piece, string>({
    maxSize: room,
    // One that is too large for all of it has it alone, until the next one comes.
    sizeCalculation: (_, page) => Math.min(costOf(page), room),
    dispose(run, page) {
      const pages = byRun.get(run);
      pages?.delete(page);
      if (pages?.size === 0) byRun.delete(run);
    },
  });
  return {
    find(run, after) {
      for (const page of byRun.get(run) ?? []) {
        if (after + 1 < page.first || after + 1 > page.last) continue;
        runs.get(page);
        return page;
      }
      return undefined;
    },
    put(run, page) {
      byRun.set(run, (byRun.get(run) ?? new Set()).add(page));
      runs.set(page, run);
    },
    forget(run) {
      for (const page of byRun.get(run) ?? []) runs.delete(page);
    },
  };
}

function costOf({ size }: Piece): number {
  return size * perCharacter + perPage;
}
