import type { Step } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';

/** The same for every attempt of the same work, and different once a person has changed what will run. */
export function idempotencyKey({ world, run }: Execution, step: Step, bytes: Json): string {
  const work = step.call ? step.call.signature : JSON.stringify([step.agent, bytes]);
  return `${run}-${step.id}-${world.hash(work).slice(0, 12)}`;
}
