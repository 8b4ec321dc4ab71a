import type { EventOf } from './events.ts';
import { refuse } from './notices.ts';
import { isFinal, isOpen, setStatus, stepOf, touch, type RunTree, type Step } from './tree.ts';

type ApprovalEvent = EventOf<
  'approval.requested' | 'approval.decided' | 'approval.lapsed' | 'approval.returned'
>;

export function foldApproval(tree: RunTree, event: ApprovalEvent): void {
  switch (event.type) {
    case 'approval.requested':
      return request(tree, event);
    case 'approval.decided':
      return decide(tree, event);
    case 'approval.lapsed':
      return lapseOne(tree, event);
    case 'approval.returned':
      return giveBack(tree, event);
  }
}

/** A question about a step: until it is decided, the step waits. The run itself goes on with its other steps. */
function request(tree: RunTree, event: EventOf<'approval.requested'>): void {
  if (tree.approvals.has(event.approval)) return refuse(tree, event, 'was requested already');
  const step = tree.steps.get(event.step);
  if (!step || !isOpen(step)) return refuse(tree, event, 'asks about a step that is not open');
  const { type: _, ...details } = event;
  tree.approvals.set(event.approval, { ...details, requestedAt: tree.at });
  step.undecided ??= new Set();
  step.undecided.add(event.approval);
  tree.undecided += 1;
  if (tree.stopping) lapse(tree, step);
  else if (step.id !== 0) setStatus(tree, step, 'waiting');
  touch(step);
}

function decide(tree: RunTree, event: EventOf<'approval.decided'>): void {
  const approval = tree.approvals.get(event.approval);
  if (!approval) return refuse(tree, event, 'decides something that was never asked');
  if (approval.decided) return refuse(tree, event, 'was decided before');
  if (approval.lapsedAt !== undefined) return refuse(tree, event, 'decides what nobody waits for any more');
  const step = stepOf(tree, approval.step);
  touch(step);
  if (!isFinal(event.decision)) {
    approval.deferred = { by: event.by, until: event.until };
    return;
  }
  const { type: _, ...details } = event;
  approval.decided = { ...details, at: tree.at, seq: tree.seq };
  step.undecided?.delete(event.approval);
  tree.undecided -= 1;
  if (step.undecided?.size === 0 && step.status === 'waiting') setStatus(tree, step, 'running');
}

/** It was put off until now. */
function giveBack(tree: RunTree, event: EventOf<'approval.returned'>): void {
  const approval = tree.approvals.get(event.approval);
  if (!approval?.deferred || approval.decided || approval.lapsedAt !== undefined)
    return refuse(tree, event, 'is about nothing that was put off');
  delete approval.deferred;
  touch(stepOf(tree, approval.step));
}

/** A question that does not hold any more, decided or not: what it was about has changed. */
function lapseOne(tree: RunTree, event: EventOf<'approval.lapsed'>): void {
  const approval = tree.approvals.get(event.approval);
  if (!approval) return refuse(tree, event, 'is about something that was never asked');
  if (approval.lapsedAt !== undefined) return refuse(tree, event, 'had lapsed already');
  const step = stepOf(tree, approval.step);
  approval.lapsedAt = tree.at;
  approval.lapsedBecause = event.reason;
  touch(step);
  if (!step.undecided?.delete(event.approval)) return;
  tree.undecided -= 1;
  if (step.undecided.size === 0 && step.status === 'waiting') setStatus(tree, step, 'running');
}

/** Nobody waits for the answers any more: the step has ended, or is tried again and will ask anew. */
export function lapse(tree: RunTree, step: Step): void {
  if (!step.undecided) return;
  touch(step);
  for (const id of step.undecided) {
    const approval = tree.approvals.get(id);
    if (approval) approval.lapsedAt = tree.at;
    tree.undecided -= 1;
  }
  delete step.undecided;
}
