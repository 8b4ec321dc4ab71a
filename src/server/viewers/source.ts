import { LRUCache } from 'lru-cache';
import type { Telling } from '../../projections/projection.ts';
import { decodeAll } from '../../run/codec.ts';
import type { Chunk, Journal } from '../../stores/store.ts';
import type { Framing, WireFrame } from '../../wire/framing.ts';
import { blockSize, type Archive } from './archive.ts';
import { inBlocks } from './page.ts';
import { nativePiece, toldPiece, type Piece } from './piece.ts';
import type { Places } from './places.ts';

/** A run as those who watch here are told it. */
export type Teller = Telling<WireFrame>;

/** Where the frames of one run in one protocol come from. */
export interface Source {
  /** The entry its live pieces begin after. */
  readonly start: number;
  /** Everything after `start`, and then what comes, until the run ends. Returns what ends it before. */
  live(hearer: Hearer): () => void;
  /** A piece that holds the entry after `after`, for those who have fallen behind. */
  page(after: number): Promise<Piece>;
}

export interface Hearer {
  piece(piece: Piece): void;
  /** All was told, or why no more can be. */
  over(failure?: unknown): void;
}

export interface SourceParts {
  readonly run: string;
  readonly journal: Pick<Journal, 'follow' | 'watch'>;
  readonly archive: Archive;
  /** Frames that were put together, as they may leave the server. */
  readonly clean: (frames: string) => string;
  /** How they look to those who watch here. */
  readonly framing: Framing;
  /** Where tellings of it were kept. */
  readonly places: Places<Teller>;
}

/** The entries themselves. Nothing is computed: what the store has is what viewers get. */
export function nativeSource(
  { run, journal, archive }: Pick<SourceParts, 'run' | 'journal' | 'archive'>,
  head: number,
): Source {
  return {
    start: head,
    live: (hearer) =>
      watching(journal)(run, head, {
        chunk: (chunk) => hearer.piece(nativePiece(chunk)),
        over: (failure) => hearer.over(failure),
      }),
    page: (after) => archive.page(run, after),
  };
}

/** How many characters of entries are told from one remembered place to the next. */
const stride = 64 * 1024;
/** How many told strides are kept for those who catch up. */
const keptStrides = 16;

interface Stride {
  readonly piece: Piece;
  /** The telling at its end. */
  readonly next: Teller;
}

/** Each open step makes a telling dearer to keep by about so many characters of entries. */
const perStep = 256;

/**
 * Frames computed from entries. A telling is kept every so often: whoever comes with a cursor, also later, or has fallen
 * behind, is told from the nearest one on, at the same cost anywhere in the run.
 */
export function toldSource(parts: SourceParts, head: number): Source {
  const { run, archive, places } = parts;
  const strides = new LRUCache<number, Promise<Stride>>({ max: keptStrides });
  const placeAt = (seq: number): Teller => {
    const place = places.nearest(seq);
    return place.jump?.(seq) ?? place;
  };
  const begin = placeAt(head);

  const tellStride = async (from: Teller): Promise<Stride> => {
    const next = from.fork();
    const page = await archive.page(run, from.seq);
    const { text } = page.from(from.seq, strideOf(from));
    return { piece: inBlocks(told(next, text, parts), blockSize), next };
  };
  /** Many fall behind together: each stride is told once for all of them. */
  const strideFrom = (from: Teller): Promise<Stride> => {
    const known = strides.get(from.seq) ?? tellStride(from);
    strides.set(from.seq, known);
    known.catch(() => strides.delete(from.seq));
    return known;
  };

  return {
    start: begin.seq,
    live: (hearer) => tellLive(parts, begin.fork(), hearer),
    async page(after) {
      let from = placeAt(after);
      for (;;) {
        const { piece, next } = await strideFrom(from);
        if (piece.last > after) return piece;
        from = next;
      }
    },
  };
}

function tellLive(parts: SourceParts, teller: Teller, hearer: Hearer): () => void {
  const { run, journal, places } = parts;
  // Where an answer was over before, nothing is waited for.
  if (teller.hasEnded) {
    queueMicrotask(() => hearer.over());
    return () => {};
  }
  let since = 0;
  const chunk = (given: Chunk): void => {
    const piece = nativePiece(given);
    while (teller.seq < piece.last && !teller.hasEnded) {
      const { text } = piece.from(teller.seq, stride);
      hearer.piece(told(teller, text, parts));
      since += text.length;
      if (since < strideOf(teller)) continue;
      places.keep(teller.fork());
      since = 0;
    }
    if (!teller.hasEnded) return;
    stop();
    hearer.over();
  };
  const stop = watching(journal)(run, teller.seq, { chunk, over: (failure) => hearer.over(failure) });
  return stop;
}

/** So far apart that keeping costs less than telling, however many steps are open. */
function strideOf({ weight }: Teller): number {
  return stride + perStep * weight;
}

/** What a protocol puts together of several texts is cleaned once more. */
function told(teller: Teller, entries: string, { clean, framing }: SourceParts): Piece {
  const first = teller.seq + 1;
  const ends: number[] = [];
  let text = '';
  for (const entry of decodeAll(entries)) {
    text += framing.text(teller.tell(entry).map((frame) => cleaned(frame, clean)));
    ends.push(text.length);
  }
  return toldPiece(first, text, ends);
}

function cleaned(frame: WireFrame, clean: SourceParts['clean']): WireFrame {
  return typeof frame.data === 'string' ? { ...frame, data: clean(frame.data) } : frame;
}

type Watch = NonNullable<Journal['watch']>;

/** How runs of a journal are watched, also of one that can only be followed. */
export function watching(journal: Pick<Journal, 'follow' | 'watch'>): Watch {
  if (journal.watch) return journal.watch;
  return (run, after, watcher) => {
    const left = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const chunk of journal.follow(run, after, left.signal)) watcher.chunk(chunk);
    };
    follow().then(
      () => left.signal.aborted || watcher.over(),
      (failure: unknown) => left.signal.aborted || watcher.over(failure),
    );
    return () => left.abort();
  };
}
