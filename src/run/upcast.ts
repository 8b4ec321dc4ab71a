import type { RunEvent } from './events.ts';
import type { Json } from './values.ts';

/** Every kind there is: written out, so that whoever reads a journal need not load the schemas it was checked with. */
const known: Readonly<Record<Exclude<RunEvent['type'], 'unknown'>, true>> = {
  'run.started': true,
  'run.paused': true,
  'run.resumed': true,
  'run.ended': true,
  'worker.took': true,
  'stop.requested': true,
  'phase.entered': true,
  'step.planned': true,
  'step.opened': true,
  'step.started': true,
  'title.appended': true,
  'text.appended': true,
  'prompt.recorded': true,
  'item.attached': true,
  'step.closed': true,
  'step.retried': true,
  'notice.posted': true,
  'approval.requested': true,
  'approval.lapsed': true,
  'approval.returned': true,
  'approval.decided': true,
  'state.saved': true,
  'message.queued': true,
  'message.taken': true,
};
const kinds: ReadonlySet<string> = new Set(Object.keys(known));

/**
 * An event as this version understands it. What an older version wrote is turned into its successor here; what a newer
 * one wrote is kept whole as `unknown`, so that nothing is lost by reading it. Entries were checked when they were
 * written, so they are not checked again.
 */
export function upcast(stored: unknown): RunEvent {
  if (typeof stored === 'object' && stored !== null && 'type' in stored && typeof stored.type === 'string') {
    if (kinds.has(stored.type)) return stored as RunEvent;
    return { type: 'unknown', kind: stored.type, original: stored as Json };
  }
  return { type: 'unknown', kind: 'nameless', original: (stored ?? null) as Json };
}
