import { encode } from '../run/codec.ts';
import type { Entry } from '../run/events.ts';
import type { SseFrame } from '../wire/sse-frame.ts';
import type { Projection, Telling } from './projection.ts';

/** The native protocol: the entries themselves, as the journal keeps them. Clients fold them with the same code. */
export const stepsProjection: Projection<null, Entry> = {
  begin: () => null,
  project: (_, entry) => [entry],
};

/** The data of the frame the journal keeps: what follows `id: <seq>` and `data: `, without the empty line. */
export function stepsData(entry: Entry): string {
  const frame = encode(entry);
  return frame.slice(frame.indexOf('\n') + 'data: '.length + 1, -2);
}

/** The entries one by one, from any cursor on. */
export function nativeTelling(from = 0): Telling<SseFrame> {
  let seq = from;
  return {
    get seq() {
      return seq;
    },
    weight: 0,
    hasEnded: false,
    tell(entry) {
      if (entry.seq <= seq) return [];
      seq = entry.seq;
      return [{ data: stepsData(entry), id: seq }];
    },
    fork: () => nativeTelling(seq),
    jump: nativeTelling,
  };
}
