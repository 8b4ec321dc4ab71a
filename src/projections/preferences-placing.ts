import type { EventOf, StepId } from '../run/events.ts';
import type { Preferences } from './projection.ts';

/** What must be remembered of an open step to show it, or what it says, in the right place. */
export interface Placing {
  /** The step that speaks for it: itself, if it is shown. */
  readonly home: StepId;
  /** How deep the home is shown. */
  readonly depth: number;
  /** The nearest step that is not a stage, and what it is called: where flat stages hang. */
  readonly host: { readonly home: StepId; readonly depth: number; readonly name: string };
  readonly title: string;
  readonly isPlanned: boolean;
  /** Of a stage that would be shown if it were called otherwise: its title may still be arriving. */
  readonly opening: EventOf<'step.opened'> | undefined;
}

export type Placed = EventOf<'step.planned'> | EventOf<'step.opened'>;

export const runPlacing: Placing = {
  home: 0,
  depth: 0,
  host: { home: 0, depth: 0, name: '' },
  title: '',
  isPlanned: false,
  opening: undefined,
};

/** Whether and where a step is shown, given how the step above it is. */
export function placingOf(preferences: Preferences, above: Placing, event: Placed): Placing {
  const isMirrored = isStage(event);
  const { stages, names, depth = Infinity } = preferences;
  const beside = isMirrored && isFlat(preferences) ? above.host : above;
  const fits = beside.depth < depth && !(isMirrored && stages === 'off');
  const isNamed = !isMirrored || !names || names.includes(event.title.trim());
  const here = fits && isNamed ? { home: event.step, depth: beside.depth + 1 } : homeOf(above);
  const name = ('agent' in event ? event.agent : undefined) ?? event.title;
  return {
    ...here,
    host: isMirrored ? above.host : { ...here, name },
    title: event.title,
    isPlanned: event.type === 'step.planned',
    opening: fits && !isNamed && event.type === 'step.opened' ? event : undefined,
  };
}

/** The event that shows a step, in its place and under its name. */
export function shownAs<Event extends Placed>(preferences: Preferences, above: Placing, event: Event): Event {
  const isMirrored = isStage(event);
  const parent = isMirrored && isFlat(preferences) ? above.host.home : above.home;
  const isPrefixed = isMirrored && preferences.stages === 'prefix' && above.host.name !== '';
  const title = isPrefixed ? `[${above.host.name}] ${event.title}` : event.title;
  return parent === event.parent && title === event.title ? event : { ...event, parent, title };
}

function homeOf({ home, depth }: Placing): Pick<Placing, 'home' | 'depth'> {
  return { home, depth };
}

/** A stage is a step of another agent, mirrored here: it has a name of its own where it comes from. */
function isStage(event: Placed): boolean {
  return event.type === 'step.opened' && event.origin !== undefined;
}

function isFlat({ stages }: Preferences): boolean {
  return stages === 'flat' || stages === 'prefix';
}
