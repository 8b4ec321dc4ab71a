import type { RunRow } from '../../server/folder/home.ts';

/** What to know of a run that is good only so far. */
export function damagedRun(
  { run, head, state }: Pick<RunRow, 'run' | 'head' | 'state'>,
  after: number,
): string {
  const can = state === 'ended' ? 'It has ended, and can be exported.' : 'It can be stopped and exported.';
  return `Run ${run} is damaged: its journal is good up to entry ${after} of ${head}, and this is the run as it was then. ${can}`;
}
