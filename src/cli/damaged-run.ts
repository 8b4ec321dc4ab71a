import type { RunRow } from '../server/home.ts';

/** What to know of a run whose journal is good only so far. */
export function damagedRun({ run, head }: Pick<RunRow, 'run' | 'head'>, after: number): string {
  return `Run ${run} is damaged: its journal is good up to entry ${after} of ${head}, and this is the run as it was then. It can be stopped and exported.`;
}
