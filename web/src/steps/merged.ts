import { useCallback, useSyncExternalStore } from 'react';
import type { FlatStep, RunStore } from '../../../src/client/client.ts';
import { useBelow, useStep } from '../../../src/react/react.ts';

/** A step as it is drawn: with the one turn in it that says the same once more, where there is one. */
export interface MergedStep {
  readonly step: FlatStep;
  /** What it says and brings: its own, or that of the turn within. */
  readonly said: FlatStep;
  /** The step whose children stand below it. */
  readonly below: number;
  readonly hasBelow: boolean;
}

/** An agent's step has one turn, which would be a second row with the same name. */
export function useMerged(run: RunStore, id: number): MergedStep | undefined {
  const step = useStep(run, id);
  const below = useBelow(run, id);
  const only = below.length === 1 ? (below[0] ?? id) : id;
  const inner = useInner(run, step, only);
  const innerBelow = useBelow(run, only);
  if (!step) return undefined;
  if (!inner) return { step, said: step, below: id, hasBelow: below.length > 0 };
  return { step, said: inner, below: only, hasBelow: innerBelow.length > 0 };
}

/** The turn within, where it is drawn with its step. Of one that has a row of its own nothing is heard here. */
function useInner(run: RunStore, step: FlatStep | undefined, only: number): FlatStep | undefined {
  const look = useCallback(() => {
    const inner = run.step(only).getSnapshot();
    return step && inner && inner.id !== step.id && isSame(step, inner) ? inner : undefined;
  }, [run, step, only]);
  return useSyncExternalStore(run.step(only).subscribe, look);
}

export function isSame(step: FlatStep, inner: FlatStep): boolean {
  if (inner.title === step.title) return true;
  return inner.kind === 'turn' && (step.kind === 'route' || step.kind === 'answer' || step.kind === 'agent');
}
