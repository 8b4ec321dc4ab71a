import type { Entry } from '../run/events.ts';
import type { Failure } from '../run/failure.ts';
import type { Preferences } from '../run/preferences.ts';
import type { RunTree } from '../run/tree.ts';
import type { Door } from './door.ts';

/**
 * A state machine from entries to frames. The same entries always give the same frames. Its state is plain data, changed in
 * place: whoever wants to go on from a cursor keeps a copy of it.
 */
export interface Projection<State, Frame> {
  readonly begin: () => State;
  readonly project: (state: State, entry: Entry) => readonly Frame[];
  /** What is told of an entry does not depend on those before: such a telling can begin at any cursor. */
  readonly isMemoryless?: true;
  /** How much there is to copy: about one for each open step. */
  readonly weight?: (state: State) => number;
  /** What is told where an answer ends although the run has not, after all else of the entry. */
  readonly rest?: (state: State, entry: Entry) => readonly Frame[];
  /** What is told where the next answer begins, before all else of its first entry. */
  readonly goOn?: (state: State, entry: Entry) => readonly Frame[];
}

/** All frames of these entries, and the state after them. */
export function projectAll<State, Frame>(
  projection: Projection<State, Frame>,
  entries: Iterable<Entry>,
  from?: State,
): readonly [State, readonly Frame[]] {
  const state = from === undefined ? projection.begin() : structuredClone(from);
  return [state, [...entries].flatMap((entry) => projection.project(state, entry))];
}

export { Preferences } from '../run/preferences.ts';

/** A run as one kind of viewer is told it, from its first entry on. */
export interface Telling<Frame> {
  /**
   * The frames of the next entry; the last of them carries the cursor. An entry it has had before, and whatever comes
   * after the end, gives none.
   */
  tell(entry: Entry): readonly Frame[];
  /** Another telling that goes on from here by itself. */
  fork(): Telling<Frame>;
  /** What a fork costs, in open steps. */
  readonly weight: number;
  /** The same at any cursor, where what is told of an entry does not depend on those before. */
  jump?(seq: number): Telling<Frame>;
  /** The last entry it has had. */
  readonly seq: number;
  /** Whether the terminal frame was told. */
  readonly hasEnded: boolean;
  /** Whether an answer of the protocol ends with the last entry it has had. */
  readonly isOver: boolean;
}

export interface ViewOptions {
  readonly run: string;
  readonly preferences?: Preferences;
  /** Of a console: the number of the last card of the conversation's earlier runs. */
  readonly cardsBefore?: number;
  /** What a request wants told or left out, by names of the protocol's own. */
  readonly options?: Readonly<Record<string, boolean | string>>;
  /** Up to this entry answers are told as one: where one ends before it, nothing is said of that. */
  readonly joinedTo?: number;
  /** Of a prelude: what the client says it has. */
  readonly had?: readonly unknown[] | undefined;
  /** Of a prelude: an answer ends where the run stands. */
  readonly isResting?: boolean | undefined;
}

/** A client protocol as one value. */
export interface Protocol<Frame, Framing> {
  readonly name: string;
  readonly framing: Framing;
  /** A run as a viewer of this protocol is told it. */
  readonly telling: (options: ViewOptions) => Telling<Frame>;
  /** The run as it stands, for one without a cursor; the rest is told after the tree's last entry. */
  readonly prelude: ((tree: RunTree, options: ViewOptions) => readonly Frame[]) | undefined;
  /** Where answers end: with the run, or wherever nothing goes on until a person decides. */
  readonly ends: Ends;
  /** Whether an answer is over with an entry: asked of one entry after the other. */
  readonly rests: () => (entry: Entry) => boolean;
  /** What is told of these entries after one of them, as one value; the failure of a run may be thrown. */
  readonly block: ((entries: readonly Entry[], after: number, options: ViewOptions) => unknown) | undefined;
  readonly error: (failure: Failure, status?: number) => unknown;
  /** What a stream of it says of itself, beside its type. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is written into a silence, where a comment does not reach its clients. It is no frame. */
  readonly beat: ((options: ViewOptions) => Frame) | undefined;
  readonly doors: readonly Door<Framing>[];
}

export type Ends = 'run' | 'question';
