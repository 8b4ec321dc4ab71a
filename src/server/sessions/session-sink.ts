import type { Telling } from '../../projections/projection.ts';
import type { Entry } from '../../run/events.ts';
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
export class NumberedTurn implements Telling<WireFrame> {
  readonly #telling: Telling<WireFrame>;
  readonly #count: Count;
  #number: number;

  constructor(telling: Telling<WireFrame>, count: Count) {
    this.#telling = telling;
    this.#count = count;
    this.#number = count.before;
  }

  get seq(): number {
    return this.#telling.seq;
  }

  get hasEnded(): boolean {
    return this.#telling.hasEnded;
  }

  get isOver(): boolean {
    return this.#telling.isOver;
  }

  get weight(): number {
    return this.#telling.weight;
  }

  tell(entry: Entry): readonly WireFrame[] {
    const { isLast, since } = this.#count;
    return this.#telling.tell(entry).flatMap((frame): WireFrame[] => {
      const { id: _, ...unnumbered } = frame;
      // Of the stream, not of the turn.
      if (frame.event === streamEnd) return isLast ? [unnumbered] : [];
      this.#number += 1;
      return this.#number > since ? [{ ...frame, id: this.#number }] : [];
    });
  }

  fork(): NumberedTurn {
    return new NumberedTurn(this.#telling.fork(), { ...this.#count, before: this.#number });
  }
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
