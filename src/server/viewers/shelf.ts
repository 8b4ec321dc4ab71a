import type { Piece } from './piece.ts';

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
  // The one that was used last stands last.
  const inOrder = new Map<Piece, string>();
  let size = 0;

  const drop = (page: Piece): void => {
    const run = inOrder.get(page);
    if (run === undefined) return;
    inOrder.delete(page);
    size -= costOf(page);
    const pages = byRun.get(run);
    pages?.delete(page);
    if (pages?.size === 0) byRun.delete(run);
  };

  return {
    find(run, after) {
      for (const page of byRun.get(run) ?? []) {
        if (after + 1 < page.first || after + 1 > page.last) continue;
        inOrder.delete(page);
        inOrder.set(page, run);
        return page;
      }
      return undefined;
    },
    put(run, page) {
      byRun.set(run, (byRun.get(run) ?? new Set()).add(page));
      inOrder.set(page, run);
      size += costOf(page);
      for (const oldest of inOrder.keys()) {
        if (size <= room || oldest === page) break;
        drop(oldest);
      }
    },
    forget(run) {
      for (const page of byRun.get(run) ?? []) drop(page);
    },
  };
}

function costOf({ size }: Piece): number {
  return size * perCharacter + perPage;
}
