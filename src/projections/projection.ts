import type { Entry } from '../run/events.ts';
import type { Failure } from '../run/failure.ts';
import type { Preferences } from '../run/preferences.ts';
import type { RunTree } from '../run/tree.ts';

/**
 * A state machine from entries to frames. The same entries always give the same frames. Its state is plain data, changed in
 * place: whoever wants to go on from a cursor keeps a copy of it.
 */
export interface Projection<State, Frame> {
  readonly begin: () => State;
  readonly project: (state: State, entry: Entry) => readonly Frame[];
  /** How much there is to copy: about one for each open step. */
  readonly weight?: (state: State) => number;
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
}

export interface ViewOptions {
  readonly run: string;
  readonly preferences?: Preferences;
  /** Of a console: the number of the last card of the conversation's earlier runs. */
  readonly cardsBefore?: number;
}

/** A client protocol as one value. */
export interface Protocol<Frame, Framing> {
  readonly name: string;
  readonly framing: Framing;
  /** A run as a viewer of this protocol is told it. */
  readonly telling: (options: ViewOptions) => Telling<Frame>;
  /** The run as it stands, for one without a cursor; the rest is told after the tree's last entry. */
  readonly prelude: ((tree: RunTree, options: ViewOptions) => readonly Frame[]) | undefined;
  /** Whether an answer ends with this entry. */
  readonly isOver: (entry: Entry) => boolean;
  /** What these entries are as one answer. */
  readonly block: ((entries: readonly Entry[], options: ViewOptions) => unknown) | undefined;
  readonly error: (failure: Failure) => unknown;
  readonly doors: readonly Door[];
}

/** A way in for clients that begin runs in this protocol. */
export interface Door {
  /** Asked with POST, as `/dial/:app/completions`. */
  readonly path: string;
  readonly about: string;
  /** The header its clients carry their key in, where it is not `authorization`. */
  readonly keyHeader?: string;
  /** What a request asks for; one that cannot be read is refused by a failure. */
  readonly read: (request: DoorRequest) => DoorStart;
}

/** A request as it comes: nothing of it has been believed yet. */
export interface DoorRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface DoorStart {
  readonly app: string;
  readonly text: string;
  /** Whose history counts: that of this conversation, or, where none is named, only what the request brings. */
  readonly conversation?: string;
  /** The answer is wanted whole. */
  readonly isBlock: boolean;
}
