import { failureOf } from '../../run/failure.ts';
import type { Source } from './source.ts';
import { type Sink, type Viewer, blockSize } from './viewer.ts';
import type { Chunk } from '../../stores/store.ts';

/** From so many viewers on, what comes in a moment is joined: the number of writes is what viewers cost. */
const crowd = 50;
/** One more millisecond of joining for so many viewers, within these bounds. */
const viewersPerMillisecond = 25;
const shortestPause = 20;
const longestPause = 150;

interface ChannelSettings {
  readonly source: Source;
  readonly now: () => number;
  readonly problem: (cause: unknown) => void;
  /** Called with how many characters a viewer was given. */
  readonly delivered: (characters: number) => void;
}

/** One run in one protocol, and all who watch it there. A slow viewer costs a bounded buffer and misses nothing. */
export class Channel {
  readonly viewers = new Set<Viewer>();
  readonly #settings: ChannelSettings;
  readonly #window: Window;
  readonly #stop: () => void;
  #isClosed = false;
  #isEnded = false;
  #flushedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: ChannelSettings) {
    this.#settings = settings;
    this.#window = new Window(settings.source.start);
    this.#stop = settings.source.live({
      piece: (piece) => this.#hear(piece),
      over: (failure) => this.#end(failure),
    });
  }

  join(sink: Sink, after: number): Viewer {
    const viewer: Viewer = { sink, seq: after, is: 'live', since: 0, heard: true };
    this.viewers.add(viewer);
    sink.listen({
      drained: () => {
        if (viewer.is !== 'stalled') return;
        viewer.is = 'live';
        this.#serve(viewer);
      },
      gone: () => this.#leave(viewer),
    });
    this.#serve(viewer);
    return viewer;
  }

  /** Whether nobody can join any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Look after everyone: a sign of life for those who heard nothing, the end for those who take nothing. */
  look({ isBeat, stalledBefore }: { readonly isBeat: boolean; readonly stalledBefore: number }): void {
    for (const viewer of this.viewers) {
      if (viewer.is === 'stalled' && viewer.since < stalledBefore) viewer.sink.cut();
      if (!isBeat) continue;
      if (viewer.is === 'live') viewer.sink.beat(viewer.heard);
      viewer.heard = false;
    }
  }

  /** The last entry it knows. */
  get head(): number {
    return this.#window.head;
  }

  /** Whether everyone who takes what they are given has all of a run that has come to `head`. */
  hasTold({ head, isOver }: { readonly head: number; readonly isOver: boolean }): boolean {
    this.#flush();
    if (this.head < head || (isOver && !this.#isEnded)) return false;
    return [...this.viewers].every(({ is, seq }) => is === 'stalled' || seq >= head);
  }

  /** Let everyone go. Whoever is not stalled has all there is; the others come back to their place. */
  close(farewell?: 'reconnect'): void {
    this.#isClosed = true;
    this.#stop();
    this.#flush();
    for (const viewer of this.viewers) {
      this.#leave(viewer);
      viewer.sink.end(farewell);
    }
  }

  #hear(piece: Piece): void {
    if (this.#isClosed) return;
    this.#window.push(piece);
    if (this.viewers.size >= crowd || this.#timer) return this.#flushSoon();
    this.#serveAll();
    if (this.viewers.size > 1) return;
    // Nobody needs again what the only viewer has: kept, it is much of what a stream leaves to the collector of garbage.
    for (const { is, seq } of this.viewers) if (is === 'live' && seq === this.head) this.#window.forget();
  }

  #end(failure: unknown): void {
    if (this.#isClosed) return;
    this.#isEnded = failure === undefined;
    if (this.#isEnded) return this.#flush();
    // Whoever is cut off here comes back with a cursor, to a store that answers again.
    this.#settings.problem(failure);
    this.close(farewellAfter(failure));
  }

  #flushSoon(): void {
    if (this.#timer) return;
    const pause = Math.min(longestPause, Math.max(shortestPause, this.viewers.size / viewersPerMillisecond));
    const due = this.#flushedAt + pause - this.#settings.now();
    if (due <= 0) return this.#flush();
    this.#timer = setTimeout(() => this.#flush(), due);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#serveAll();
    this.#flushedAt = this.#settings.now();
  }

  #serveAll(): void {
    for (const viewer of this.viewers) if (viewer.is === 'live') this.#serve(viewer);
  }

  #serve(viewer: Viewer): void {
    while (viewer.is === 'live' && viewer.seq < this.#window.head) {
      const slice = this.#window.slice(viewer.seq);
      if (!slice) return void this.#read(viewer);
      this.#give(viewer, slice);
    }
    if (viewer.is === 'live' && this.#isEnded) {
      this.#leave(viewer);
      viewer.sink.end();
    }
  }

  #give(viewer: Viewer, slice: Slice): void {
    const { sink } = viewer;
    viewer.seq = slice.last;
    if (slice.text === '') return;
    viewer.heard = true;
    this.#settings.delivered(slice.text.length);
    if (this.#write(sink, slice)) return;
    viewer.is = 'stalled';
    viewer.since = this.#settings.now();
  }

  /** Whoever is alone gets the text as it is; a form is made where it is shared. */
  #write(sink: Sink, slice: Slice): boolean {
    if (sink.say && this.viewers.size === 1) return sink.say(slice.text);
    return sink.write(slice.in(sink.form));
  }

  /** One page at a time for those who are behind the window, each as far as its connection takes it. */
  async #read(viewer: Viewer): Promise<void> {
    viewer.is = 'reading';
    try {
      const page = await this.#settings.source.page(viewer.seq);
      if (viewer.is !== 'reading') return;
      viewer.is = 'live';
      this.#give(viewer, page.from(viewer.seq, blockSize));
      this.#serve(viewer);
    } catch (cause) {
      this.#settings.problem(cause);
      this.#leave(viewer);
      viewer.sink.end(farewellAfter(cause));
    }
  }

  #leave(viewer: Viewer): void {
    viewer.is = 'gone';
    this.viewers.delete(viewer);
  }
}

