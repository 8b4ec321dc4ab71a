import type { Entry } from '../run/events.ts';
import { newStory, tellStory, type Listener, type OpenStep, type Story, type StoryEvent } from './story.ts';

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

/** A client protocol as it listens to the story of a run: it need not know what implies what. */
export interface StoryProjection<Memory, Own, Frame> extends Omit<Listener<Own>, 'hear'> {
  /** What it must remember of a run beside its open steps. */
  readonly memory: () => Memory;
  /** What it tells of each kind of event; of the others, nothing. */
  readonly tell: {
    readonly [Type in StoryEvent['type']]?: Tell<Memory, Own, Frame, Extract<StoryEvent, { type: Type }>>;
  };
}

/** Pushes what is told onto the frames of the scene. The step is the open one it is about, or the run. */
export type Tell<Memory, Own, Frame, Event> = (
  scene: Scene<Memory, Own, Frame>,
  event: Event,
  step: OpenStep<Own>,
) => void;

/** Where a projection has come to. */
export interface Place<Memory, Own> {
  readonly story: Story<Own>;
  readonly memory: Memory;
}

/** The same, and what it tells of the entry at hand. */
export interface Scene<Memory, Own, Frame> extends Place<Memory, Own> {
  readonly frames: Frame[];
  readonly at: number;
}

export function overStory<Memory, Own, Frame>(
  projection: StoryProjection<Memory, Own, Frame>,
): Projection<Place<Memory, Own>, Frame> {
  return {
    begin: () => ({ story: newStory(projection), memory: projection.memory() }),
    weight: ({ story }) => story.steps.size,
    project({ story, memory }, entry) {
      const scene: Scene<Memory, Own, Frame> = { story, memory, frames: [], at: entry.at };
      const hear = (event: StoryEvent, step: OpenStep<Own>): void => {
        const tell: Tell<Memory, Own, Frame, never> | undefined = projection.tell[event.type];
        tell?.(scene, event as never, step);
      };
      tellStory(story, entry, { ...projection, hear });
      return scene.frames;
    },
  };
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
