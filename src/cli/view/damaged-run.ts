import { isOver } from '../place/find.ts';
import type { ListedRun } from '../../wire/native/runs.ts';

/** What to know of a run that is good only so far. */
export function damagedRun(
  { run, seq: head, status }: Pick<ListedRun, 'run' | 'seq' | 'status'>,
  after: number,
): string {
  const can = isOver(status) ? 'It has ended, and can be exported.' : 'It can be stopped and exported.';
  return `Run ${run} is damaged: its journal is good up to entry ${after} of ${head}, and this is the run as it was then. ${can}`;
}
