import { useEffect, useMemo } from 'react';
import type { FlatStep, RunStore, Showing } from '../client/client.ts';
import { useSource } from './use-source.ts';
import { useVitrine } from './vitrine.tsx';
import { hold, watchedRun } from './watched-runs.ts';

const asPreferred: Showing = {};

/**
 * Watches a run as long as it is shown. What is returned never changes: look at its parts with `useStep`, `useBelow` and
 * `useSource`, and only what has changed is drawn again.
 */
export function useRun(run: string, showing: Showing = asPreferred): RunStore {
  const client = useVitrine();
  const { stages, names, depth } = showing;
  const asked = useMemo(() => ({ stages, names, depth }), [stages, names, depth]) as Showing;
  useEffect(() => hold(client, run, asked), [client, run, asked]);
  return watchedRun(client, run, asked).store;
}

/** One step; undefined while it is not there. */
export function useStep(run: RunStore, id: number): FlatStep | undefined {
  return useSource(run.step(id));
}

/** The steps right below a step; those of the run itself are below 0. */
export function useBelow(run: RunStore, id: number): readonly number[] {
  return useSource(run.below(id));
}
