import type { EventOf } from '../../run/events.ts';
import { entitle, show, statusOf, type Flat, type Step } from './flat-scene.ts';
import { deferredBy } from './words.ts';

/** A question in a step: it is sent, and the step waits. */
export function ask(scene: Flat, requested: EventOf<'approval.requested'>, step: Step): void {
  const { memory, frames } = scene;
  if (requested.step !== step.id || memory.isStopping || memory.approvals.has(requested.approval)) return;
  memory.approvals.set(requested.approval, requested);
  frames.push('questions');
  step.own.undecided += 1;
  count(scene, step, { more: 1 });
  entitle(scene);
}

/** It was decided, or nobody waits for it any more. */
export function settle(scene: Flat, approval: string, isDecided: boolean): void {
  const { memory, frames, story } = scene;
  const asked = memory.approvals.get(approval);
  if (!asked) return;
  memory.approvals.delete(approval);
  frames.push('questions');
  const step = story.steps.get(asked.step);
  if (step) {
    step.own.undecided -= 1;
    count(scene, step, { more: -1, isDecided });
  }
  entitle(scene);
}

/** Somebody has put it off, or it has come back: it is still to be decided. */
export function putOff(
  { memory, frames }: Flat,
  event: EventOf<'approval.decided' | 'approval.returned'>,
): void {
  const asked = memory.approvals.get(event.approval);
  if (!asked) return;
  memory.approvals.set(event.approval, deferredBy(asked, event));
  frames.push('questions');
}

interface Counted {
  readonly more: number;
  readonly isDecided?: boolean;
}

/** A stage waits while something is asked below it: the rows above say so too. */
function count(scene: Flat, step: Step, { more, isDecided = false }: Counted): void {
  const { story } = scene;
  for (let each = step; each.id !== 0; each = story.steps.get(each.parent) ?? story.run) {
    const { own } = each;
    const before = statusOf(each);
    if (each !== step && own.place.isStaged) own.undecidedBelow += more;
    own.isResumed ||= isDecided;
    if (each === step || statusOf(each) !== before) show(scene, each);
  }
}

/** Nobody waits for answers about a step any more: it has ended, or is tried again. */
export function forget(scene: Flat, step: Step): void {
  const { id, own } = step;
  if (own.undecided === 0) return;
  const { approvals } = scene.memory;
  const more = -own.undecided;
  own.undecided = 0;
  for (const [approval, { step: asked }] of approvals) if (asked === id) approvals.delete(approval);
  count(scene, step, { more });
  scene.frames.push('questions');
  entitle(scene);
}
