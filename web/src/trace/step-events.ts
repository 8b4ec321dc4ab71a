import type { Entry } from '../../../src/client/client.ts';

/** Entries of one kind that came one after the other. */
export interface EventGroup {
  readonly first: Entry;
  last: Entry;
  many: number;
}

/** What happened to a step, pieces of text together; of the run itself, all that belongs to no step. */
export function eventsOf(entries: readonly Entry[], step: number, until: number): EventGroup[] {
  const asked = new Set<string>();
  const groups: EventGroup[] = [];
  for (const entry of entries) {
    if (entry.seq > until) break;
    const { event } = entry;
    if (event.type === 'approval.requested' && event.step === step) asked.add(event.approval);
    const own = 'step' in event ? event.step : 'approval' in event ? undefined : 0;
    if (own !== step && !('approval' in event && asked.has(event.approval))) continue;
    const last = groups.at(-1);
    if (last && event.type === 'text.appended' && last.first.event.type === 'text.appended') {
      last.last = entry;
      last.many += 1;
    } else groups.push({ first: entry, last: entry, many: 1 });
  }
  return groups;
}
