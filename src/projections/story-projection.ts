import type { Entry } from '../run/events.ts';
import type { Projection } from './projection.ts';
import { newStory, tellStory, type Listener, type OpenStep, type Story, type StoryEvent } from './story.ts';

/** A client protocol as it listens to the story of a run: it need not know what implies what. */
export interface StoryProjection<Memory, Own, Frame> extends Omit<Listener<Own>, 'hear'> {
  /** What it must remember of a run beside its open steps. */
  readonly memory: () => Memory;
  /** What it tells of each kind of event; of the others, nothing. */
  readonly tell: {
    readonly [Type in StoryEvent['type']]?: Tell<Memory, Own, Frame, Extract<StoryEvent, { type: Type }>>;
  };
  /** What it tells where an answer ends although the run has not. */
  readonly rest?: (scene: Scene<Memory, Own, Frame>, entry: Entry) => void;
  /** What it tells where the next answer begins. */
  readonly goOn?: (scene: Scene<Memory, Own, Frame>, entry: Entry) => void;
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
  readonly seq: number;
}

export function overStory<Memory, Own, Frame>(
  projection: StoryProjection<Memory, Own, Frame>,
): Projection<Place<Memory, Own>, Frame> {
  const { rest, goOn } = projection;
  const toldBy =
    (tell: (scene: Scene<Memory, Own, Frame>, entry: Entry) => void) =>
    ({ story, memory }: Place<Memory, Own>, entry: Entry): readonly Frame[] => {
      const scene = { story, memory, frames: [], at: entry.at, seq: entry.seq };
      tell(scene, entry);
      return scene.frames;
    };
  return {
    rest: rest && toldBy(rest),
    goOn: goOn && toldBy(goOn),
    begin: () => ({ story: newStory(projection), memory: projection.memory() }),
    weight: ({ story }) => story.steps.size,
    project: toldBy((scene, entry) => {
      const hear = (event: StoryEvent, step: OpenStep<Own>): void => {
        const tell: Tell<Memory, Own, Frame, never> | undefined = projection.tell[event.type];
        tell?.(scene, event as never, step);
      };
      tellStory(scene.story, entry, { ...projection, hear });
    }),
  };
}
