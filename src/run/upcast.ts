import { RunEvent } from './events.ts';
import type { Json } from './values.ts';

const kinds = new Set<string>(RunEvent.options.map((option) => option.shape.type.value));

/**
 * An event as this version understands it. What an older version wrote is turned into its successor here; what a newer
 * one wrote is kept whole as `unknown`, so that nothing is lost by reading it. Entries were checked when they were
 * written, so they are not checked again.
 */
export function upcast(stored: unknown): RunEvent {
  if (typeof stored === 'object' && stored !== null && 'type' in stored && typeof stored.type === 'string') {
    if (kinds.has(stored.type) && stored.type !== 'unknown') return stored as RunEvent;
    return { type: 'unknown', kind: stored.type, original: stored as Json };
  }
  return { type: 'unknown', kind: 'nameless', original: (stored ?? null) as Json };
}
