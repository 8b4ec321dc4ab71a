import { useSyncExternalStore } from 'react';
import type { Source } from '../client/client.ts';

/** What it is now; whoever uses it is drawn again when it is something else, and only then. */
export function useSource<T>({ subscribe, getSnapshot }: Source<T>): T {
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}
