import type { Entry } from '../run/events.ts';
import type { WireFrame } from '../wire/framing.ts';
import { preferred } from './preferences/preferences.ts';
import type { Preferences, Projection, Telling } from './projection.ts';

/** A projection, and how its frames look on a wire. */
export interface Told<State, Frame, Wire extends WireFrame> {
  readonly projection: Projection<State, Frame>;
  readonly write: (frame: Frame) => Omit<Wire, 'id'>;
}

/** Plain data: to keep a telling is to copy it. */
interface Place<Shown, State> {
  seq: number;
  hasEnded: boolean;
  readonly shown: Shown;
  readonly state: State;
}

/**
 * Tells a run to one kind of viewer. The frames of an entry depend on the entries up to it and on nothing else, and the
 * last of them carries its number: to resume at a cursor is to tell what comes after it, from a telling that was kept or
 * from one that has silently been told the entries before. An entry without a frame moves no cursor; the next frame's
 * covers it. After the terminal frame nothing is told.
 */
export function telling<State, Frame, Wire extends WireFrame>(
  told: Told<State, Frame, Wire>,
  preferences: Preferences = {},
): Telling<Wire> {
  return Object.keys(preferences).length === 0 ? from(everything, told) : from(preferred(preferences), told);
}

function from<Shown, State, Frame, Wire extends WireFrame>(
  filter: Projection<Shown, Entry>,
  told: Told<State, Frame, Wire>,
  place: Place<Shown, State> = {
    seq: 0,
    hasEnded: false,
    shown: filter.begin(),
    state: told.projection.begin(),
  },
): Telling<Wire> {
  const { project, weight = () => 0 } = told.projection;
  return {
    get seq() {
      return place.seq;
    },
    get hasEnded() {
      return place.hasEnded;
    },
    get weight() {
      return weight(place.state) + (filter.weight?.(place.shown) ?? 0);
    },
    tell(entry) {
      if (entry.seq <= place.seq || place.hasEnded) return [];
      const [visible] = filter.project(place.shown, entry);
      const frames = visible ? project(place.state, visible) : [];
      place.seq = entry.seq;
      place.hasEnded = entry.event.type === 'run.ended';
      return frames.map((frame, i) => written<Wire>(told.write(frame), i === frames.length - 1, entry));
    },
    fork: () => from(filter, told, structuredClone(place)),
  };
}

const everything: Projection<undefined, Entry> = { begin: () => undefined, project: (_, entry) => [entry] };

function written<Wire extends WireFrame>(frame: Omit<Wire, 'id'>, isLast: boolean, { seq }: Entry): Wire {
  return (isLast ? { ...frame, id: seq } : frame) as Wire;
}
