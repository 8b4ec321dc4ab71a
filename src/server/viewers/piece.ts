import type { Chunk } from '../../stores/store.ts';

/** How frames look on one kind of connection. */
export type Form = (frames: string) => Buffer;

/**
 * What is written to a viewer at once, and the entry it brings the viewer to. It takes each form once for all who get it,
 * and whoever waits with it holds no copy of it.
 */
export class Slice {
  readonly text: string;
  readonly last: number;
  #forms: Map<Form, Buffer> | undefined;

  constructor(text: string, last: number) {
    this.text = text;
    this.last = last;
  }

  in(form: Form): Buffer {
    this.#forms ??= new Map();
    const known = this.#forms.get(form);
    if (known) return known;
    const made = form(this.text);
    this.#forms.set(form, made);
    return made;
  }
}

/** Frames of the entries `first..last`, in the form that every viewer of one protocol gets. */
export interface Piece {
  readonly first: number;
  readonly last: number;
  /** Characters. */
  readonly size: number;
  /** What a viewer at `after` has not had: about `most` characters, or one entry if that is longer. */
  from(after: number, most: number): Slice;
  /** The frames of the entries after `after`, up to and with `last`. */
  text(after: number, last: number): string;
}

/** What the journal keeps is what native viewers get. No line break stands inside a frame, so places are found as text. */
export function nativePiece({ first, last, frames }: Omit<Chunk, 'run'>): Piece {
  return new NativePiece(first, last, frames);
}

/** One is made for every commit of every run that is watched. */
class NativePiece implements Piece {
  readonly first: number;
  readonly last: number;
  readonly #frames: string;
  /** Whoever reads on asks for the next place: looked for from the start each time, a long piece would cost its square. */
  #near: { readonly seq: number; readonly place: number } | undefined;

  constructor(first: number, last: number, frames: string) {
    this.first = first;
    this.last = last;
    this.#frames = frames;
  }

  get size(): number {
    return this.#frames.length;
  }

  text(after: number, until: number): string {
    return part(this.#frames, this.#placeOf(after + 1), this.#endOf(until));
  }

  from(after: number, most: number): Slice {
    const frames = this.#frames;
    const start = this.#placeOf(after + 1);
    const end = frames.length - start <= most ? -1 : endOfEntry(frames, start, most);
    if (end < 0) return new Slice(part(frames, start, frames.length), this.last);
    return new Slice(frames.slice(start, end), idAt(frames, end) - 1);
  }

  #placeOf(seq: number): number {
    if (seq <= this.first) return 0;
    const near = this.#near && this.#near.seq <= seq ? this.#near.place : 0;
    const place = this.#frames.indexOf(`\nid: ${seq}\n`, Math.max(0, near - 1)) + 1;
    this.#near = { seq, place };
    return place;
  }

  #endOf(seq: number): number {
    return seq >= this.last ? this.#frames.length : this.#placeOf(seq + 1);
  }
}

function part(text: string, start: number, end: number): string {
  return start === 0 && end === text.length ? text : text.slice(start, end);
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
    text: (after, until) => part(text, endAt(after), endAt(until)),
    from(after, most) {
      const start = endAt(after);
      if (text.length - start <= most) return new Slice(part(text, start, text.length), last);
      const from = Math.max(after, first - 1);
      const fits = lastWithin(ends, from + 1 - first, start + most);
      const reached = Math.max(first + fits, from + 1);
      return new Slice(text.slice(start, endAt(reached)), reached);
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
