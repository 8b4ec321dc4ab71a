import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 900px)');

function subscribe(changed: () => void): () => void {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
}

/** Whether there is room for one column only. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}
