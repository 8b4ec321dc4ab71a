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
export function nativeTelling(from = 0, isOver = false): Telling<SseFrame> {
  let seq = from;
  let hasEnded = isOver;
  return {
    get seq() {
      return seq;
    },
    get hasEnded() {
      return hasEnded;
    },
    get isOver() {
      return hasEnded;
    },
    weight: 0,
    tell(entry) {
      if (entry.seq <= seq || hasEnded) return [];
      seq = entry.seq;
      hasEnded = entry.event.type === 'run.ended';
      return [{ data: stepsData(entry), id: seq }];
    },
    fork: () => nativeTelling(seq, hasEnded),
    jump: (to) => nativeTelling(to),
  };
}
