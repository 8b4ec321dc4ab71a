import type { Entry } from '../run/events.ts';
import type { Failure } from '../run/failure.ts';
import type { RunTree } from '../run/tree.ts';
import { sse, type Framing, type WireFrame } from '../wire/framing.ts';
import { telling } from './frames.ts';
import { shower } from './preferences/preferences.ts';
import { projectAll, type Preferences, type Projection, type Telling } from './projection.ts';

export interface ViewOptions {
  readonly run: string;
  readonly preferences?: Preferences;
  /** Of a console: the number of the last card of the conversation's earlier runs. */
  readonly cardsBefore?: number;
}

/** What a protocol says of itself. */
interface Spec<State, Frame, Wire extends WireFrame> {
  readonly name: string;
  readonly projection: (options: ViewOptions) => Projection<State, Frame>;
  /** A frame as it is written, without its cursor. */
  readonly write: (frame: Frame) => Omit<Wire, 'id'>;
  /** How its frames look where nobody asks for another form; server-sent events unless said. */
  readonly framing?: Framing;
  /** Where an answer ends: with the run, or at each question to a person, to go on in the next request. */
  readonly ends?: Ends;
  /** What brings a client without a cursor up to date; without it, it is told everything. */
  readonly prelude?: (tree: RunTree, options: ViewOptions) => readonly Frame[];
  /** All frames of an answer as one value, for those who do not want a stream. */
  readonly block?: (frames: readonly Frame[]) => unknown;
  /** A refusal as its clients read it; `{error}` unless said. */
  readonly error?: (failure: Failure) => unknown;
  readonly doors?: readonly Door[];
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

export type Ends = 'run' | 'question';

/** A client protocol as one value. */
export interface Protocol<Wire extends WireFrame = WireFrame> {
  readonly name: string;
  readonly framing: Framing;
  /** A run as a viewer of this protocol is told it. */
  readonly telling: (options: ViewOptions) => Telling<Wire>;
  /** The run as it stands, for one without a cursor; the rest is told after the tree's last entry. */
  readonly prelude: ((tree: RunTree, options: ViewOptions) => readonly Wire[]) | undefined;
  /** Whether an answer ends with this entry. */
  readonly isOver: (entry: Entry) => boolean;
  /** What these entries are as one answer. */
  readonly block: ((entries: readonly Entry[], options: ViewOptions) => unknown) | undefined;
  readonly error: (failure: Failure) => unknown;
  readonly doors: readonly Door[];
}

export function protocol<State, Frame, Wire extends WireFrame>(
  spec: Spec<State, Frame, Wire>,
): Protocol<Wire> {
  const { name, projection, write, framing = sse, ends = 'run', prelude, block } = spec;
  return {
    name,
    framing,
    telling: (options) =>
      telling<State, Frame, Wire>({ projection: projection(options), write }, options.preferences),
    prelude: prelude && ((tree, options) => prelude(tree, options).map((frame) => write(frame) as Wire)),
    isOver: ({ event: { type } }) =>
      type === 'run.ended' || (ends === 'question' && type === 'approval.requested'),
    block:
      block && ((entries, options) => block(projectAll(projection(options), shownIn(entries, options))[1])),
    error: spec.error ?? ((failure) => ({ error: failure })),
    doors: spec.doors ?? [],
  };
}

function shownIn(entries: readonly Entry[], { preferences = {} }: ViewOptions): readonly Entry[] {
  const show = shower(preferences);
  return entries.flatMap((entry) => show(entry) ?? []);
}
