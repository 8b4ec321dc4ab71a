import type { Entry, StepId } from '../run/events.ts';
import type { RunTree, Step } from '../run/tree.ts';

/**
 * What an earlier worker recorded, as the flow meets it again. It is taken once, when a run is loaded; what this worker
 * adds is in the tree only.
 */
export interface Recorded {
  child(parent: StepId, key: string): Step | undefined;
  /** A step this worker has only planned: opening it must find it, as a recovery would. */
  plan(step: Step): void;
  visit(step: StepId): void;
  /** Recorded steps of a scope that the flow has not come to (again). */
  unvisited(parent: StepId): readonly Step[];
  /** What made a step the work it was when it was opened; a person may have edited it since. */
  identity(step: StepId): string;
  /** How many things the flow said, attached, noticed or saved in this scope. */
  said(step: StepId): number;
  /** The message a scope took the n-th time it looked. */
  taken(step: StepId, poll: number): string | undefined;
}

/** Notices the engine posts in scopes of the flow; they are not the flow's own words. */
export const engineNotices: ReadonlySet<string> = new Set([
  'FLOW_DIVERGED',
  'LATE_DECISION',
  'DECISION_REFUSED',
  'UNKNOWN_APPROVAL',
  'ALREADY_PAUSED',
  'NOT_PAUSED',
  'ALREADY_STOPPING',
]);

export function recordedIn(tree: RunTree, entries: Iterable<Entry>): Recorded {
  const children = new Map<StepId, Map<string, Step>>();
  const visited = new Set<StepId>();
  const said = new Map<StepId, number>();
  const taken = new Map<string, string>();
  const identities = new Map<StepId, string>();
  const place = (step: Step): void => {
    let siblings = children.get(step.parent);
    if (!siblings) children.set(step.parent, (siblings = new Map()));
    siblings.set(step.key, step);
  };
  for (const step of tree.steps.values()) if (step.id !== 0 && !isMirrored(step)) place(step);
  for (const { event } of entries) {
    if (event.type === 'step.opened') identities.set(event.step, event.call?.signature ?? event.agent ?? '');
    else if (event.type === 'message.taken') taken.set(`${event.step}#${event.poll ?? 0}`, event.message);
    else if (isSaid(event)) said.set(event.step, (said.get(event.step) ?? 0) + 1);
  }
  return {
    child: (parent, key) => children.get(parent)?.get(key),
    plan: place,
    visit: (step) => void visited.add(step),
    unvisited: (parent) =>
      [...(children.get(parent)?.values() ?? [])].filter(
        (step) => step.status !== 'pending' && !visited.has(step.id),
      ),
    identity: (step) => identities.get(step) ?? '',
    said: (step) => said.get(step) ?? 0,
    taken: (step, poll) => taken.get(`${step}#${poll}`),
  };
}

/** Steps a back end opened inside a turn are never looked up: a retried turn opens its own. */
function isMirrored(step: Step): boolean {
  return step.origin !== undefined;
}

type Said = Extract<
  Entry['event'],
  { type: 'text.appended' | 'item.attached' | 'phase.entered' | 'state.saved' | 'notice.posted' }
>;

const saying: ReadonlySet<string> = new Set([
  'text.appended',
  'item.attached',
  'phase.entered',
  'state.saved',
  'notice.posted',
] satisfies Said['type'][]);

function isSaid(event: Entry['event']): event is Said {
  if (event.type === 'notice.posted') return !engineNotices.has(event.code);
  return saying.has(event.type);
}
