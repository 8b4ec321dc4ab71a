import type { Entry } from '../run/events.ts';
import type { SseFrame } from '../wire/sse-frame.ts';
import { preferred, type Shown } from './preferences/preferences.ts';
import type { Preferences, Projection, Telling } from './projection.ts';

/** A projection, and how its frames look on a wire. */
export interface Protocol<State, Frame> {
  readonly projection: Projection<State, Frame>;
  readonly write: (frame: Frame) => Omit<SseFrame, 'id'>;
}

interface Place<State> {
  readonly seq: number;
  readonly hasEnded: boolean;
  readonly shown: Shown;
  readonly state: State;
}

/**
 * Tells a run to one kind of viewer. The frames of an entry depend on the entries up to it and on nothing else, and the
 * last of them carries its number: to resume at a cursor is to tell what comes after it, from a telling that was kept or
 * from one that has silently been told the entries before. An entry without a frame moves no cursor; the next frame's
 * covers it. After the terminal frame nothing is told.
 */
export function telling<State, Frame>(
  { projection, write }: Protocol<State, Frame>,
  preferences: Preferences = {},
): Telling<SseFrame> {
  const filter = Object.keys(preferences).length === 0 ? everything : preferred(preferences);
  const from = (begin: Place<State>): Telling<SseFrame> => {
    let place = begin;
    return {
      get seq() {
        return place.seq;
      },
      get hasEnded() {
        return place.hasEnded;
      },
      tell(entry) {
        if (entry.seq <= place.seq || place.hasEnded) return [];
        const [shown, [visible]] = filter.project(place.shown, entry);
        const [state, frames] = visible ? projection.project(place.state, visible) : [place.state, []];
        place = { seq: entry.seq, hasEnded: entry.event.type === 'run.ended', shown, state };
        return frames.map((frame, i) => written(write(frame), i === frames.length - 1, entry));
      },
      fork: () => from(place),
    };
  };
  return from({ seq: 0, hasEnded: false, shown: filter.initial, state: projection.initial });
}

const everything: Projection<Shown, Entry> = {
  initial: preferred({}).initial,
  project: (shown, entry) => [shown, [entry]],
};

function written(frame: Omit<SseFrame, 'id'>, isLast: boolean, { seq }: Entry): SseFrame {
  return isLast ? { ...frame, id: seq } : frame;
}
