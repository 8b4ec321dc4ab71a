import type { Hint, Store } from './store.ts';

export interface Hints extends Pick<Store, 'listen'> {
  readonly give: (hints: readonly Hint[]) => void;
}

/** Hints are heard a moment later, so that a listener that fails cannot make a durable commit look like a failed one. */
export function hintsToListeners(): Hints {
  const listeners = new Set<(hint: Hint) => void>();
  return {
    listen(hear) {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
    give(hints) {
      for (const hint of hints) for (const hear of listeners) queueMicrotask(() => hear(hint));
    },
  };
}
