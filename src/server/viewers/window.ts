import { Slice, type Piece } from './piece.ts';

/** How much of a watched run is kept at hand, and how much is written to one viewer at once. Characters. */
const windowSize = 256 * 1024;
const sliceSize = 64 * 1024;

/** The newest frames of one run in one protocol, shared by all who watch it. */
export interface Window {
  /** The last entry that is known here. */
  readonly head: number;
  push(piece: Piece): void;
  /** What a viewer at `after` gets next; undefined when that is no longer here. */
  slice(after: number): Slice | undefined;
}

export function windowAt(start: number): Window {
  const pieces: Piece[] = [];
  let head = start;
  let size = 0;
  let shared: { readonly after: number; readonly head: number; readonly slice: Slice } | undefined;

  const join = (after: number): Slice | undefined => {
    const oldest = pieces[0];
    if (!oldest || oldest.first > after + 1) return undefined;
    let last = after;
    let text = '';
    for (let i = pieces.findLastIndex((piece) => piece.first <= after + 1); i < pieces.length; i += 1) {
      const piece = pieces[i];
      if (!piece || text.length >= sliceSize) break;
      const slice = piece.from(last, sliceSize - text.length);
      text += slice.text;
      last = slice.last;
      if (last < piece.last) break;
    }
    return new Slice(text, last);
  };

  return {
    get head() {
      return head;
    },
    push(piece) {
      pieces.push(piece);
      size += piece.size;
      head = piece.last;
      while (size > windowSize && pieces.length > 1) size -= pieces.shift()?.size ?? 0;
    },
    slice(after) {
      // Nearly all viewers are at the same place: they get the same bytes, joined once.
      if (shared?.after === after && shared.head === head) return shared.slice;
      const newest = pieces.at(-1);
      const isNext = newest?.first === after + 1 && newest.size <= sliceSize;
      const slice = isNext ? newest.from(after, sliceSize) : join(after);
      if (slice) shared = { after, head, slice };
      return slice;
    },
  };
}
