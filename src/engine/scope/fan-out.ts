import type { StepId } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import type { Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import type { Branches, Fan, Looks, Scope } from '../scope.ts';
import { composite, openComposite } from './composite.ts';
import { planSteps } from './plan.ts';

interface Fanned<T> extends Fan {
  readonly branches: Branches<T>;
  readonly looks: Looks;
  /** The scope of a step, as the flow gets it. */
  readonly inside: (step: Step) => Scope;
}

/** Named branches at once, or so many of them at a time: then each begins when one before it is settled, in their order. */
export async function fanOut<T extends Record<string, unknown>>(
  execution: Execution,
  parent: StepId,
  { branches, looks, inside, atOnce = Infinity }: Fanned<T>,
): Promise<T> {
  if (!(atOnce >= 1)) throw new RunError('malformed', '«atOnce» must be a number of branches, 1 or more.');
  while (execution.isGated) await execution.gate();
  const names = Object.keys(branches);
  const places = names.map((key) => ({ kind: 'branch', title: key, ...looks[key], key, parent }));
  if (atOnce < places.length) planSteps(execution, parent, places);
  // All that begin are opened before any of them runs, so that people see the whole fan at once.
  const opened = places.slice(0, atOnce).map((place) => openComposite(execution, place));
  const settled: PromiseSettledResult<unknown>[] = [];
  const queue = places.entries();
  const lane = async (): Promise<void> => {
    for (const [i, place] of queue) {
      const work = branches[place.key] as (scope: Scope) => Promise<unknown>;
      const branch = composite(execution, { ...place, opened: opened[i] }, (step) => work(inside(step)));
      [settled[i]] = (await Promise.allSettled([branch])) as [PromiseSettledResult<unknown>];
    }
  };
  await Promise.all(Array.from({ length: opened.length }, lane));
  const results: Record<string, unknown> = {};
  for (const [i, branch] of settled.entries()) {
    if (branch.status === 'rejected') throw branch.reason;
    results[names[i] ?? ''] = branch.value;
  }
  return results as T;
}
