import { LRUCache } from 'lru-cache';
import type { Telling } from '../../projections/projection.ts';
import { decodeAll } from '../../run/codec.ts';
import type { Chunk, Journal } from '../../stores/store.ts';
import { sseTexts, type SseFrame } from '../../wire/sse-frame.ts';
import { blockSize, type Archive } from './archive.ts';
import { inBlocks } from './page.ts';
import { nativePiece, toldPiece, type Piece } from './piece.ts';
import { watching } from './watching.ts';

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
}

/** The entries themselves. Nothing is computed: what the store has is what viewers get. */
export function nativeSource({ run, journal, archive }: SourceParts, head: number): Source {
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

type Teller = Telling<SseFrame>;

interface Stride {
  readonly piece: Piece;
  /** The telling at its end. */
  readonly next: Teller;
}

/**
 * Frames computed from entries. A telling can be kept at a cursor for next to nothing, so one is kept every so often:
 * whoever has fallen behind is told from the nearest one on, at the same cost anywhere in the run.
 */
export function toldSource({ run, journal, archive, clean }: SourceParts, telling: Teller): Source {
  const places = [telling.fork()];
  const strides = new LRUCache<number, Promise<Stride>>({ max: keptStrides });

  const tellStride = async (from: Teller): Promise<Stride> => {
    const next = from.fork();
    const page = await archive.page(run, from.seq);
    return { piece: inBlocks(told(next, page.from(from.seq, stride).text, clean), blockSize), next };
  };
  /** Many fall behind together: each stride is told once for all of them. */
  const strideFrom = (from: Teller): Promise<Stride> => {
    const known = strides.get(from.seq) ?? tellStride(from);
    strides.set(from.seq, known);
    known.catch(() => strides.delete(from.seq));
    return known;
  };

  return {
    start: 0,
    live(hearer) {
      const teller = telling.fork();
      let since = 0;
      const chunk = (given: Chunk): void => {
        const piece = nativePiece(given);
        while (teller.seq < piece.last) {
          const { text } = piece.from(teller.seq, stride);
          hearer.piece(told(teller, text, clean));
          since += text.length;
          if (since < stride) continue;
          places.push(teller.fork());
          since = 0;
        }
      };
      return watching(journal)(run, 0, { chunk, over: (failure) => hearer.over(failure) });
    },
    async page(after) {
      let from = places.findLast(({ seq }) => seq <= after) ?? telling;
      for (;;) {
        const { piece, next } = await strideFrom(from);
        if (piece.last > after) return piece;
        from = next;
      }
    },
  };
}

/** What a protocol puts together of several texts is cleaned once more. */
function told(teller: Teller, entries: string, clean: SourceParts['clean']): Piece {
  const first = teller.seq + 1;
  const ends: number[] = [];
  let text = '';
  for (const entry of decodeAll(entries)) {
    text += clean(sseTexts(teller.tell(entry)));
    ends.push(text.length);
  }
  return toldPiece(first, text, ends);
}
