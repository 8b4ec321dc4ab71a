import type { RunRow } from '../../stores/store.ts';
import type { Flow } from '../scope.ts';
import { flowId } from '../../run/values.ts';

/** Why nobody here can go on with a run, and what to do; undefined where somebody can, or nobody has to. */
export function strandedBy(
  {
    flows,
    isUnread,
  }: {
    readonly flows: readonly Pick<Flow, 'name' | 'version'>[];
    readonly isUnread?: boolean | undefined;
  },
  { flow, state, damaged }: Pick<RunRow, 'flow' | 'state' | 'damaged'>,
): string | undefined {
  if (isUnread || state === 'ended' || damaged !== null || flows.some((known) => flowId(known) === flow))
    return undefined;
  return strandedWords(flow);
}

export function strandedWords(flow: string): string {
  return `The flow ${flow} that it began with is not here: bring it back and the run goes on as recorded, or stop the run.`;
}
