import { inScopes } from '../scope/notice-codes.ts';
import type { Entry, EventOf, StepId } from '../../run/events.ts';
import { isOpen, stepOf, type RunTree, type Step } from '../../run/tree.ts';
import type { BlobRef, Json } from '../../run/values.ts';

/**
 * What an earlier worker recorded, as the flow meets it again. It is taken once, when a run is loaded; what this worker
 * adds is in the tree only.
 */
export interface Recorded {
  child(parent: StepId, key: string): Step | undefined;
  /** A step this worker has only planned: opening it must find it, as a recovery would. */
  plan(step: Step): void;
  visit(step: Step): void;
  /** The first recorded step of a scope that the flow has not come to (again), but for those that have no order. */
  ahead(parent: StepId, among?: ReadonlySet<string>): Step | undefined;
  /** Whether the flow is still going over what was recorded, anywhere. */
  isReplaying(): boolean;
  /** A step as it was opened; a person may have edited it since. */
  opening(step: StepId): EventOf<'step.opened'> | undefined;
  /** What a person had made of the work when it was last begun, if anyone had. */
  ran(step: StepId): BlobRef | Json | undefined;
  /** How many things the flow said, attached, noticed or saved in this scope. */
  said(step: StepId): number;
  /** The message a scope took the n-th time it looked. */
  taken(step: StepId, poll: number): string | undefined;
  /** The last time a scope looked and took a message. */
  lastPoll(step: StepId): number;
}

export function recordedIn(tree: RunTree, entries: Iterable<Entry>): Recorded {
  const children = new Map<StepId, Map<string, Step>>();
  const ahead = new Map<StepId, Set<Step>>();
  const said = new Map<StepId, number>();
  const taken = new Map<string, string>();
  const lastPolls = new Map<StepId, number>();
  const openings = new Map<StepId, EventOf<'step.opened'>>();
  const place = (step: Step): void => {
    let siblings = children.get(step.parent);
    if (!siblings) children.set(step.parent, (siblings = new Map()));
    siblings.set(step.key, step);
  };
  for (const step of inOrder(tree)) {
    if (step.id === 0 || isMirrored(step)) continue;
    place(step);
    if (step.status === 'pending') continue;
    let unvisited = ahead.get(step.parent);
    if (!unvisited) ahead.set(step.parent, (unvisited = new Set()));
    unvisited.add(step);
  }
  const edits = editsIn(entries);
  for (const { event } of entries) {
    if (event.type === 'step.opened') openings.set(event.step, event);
    else if (event.type === 'message.taken') {
      taken.set(`${event.step}#${event.poll ?? 0}`, event.message);
      lastPolls.set(event.step, event.poll ?? 0);
    } else if (isSaid(event)) said.set(event.step, (said.get(event.step) ?? 0) + 1);
  }
  return {
    child: (parent, key) => children.get(parent)?.get(key),
    plan: place,
    visit: (step) => visit(tree, ahead, step),
    isReplaying: () => ahead.size > 0,
    ahead: (parent, among) =>
      ahead
        .get(parent)
        ?.values()
        .find(({ key }) => !among?.has(key)),
    opening: (step) => openings.get(step),
    ran: (step) => edits.get(step),
    said: (step) => said.get(step) ?? 0,
    taken: (step, poll) => taken.get(`${step}#${poll}`),
    lastPoll: (step) => lastPolls.get(step) ?? 0,
  };
}

/** The entry at which a flow came to a step: ids are given when it is planned, which may be long before. */
export function reachedAt({ openedSeq, closedSeq }: Step): number {
  return openedSeq ?? closedSeq ?? 0;
}

/** Planned, and then left out. */
export function isSkipped({ status, openedSeq }: Step): boolean {
  return status === 'skipped' && openedSeq === undefined;
}

function inOrder({ steps }: RunTree): readonly Step[] {
  return [...steps.values()].sort((a, b) => reachedAt(a) - reachedAt(b));
}

function visit(tree: RunTree, ahead: Map<StepId, Set<Step>>, step: Step): void {
  const unvisited = ahead.get(step.parent);
  if (unvisited?.delete(step) && unvisited.size === 0) ahead.delete(step.parent);
  if (isOpen(step)) return;
  // What is closed is recalled as a whole: the flow does not come to what is below.
  const closed = [step];
  for (const { id, children: below } of closed) {
    ahead.delete(id);
    for (const child of below) closed.push(stepOf(tree, child));
  }
}

/** What people had made of steps, as it stood when each was last begun. */
function editsIn(entries: Iterable<Entry>): ReadonlyMap<StepId, BlobRef | Json> {
  const about = new Map<string, StepId>();
  const edited = new Map<StepId, BlobRef | Json>();
  const begun = new Map<StepId, BlobRef | Json>();
  for (const { event } of entries) {
    if (event.type === 'approval.requested') about.set(event.approval, event.step);
    else if (event.type === 'approval.decided' && event.decision === 'edit') {
      const step = about.get(event.approval);
      if (step !== undefined && event.arguments !== undefined) edited.set(step, event.arguments);
    } else if (event.type === 'approval.lapsed') {
      const step = about.get(event.approval);
      if (step !== undefined) edited.delete(step);
    } else if (event.type === 'step.started' || event.type === 'step.retried') {
      const bytes = edited.get(event.step);
      if (bytes !== undefined) begun.set(event.step, bytes);
    }
  }
  return begun;
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
  if (event.type === 'notice.posted') return !inScopes.has(event.code);
  return saying.has(event.type);
}
