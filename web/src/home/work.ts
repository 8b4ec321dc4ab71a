import type { FlatTree } from '../../../src/client/client.ts';
import { isTool } from '../steps/words.ts';

/** How the newest runs worked. Times in milliseconds. */
export interface Work {
  readonly runs: number;
  /** Calls that were not made, since they had been. */
  readonly reused: number;
  /** Runs whose budget was used up. */
  readonly budgetStops: number;
  /** From the beginning of a run to its first step: half and 95 of 100 took no longer. */
  readonly firstStep: { readonly half: number; readonly most: number } | undefined;
  /** The tools whose calls took longest, by what 95 of 100 took at most. */
  readonly slowest: readonly { readonly tool: string; readonly took: number }[];
}

const mostTools = 5;

export function workOf(trees: readonly FlatTree[]): Work {
  const steps = trees.flatMap((tree) => tree.steps);
  const first = trees.flatMap(firstStepOf).toSorted(smallestFirst);
  const calls = Map.groupBy(
    steps.filter((step) => isTool(step) && step.milliseconds !== undefined),
    ({ call, title }) => call?.tool ?? title,
  );
  const slowest = [...calls].map(([tool, made]) => {
    const times = made.map(({ milliseconds = 0 }) => milliseconds).toSorted(smallestFirst);
    return { tool, took: shareOf(times, 0.95) };
  });
  return {
    runs: trees.length,
    reused: steps.filter(({ reusedFrom }) => reusedFrom !== undefined).length,
    budgetStops: trees.filter(isBudgetStop).length,
    firstStep: first.length === 0 ? undefined : { half: shareOf(first, 0.5), most: shareOf(first, 0.95) },
    slowest: slowest.toSorted((one, other) => other.took - one.took).slice(0, mostTools),
  };
}

function firstStepOf({ startedAt, steps }: FlatTree): number[] {
  const opened = steps.flatMap(({ openedAt }) => openedAt ?? []);
  if (startedAt === null || opened.length === 0) return [];
  return [Math.max(0, Math.min(...opened) - startedAt)];
}

function isBudgetStop({ notices, failure }: FlatTree): boolean {
  return failure?.code === 'over-budget' || notices.some(({ code }) => code === 'BUDGET_EXHAUSTED');
}

function smallestFirst(one: number, other: number): number {
  return one - other;
}

/** The smallest value that so many of them do not exceed. */
function shareOf(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
