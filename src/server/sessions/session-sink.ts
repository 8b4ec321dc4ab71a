import type { Telling } from '../../projections/projection.ts';
import type { WireFrame } from '../../wire/framing.ts';
import type { Sink } from '../viewers/viewer.ts';
import { streamEnd } from './session-turns.ts';

/** A console counts the events of a whole session, over all its turns: that number is its cursor. */
interface Count {
  /** Events before those of this turn. */
  readonly before: number;
  /** Events that the viewer has had. */
  readonly since: number;
  /** The end of the stream is the end of the last turn. */
  readonly isLast: boolean;
}

/** A turn of a session, its events numbered through. */
export function numbered(telling: Telling<WireFrame>, count: Count): Telling<WireFrame> {
  let { before: number } = count;
  return {
    get seq() {
      return telling.seq;
    },
    get hasEnded() {
      return telling.hasEnded;
    },
    get isOver() {
      return telling.isOver;
    },
    get weight() {
      return telling.weight;
    },
    tell: (entry) =>
      telling.tell(entry).flatMap((frame): WireFrame[] => {
        const { id: _, ...unnumbered } = frame;
        // Of the stream, not of the turn.
        if (frame.event === streamEnd) return count.isLast ? [unnumbered] : [];
        number += 1;
        return number > count.since ? [{ ...frame, id: number }] : [];
      }),
    fork: () => numbered(telling.fork(), { ...count, before: number }),
  };
}

/** A connection that is lent to the turns of a session, one after the other. */
export function turnSinks(sink: Sink): (over?: () => void) => Sink {
  let heard: Parameters<Sink['listen']>[0] = { drained() {}, gone() {} };
  sink.listen({ drained: () => heard.drained(), gone: () => heard.gone() });
  return (over) => ({
    ...sink,
    end: (farewell) => (farewell || !over ? sink.end(farewell) : over()),
    listen: (listeners) => void (heard = listeners),
  });
}
