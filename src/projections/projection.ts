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
