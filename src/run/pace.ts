import type { RunTree, Step, StepClock } from './tree.ts';

/** What a step does with its time: an effect is under way, or it waits for a person or a time, or neither. */
export type Pace = 'working' | 'waiting' | undefined;

export function paceOf({ status, started, until }: Pick<Step, 'status' | 'started' | 'until'>): Pace {
  if (status === 'waiting') return 'waiting';
  if (status !== 'running') return undefined;
  return started ? 'working' : until === undefined ? undefined : 'waiting';
}

/** A step does something else with its time now: the run, and all above it whose time is bounded, are told. */
export function countPace(tree: RunTree, step: Step, before: Pace): void {
  const after = paceOf(step);
  if (before === after) return;
  recount(tree, before, after);
  if (tree.timed === 0) return;
  for (let at: Step | undefined = step; at && at.id !== 0; at = tree.steps.get(at.parent)) {
    if (!at.clock) continue;
    at.clock.worked = workedBy(tree, at.clock);
    at.clock.since = tree.spent.milliseconds;
    recount(at.clock, before, after);
  }
}

type Counts = Pick<StepClock, 'working' | 'waiting'>;

function recount(counts: Counts, before: Pace, after: Pace): void {
  if (before !== undefined) counts[before] -= 1;
  if (after !== undefined) counts[after] += 1;
}

/** Whether nothing goes on, and something waits. */
export function isResting({ working, waiting }: Counts): boolean {
  return waiting > 0 && working === 0;
}

/** How long a step with a clock had worked when the last entry was written. Milliseconds. */
export function workedBy(tree: Pick<RunTree, 'spent'>, clock: StepClock): number {
  return clock.worked + (isResting(clock) ? 0 : tree.spent.milliseconds - clock.since);
}