/** Where the journal itself is damaged, there is nothing to come back for. */
function farewellAfter(cause: unknown): 'reconnect' | undefined {
  return failureOf(cause).code === 'damaged' ? undefined : 'reconnect';
}

/** How much of a watched run is kept at hand, and how much is written to one viewer at once. Characters. */
const windowSize = 256 * 1024;
const sliceSize = 64 * 1024;

/** The newest frames of one run in one protocol, shared by all who watch it. */
class Window {
  /** The last entry that is known here. */
  head: number;
  readonly #pieces: Piece[] = [];
  #size = 0;
  /** What was given last, and to whom: nearly all viewers are at the same place, and get the same bytes. */
  #given: Slice | undefined;
  #givenAfter = -1;
  #givenAt = -1;

  constructor(start: number) {
    this.head = start;
  }

  push(piece: Piece): void {
    this.#pieces.push(piece);
    this.#size += piece.size;
    this.head = piece.last;
    while (this.#size > windowSize && this.#pieces.length > 1) this.#size -= this.#pieces.shift()?.size ?? 0;
  }

  /** Whoever comes for it now reads it elsewhere. */
  forget(): void {
    this.#pieces.length = 0;
    this.#size = 0;
  }

  /** What a viewer at `after` gets next; undefined when that is no longer here. */
  slice(after: number): Slice | undefined {
    if (this.#givenAfter === after && this.#givenAt === this.head) return this.#given;
    const newest = this.#pieces.at(-1);
    const isNext = newest?.first === after + 1 && newest.size <= sliceSize;
    this.#given = isNext ? newest.from(after, sliceSize) : this.#join(after);
    this.#givenAfter = after;
    this.#givenAt = this.head;
    return this.#given;
  }

  #join(after: number): Slice | undefined {
    const pieces = this.#pieces;
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
  }
}

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
