import { decodeAll } from '../../run/codec.ts';
import type { Telling } from '../../projections/projection.ts';
import type { Journal } from '../../stores/store.ts';
import { sseTexts, type SseFrame } from '../../wire/sse-frame.ts';
import type { Archive } from './archive.ts';
import { nativePiece, toldPiece, type Piece } from './piece.ts';

/** Where the frames of one run in one protocol come from. */
export interface Source {
  /** The entry its live pieces begin after. */
  readonly start: number;
  /** Everything after `start`, and then what comes, until the run ends or the signal aborts. */
  live(signal: AbortSignal): AsyncIterable<Piece>;
  /** A piece that holds the entry after `after`, for those who have fallen behind. */
  page(after: number): Promise<Piece>;
}

export interface SourceParts {
  readonly run: string;
  readonly journal: Pick<Journal, 'follow'>;
  readonly archive: Archive;
  /** Frames as they may leave the house. */
  readonly clean: (frames: string) => string;
}

/** The entries themselves. Nothing is computed: what the store has is what viewers get. */
export function nativeSource({ run, journal, archive, clean }: SourceParts, head: number): Source {
  return {
    start: head,
    async *live(signal) {
      for await (const { first, last, frames } of journal.follow(run, head, signal)) {
        yield nativePiece({ first, last, frames: clean(frames) });
      }
    },
    page: (after) => archive.page(run, after),
  };
}

/** How many characters of entries are told from one remembered place to the next. */
const stride = 64 * 1024;

/**
 * Frames computed from entries. A telling can be kept at a cursor for next to nothing, so one is kept every so often:
 * whoever has fallen behind is told from the nearest one on, at the same cost anywhere in the run.
 */
export function toldSource(
  { run, journal, archive, clean }: SourceParts,
  telling: Telling<SseFrame>,
): Source {
  const kept = [telling.fork()];
  return {
    start: 0,
    async *live(signal) {
      const teller = telling.fork();
      let since = 0;
      for await (const { first, last, frames } of journal.follow(run, 0, signal)) {
        const chunk = nativePiece({ first, last, frames: clean(frames) });
        while (teller.seq < last) {
          const { text } = chunk.from(teller.seq, stride);
          yield told(teller, text);
          since += text.length;
          if (since < stride) continue;
          kept.push(teller.fork());
          since = 0;
        }
      }
    },
    async page(after) {
      const teller = (kept.findLast(({ seq }) => seq <= after) ?? telling).fork();
      for (;;) {
        const page = await archive.page(run, teller.seq);
        const piece = told(teller, page.from(teller.seq, stride).text);
        if (piece.last > after) return piece;
      }
    },
  };
}

function told(teller: Telling<SseFrame>, entries: string): Piece {
  const first = teller.seq + 1;
  const ends: number[] = [];
  let text = '';
  for (const entry of decodeAll(entries)) {
    text += sseTexts(teller.tell(entry));
    ends.push(text.length);
  }
  return toldPiece(first, text, ends);
}
