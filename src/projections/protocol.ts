import type { Entry } from '../run/events.ts';
import type { Failure } from '../run/failure.ts';
import type { RunTree } from '../run/tree.ts';
import { sse, type Framing, type WireFrame } from '../wire/framing.ts';
import { telling } from './frames.ts';
import { shower } from './preferences/preferences.ts';
import { projectAll, type Door, type Projection, type Protocol, type ViewOptions } from './projection.ts';

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

export type Ends = 'run' | 'question';

export function protocol<State, Frame, Wire extends WireFrame>(
  spec: Spec<State, Frame, Wire>,
): Protocol<Wire, Framing> {
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
