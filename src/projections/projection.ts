import type { Entry } from '../run/events.ts';

/** A client protocol as a state machine over entries. The same entries always give the same frames. */
export interface Projection<State, Frame> {
  readonly initial: State;
  /** The state before is not changed: whoever holds it can go on from there again. */
  project(state: State, entry: Entry): readonly [State, readonly Frame[]];
}

/** All frames of these entries, and the state after them. */
export function projectAll<State, Frame>(
  projection: Projection<State, Frame>,
  entries: Iterable<Entry>,
  from: State = projection.initial,
): readonly [State, readonly Frame[]] {
  const frames: Frame[] = [];
  let state = from;
  for (const entry of entries) {
    const [next, more] = projection.project(state, entry);
    state = next;
    frames.push(...more);
  }
  return [state, frames];
}

export { Preferences } from '../run/preferences.ts';

/** A run as one kind of viewer is told it, from its first entry on. */
export interface Telling<Frame> {
  /**
   * The frames of the next entry; the last of them carries the cursor. An entry it has had before, and whatever comes
   * after the end, gives none.
   */
  tell(entry: Entry): readonly Frame[];
  /** Another telling that goes on from here by itself: to keep one at a cursor costs next to nothing. */
  fork(): Telling<Frame>;
  /** The last entry it has had. */
  readonly seq: number;
  /** Whether the terminal frame was told. */
  readonly hasEnded: boolean;
}
