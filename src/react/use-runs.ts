import { liveRuns, type RunsNow } from './live-runs.ts';
import { useSource } from './use-source.ts';
import { useVitrine } from './vitrine.tsx';

export type { RunsNow } from './live-runs.ts';

/** The newest runs and every one that changes while this is shown. */
export function useRuns(): RunsNow {
  return useSource(liveRuns(useVitrine()));
}
