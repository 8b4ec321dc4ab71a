import type { Entry, RunEvent } from '../run/events.ts';

/** What of a run is not kept where another goes on from it. */
export interface NotKept {
  /** Steps that are gone through again: how they ended is left out. */
  readonly reopened: ReadonlySet<number>;
  /** Steps of which nothing is kept. */
  readonly dropped: ReadonlySet<number>;
}

/**
 * What one run recorded, as the beginning of another: as if that one had been cut off where this one goes on. What was used is
 * not used again, so it is not counted again either; questions are called after the run they are in.
 */
export function keptEvents(
  entries: Iterable<Entry>,
  { reopened, dropped }: NotKept,
  run: string,
): readonly RunEvent[] {
  const names = new Map<string, string>();
  const kept: RunEvent[] = [];
  for (const { event } of entries) {
    if (isOfTheRun(event) || ('step' in event && dropped.has(event.step))) continue;
    if (event.type === 'step.closed' && reopened.has(event.step)) continue;
    if (event.type === 'approval.requested') names.set(event.approval, `${run}.a${names.size + 1}`);
    if (!('approval' in event)) kept.push(uncounted(event));
    else {
      const approval = names.get(event.approval);
      if (approval !== undefined) kept.push({ ...event, approval });
    }
  }
  return kept;
}

/** Who worked on it, what was asked of it and how it ended: that was the other run's. */
function isOfTheRun(event: RunEvent): boolean {
  switch (event.type) {
    case 'run.started':
    case 'run.paused':
    case 'run.resumed':
    case 'run.ended':
    case 'worker.took':
    case 'stop.requested':
    case 'unknown':
      return true;
    case 'notice.posted':
      return event.step === 0;
    case 'phase.entered':
    case 'step.planned':
    case 'step.opened':
    case 'step.started':
    case 'step.closed':
    case 'step.retried':
    case 'title.appended':
    case 'text.appended':
    case 'prompt.recorded':
    case 'item.attached':
    case 'approval.requested':
    case 'approval.lapsed':
    case 'approval.returned':
    case 'approval.decided':
    case 'state.saved':
    case 'message.queued':
    case 'message.taken':
      return false;
  }
}

function uncounted(event: RunEvent): RunEvent {
  if (event.type === 'step.closed' && event.usage) {
    const { usage: _, ...rest } = event;
    return rest;
  }
  if (event.type !== 'step.retried') return event;
  const { cost: _, ...rest } = event;
  return { ...rest, tokens: 0 };
}
