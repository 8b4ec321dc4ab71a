import type { View } from './view.ts';

/** For commands that wait for a run without showing it. */
export function silentView(signal: AbortSignal): View {
  return { signal, show: () => {}, expects: () => false, close: () => {} };
}
