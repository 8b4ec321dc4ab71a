import type { Chunk } from '../../stores/store.ts';

/** What is written to a viewer at once, and the entry it brings the viewer to. */
export interface Slice {
  readonly text: string;
  readonly last: number;
}

/** Frames of the entries `first..last`, in the form that every viewer of one protocol gets. */
export interface Piece {
  readonly first: number;
  readonly last: number;
  /** Characters. */
  readonly size: number;
  /** What a viewer at `after` has not had: about `most` characters, or one entry if that is longer. */
  from(after: number, most: number): Slice;
}

/** What the journal keeps is what native viewers get. No line break stands inside a frame, so places are found as text. */
export function nativePiece({ first, last, frames }: Omit<Chunk, 'run'>): Piece {
  return {
    first,
    last,
    size: frames.length,
    from(after, most) {
      const start = after < first ? 0 : frames.indexOf(`\nid: ${after + 1}\n`) + 1;
      if (frames.length - start <= most) return { text: start === 0 ? frames : frames.slice(start), last };
      const end = endOfEntry(frames, start, most);
      if (end < 0) return { text: frames.slice(start), last };
      return { text: frames.slice(start, end), last: idAt(frames, end) - 1 };
    },
  };
}

/** The end of the last entry that fits, or of the first one if none does; below zero when that is the end of all. */
function endOfEntry(frames: string, start: number, most: number): number {
  const fits = frames.lastIndexOf('\n\nid: ', start + most - 2);
  const place = fits > start ? fits : frames.indexOf('\n\nid: ', start + most - 2);
  return place < 0 ? place : place + 2;
}

function idAt(frames: string, place: number): number {
  return Number(frames.slice(place + 4, frames.indexOf('\n', place)));
}

/** Frames that were computed, with the place in the text at which each entry ends. */
export function toldPiece(first: number, text: string, ends: readonly number[]): Piece {
  const endAt = (seq: number): number => (seq < first ? 0 : (ends[seq - first] ?? text.length));
  const last = first + ends.length - 1;
  return {
    first,
    last,
    size: text.length,
    from(after, most) {
      const start = endAt(after);
      if (text.length - start <= most) return { text: start === 0 ? text : text.slice(start), last };
      const from = Math.max(after, first - 1);
      const fits = lastWithin(ends, from + 1 - first, start + most);
      const reached = Math.max(first + fits, from + 1);
      return { text: text.slice(start, endAt(reached)), last: reached };
    },
  };
}

/** The last index from `low` on whose end is not beyond `limit`; `low - 1` if there is none. */
function lastWithin(ends: readonly number[], low: number, limit: number): number {
  let from = low - 1;
  let to = ends.length - 1;
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if ((ends[middle] ?? Infinity) <= limit) from = middle;
    else to = middle - 1;
  }
  return from;
}
