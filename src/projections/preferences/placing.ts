import type { EventOf, StepId } from '../../run/events.ts';
import { stageName } from '../../run/stage-name.ts';
import { calledBy } from '../called.ts';
import type { Preferences } from '../projection.ts';

/** What must be remembered of an open step to show it, or what it says, in the right place. */
export interface Placing {
  /** The step that speaks for it: itself, if it is shown. */
  readonly home: StepId;
  /** How deep the home is shown. */
  readonly depth: number;
  /** The nearest step that is not a stage, and what it is called: where flat stages hang. */
  readonly host: {
    readonly home: StepId;
    readonly depth: number;
    readonly agent: string | undefined;
    readonly name: string;
  };
  /** How its home tells what it says: as words of its own, as a line of its log once it has ended, or not at all. */
  readonly voice: 'aloud' | 'line' | 'silent';
  readonly isStage: boolean;
  readonly kind: string;
  /** A router's turn: what it decides, in a form for us, the step around it puts in words. */
  readonly isDecision: boolean;
  readonly title: string;
  /** What it has said and attached that was not told yet. */
  readonly said: string;
  readonly attached: string;
  readonly isPlanned: boolean;
  /** Of a stage that is shown if its title, which may still be arriving, becomes one of the names. */
  readonly opening: EventOf<'step.opened'> | undefined;
}

export type Placed = EventOf<'step.planned'> | EventOf<'step.opened'>;

export const runPlacing: Placing = {
  home: 0,
  depth: 0,
  host: { home: 0, depth: 0, agent: undefined, name: '' },
  voice: 'aloud',
  isStage: false,
  kind: 'run',
  isDecision: false,
  title: '',
  said: '',
  attached: '',
  isPlanned: false,
  opening: undefined,
};

/** Whether and where a step is shown, given how the step above it is. */
export function placingOf(preferences: Preferences, above: Placing, event: Placed): Placing {
  const isMirrored = isStage(event);
  const { stages, names, depth = Infinity } = preferences;
  const beside = isMirrored && isFlat(preferences) ? above.host : above;
  const fits = beside.depth < depth && !(isMirrored && stages === 'off');
  const naming = isMirrored && names ? namingOf(names, event.title) : 'named';
  const isShown = fits && naming === 'named';
  const here = isShown ? { home: event.step, depth: beside.depth + 1 } : homeOf(above);
  const agent = event.type === 'step.opened' ? event.agent : undefined;
  return {
    ...here,
    host: isMirrored ? above.host : { ...here, agent, name: nameOf(above, event) },
    voice: isShown ? 'aloud' : voiceOf(preferences, above, event),
    isStage: isMirrored,
    kind: event.kind,
    isDecision: isDecision(above, event),
    title: event.title,
    said: '',
    attached: '',
    isPlanned: event.type === 'step.planned',
    opening: fits && naming === 'unfinished' && event.type === 'step.opened' ? event : undefined,
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

/** A title that arrives in pieces may become a name that people asked for. */
function namingOf(names: readonly string[], title: string): 'named' | 'unfinished' | 'other' {
  const own = stageName(title);
  const wanted = names.map(stageName);
  if (wanted.includes(own)) return 'named';
  const isBegun = /[\p{L}\p{N}]/u.test(own);
  return !isBegun || wanted.some((name) => name.startsWith(own)) ? 'unfinished' : 'other';
}

function isDecision({ kind }: Placing, event: Placed): boolean {
  return event.kind === 'turn' && kind === 'route';
}

/** The turn a shown step consists of says what the step has to say, unless it decides. All else must not be mixed with its words. */
function voiceOf({ stages }: Preferences, above: Placing, event: Placed): Placing['voice'] {
  if (isStage(event)) return stages === 'off' ? 'silent' : 'line';
  const isItsOwn = event.kind === 'turn' && above.home === event.parent && !isDecision(above, event);
  return isItsOwn ? 'aloud' : 'line';
}

/** A turn of the agent around it goes by what that one is called. */
function nameOf({ host }: Placing, event: Placed): string {
  if (event.type === 'step.planned') return event.title;
  if (event.agent !== undefined && event.agent === host.agent) return host.name;
  return calledBy(event) ?? event.title;
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
