import type { Entry } from '../run/events.ts';
import type { Failure } from '../run/failure.ts';
import type { RunTree } from '../run/tree.ts';
import { sse, type Framing, type WireFrame } from '../wire/framing.ts';
import type { Door } from './door.ts';
import { telling, unwritten } from './frames.ts';
import type { Ends, Projection, Protocol, ViewOptions } from './projection.ts';
import { comesToRest, newWaiting } from './waiting.ts';

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
  /** All frames of an answer as one value, for those who do not want a stream; a failure of the run may be thrown. */
  readonly block?: (frames: readonly Frame[], options: ViewOptions) => unknown;
  /** A refusal as its clients read it; `{error}` unless said. */
  readonly error?: (failure: Failure, status?: number) => unknown;
  readonly doors?: readonly Door<Framing>[];
  readonly stream?: StreamSpec<Wire>;
}

interface StreamSpec<Wire> {
  readonly headers?: Readonly<Record<string, string>>;
  /** What is written into a silence, where a comment does not reach its clients. */
  readonly beat?: (options: ViewOptions) => Omit<Wire, 'id'>;
}

export function protocol<State, Frame, Wire extends WireFrame>(
  spec: Spec<State, Frame, Wire>,
): Protocol<Wire, Framing> {
  const { name, projection, write, framing = sse, ends = 'run', prelude, block, stream = {} } = spec;
  const { beat } = stream;
  return {
    name,
    framing,
    ends,
    rests: () => restsOf(ends),
    telling: (options) =>
      telling<State, Frame, Wire>({ projection: projection(options), write, ends }, options),
    prelude: prelude && ((tree, options) => prelude(tree, options).map((frame) => write(frame) as Wire)),
    block:
      block &&
      ((entries, after, options) => {
        const told = unwritten({ projection: projection(options), ends }, options);
        const frames = entries.flatMap((entry) => {
          const of = told.tell(entry);
          return entry.seq > after ? of : [];
        });
        return block(frames, options);
      }),
    error: spec.error ?? ((failure) => ({ error: failure })),
    headers: stream.headers ?? {},
    beat: beat && ((options) => beat(options) as Wire),
    doors: spec.doors ?? [],
  };
}

function restsOf(ends: Ends): (entry: Entry) => boolean {
  if (ends === 'run') return ({ event }) => event.type === 'run.ended';
  const waiting = newWaiting();
  return (entry) => comesToRest(waiting, entry);
}
