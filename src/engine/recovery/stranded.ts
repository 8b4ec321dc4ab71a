import type { RunRow } from '../../stores/store.ts';
import { flowId } from '../flow-id.ts';
import type { Flow } from '../scope.ts';

/** Why nobody here can go on with a run, and what to do; undefined where somebody can, or nobody has to. */
export function strandedBy(
  flows: readonly Pick<Flow, 'name' | 'version'>[],
  { flow, state, damaged }: Pick<RunRow, 'flow' | 'state' | 'damaged'>,
): string | undefined {
  if (state === 'ended' || damaged !== null || flows.some((known) => flowId(known) === flow))
    return undefined;
  return strandedWords(flow);
}

export function strandedWords(flow: string): string {
  return `The flow ${flow} that it began with is not here: bring it back and the run goes on as recorded, or stop the run.`;
}
