import type { View } from './view.ts';

/** For commands that wait for a run without showing it. */
export function silentView(signal: AbortSignal): View {
  return { signal, show: () => {}, isWatched: false, expects: () => false, close: () => {} };
}
