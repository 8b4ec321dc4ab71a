import { useCallback, useMemo, useSyncExternalStore } from 'react';
import type { FlatStep, RunStore } from '../../../src/client/client.ts';

/** Steps of one parent in order: those that worked at the same time stand together. */
export type Groups = readonly (readonly number[])[];

/** The steps below one parent as they stand together. Whoever uses it is drawn when that changes, not when a step does. */
export function useGroups(run: RunStore, ids: readonly number[]): Groups {
  const subscribe = useCallback(
    (changed: () => void) => {
      const leaving = ids.map((id) => run.step(id).subscribe(changed));
      return () => leaving.forEach((leave) => leave());
    },
    [run, ids],
  );
  const look = useCallback(
    () =>
      groupsOf(ids.map((id) => run.step(id).getSnapshot()))
        .map((group) => group.join())
        .join(';'),
    [run, ids],
  );
  const told = useSyncExternalStore(subscribe, look);
  return useMemo(() => told.split(';').map((group) => group.split(',').filter(Boolean).map(Number)), [told]);
}

/** A step that opened while one before it was open worked beside it. Turns are never beside each other: they take turns. */
export function groupsOf(steps: readonly (FlatStep | undefined)[]): Groups {
  const groups: number[][] = [];
  let open: FlatStep[] = [];
  for (const step of steps) {
    if (!step) continue;
    const { id, openedAt, kind } = step;
    const beside = openedAt !== undefined && kind !== 'turn' && kind !== 'answer';
    open = open.filter(
      ({ closedAt }) => openedAt !== undefined && (closedAt === undefined || closedAt > openedAt),
    );
    if (beside && open.length > 0) groups.at(-1)?.push(id);
    else groups.push([id]);
    if (beside) open = [...open, step];
    else open = [];
  }
  return groups;
}
