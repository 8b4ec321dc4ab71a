import type { Entry } from '../run/events.ts';
import type { WireFrame } from '../wire/framing.ts';
import { preferred } from './preferences/preferences.ts';
import type { Ends, Projection, Telling, ViewOptions } from './projection.ts';
import { comesToRest, newWaiting, type Waiting } from './waiting.ts';

/** A projection, and how its frames look on a wire. */
export interface Told<State, Frame, Wire extends WireFrame> {
  readonly projection: Projection<State, Frame>;
  readonly write: (frame: Frame) => Omit<Wire, 'id'>;
  /** Where its answers end; with the run, unless said. */
  readonly ends?: Ends;
}

/** Plain data: to keep a telling is to copy it. */
interface Place<Shown, State> {
  seq: number;
  hasEnded: boolean;
  /** Whether an answer ended with the last entry. */
  isOver: boolean;
  readonly shown: Shown;
  readonly state: State;
  /** Where answers end at questions: whether the run waits for people alone. */
  readonly waiting: Waiting | undefined;
}

/**
 * Tells a run to one kind of viewer. The frames of an entry depend on the entries up to it and on nothing else, and the
 * last of them carries its number: to resume at a cursor is to tell what comes after it, from a telling that was kept or
 * from one that has silently been told the entries before. An entry without a frame moves no cursor; the next frame's
 * covers it. After the terminal frame nothing is told. An answer of a protocol is a part of all this and nothing else.
 */
export function telling<State, Frame, Wire extends WireFrame>(
  told: Told<State, Frame, Wire>,
  options: Shape = {},
): Telling<Wire> {
  const { write } = told;
  return withFrames(told, options, (frames, { seq }) =>
    frames.map((frame, i) => written<Wire>(write(frame), i === frames.length - 1, seq)),
  );
}

/** The same before it is written. */
export function unwritten<State, Frame>(
  told: Pick<Told<State, Frame, never>, 'projection' | 'ends'>,
  options: Shape = {},
): Telling<Frame> {
  return withFrames(told, options, (frames) => frames);
}

type Shape = Pick<ViewOptions, 'preferences' | 'joinedTo'>;
type Finish<Frame, Out> = (frames: readonly Frame[], entry: Entry) => readonly Out[];

function withFrames<State, Frame, Out>(
  { projection, ends }: Pick<Told<State, Frame, never>, 'projection' | 'ends'>,
  { preferences = {}, joinedTo = 0 }: Shape,
  finish: Finish<Frame, Out>,
): Telling<Out> {
  const parts = { projection, finish, joinedTo };
  const isWhole = Object.keys(preferences).length === 0;
  const waiting = ends === 'question' ? newWaiting() : undefined;
  if (isWhole)
    return new ToldRun({ ...parts, filter: everything }, placeAtStart(everything, projection, waiting));
  const filter = preferred(preferences);
  return new ToldRun({ ...parts, filter }, placeAtStart(filter, projection, waiting));
}

function placeAtStart<Shown, State>(
  filter: Projection<Shown, Entry>,
  projection: Pick<Projection<State, unknown>, 'begin'>,
  waiting: Waiting | undefined,
): Place<Shown, State> {
  const fresh = { seq: 0, hasEnded: false, isOver: false };
  return { ...fresh, shown: filter.begin(), state: projection.begin(), waiting };
}

interface Parts<Shown, State, Frame, Out> {
  readonly filter: Projection<Shown, Entry>;
  readonly projection: Projection<State, Frame>;
  readonly joinedTo: number;
  readonly finish: Finish<Frame, Out>;
}

/** A class, so that what is asked of a telling is found on all of them alike. */
class ToldRun<Shown, State, Frame, Out> implements Telling<Out> {
  readonly jump: ((seq: number) => Telling<Out>) | undefined;
  readonly #parts: Parts<Shown, State, Frame, Out>;
  readonly #place: Place<Shown, State>;

  constructor(parts: Parts<Shown, State, Frame, Out>, place: Place<Shown, State>) {
    const { filter, projection } = parts;
    this.#parts = parts;
    this.#place = place;
    this.jump =
      filter.isMemoryless && projection.isMemoryless && !place.waiting
        ? (seq) => new ToldRun(parts, { ...placeAtStart(filter, projection, undefined), seq })
        : undefined;
  }

  get seq(): number {
    return this.#place.seq;
  }

  get hasEnded(): boolean {
    return this.#place.hasEnded;
  }

  get isOver(): boolean {
    return this.#place.isOver;
  }

  get weight(): number {
    const { projection, filter } = this.#parts;
    const { state, shown } = this.#place;
    return (projection.weight?.(state) ?? 0) + (filter.weight?.(shown) ?? 0);
  }

  tell(entry: Entry): readonly Out[] {
    const place = this.#place;
    const { filter, projection, finish, joinedTo } = this.#parts;
    if (entry.seq <= place.seq || place.hasEnded) return [];
    const { state } = place;
    const [visible] = filter.project(place.shown, entry);
    const begins = place.isOver && entry.seq > joinedTo + 1 ? projection.goOn?.(state, entry) : undefined;
    const frames = visible ? projection.project(state, visible) : [];
    place.seq = entry.seq;
    place.hasEnded = entry.event.type === 'run.ended';
    place.isOver = place.waiting ? comesToRest(place.waiting, entry) : place.hasEnded;
    const isRest = place.isOver && !place.hasEnded && entry.seq > joinedTo;
    const ends = isRest ? projection.rest?.(state, entry) : undefined;
    return finish(begins || ends ? [...(begins ?? []), ...frames, ...(ends ?? [])] : frames, entry);
  }

  fork(): Telling<Out> {
    return new ToldRun(this.#parts, structuredClone(this.#place));
  }
}

/** The entries themselves. */
export const everything: Projection<undefined, Entry> = {
  begin: () => undefined,
  project: (_, entry) => [entry],
  isMemoryless: true,
};

function written<Wire extends WireFrame>(frame: Omit<Wire, 'id'>, isLast: boolean, seq: number): Wire {
  return (isLast ? { ...frame, id: seq } : frame) as Wire;
}
