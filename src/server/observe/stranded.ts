import type { Flow } from '../../engine/scope.ts';
import type { Log } from '../../engine/world.ts';
import { RunError } from '../../run/failure.ts';
import type { FlowCount, Store } from '../../stores/store.ts';
import { flowId } from '../../run/values.ts';

/** Flows that are not here, and how many runs wait for each. */
export async function strandedIn(
  { dispatch }: Pick<Store, 'dispatch'>,
  flows: readonly Flow[],
): Promise<readonly FlowCount[]> {
  const known = new Set(flows.map(flowId));
  return (await dispatch.flows()).filter(({ flow }) => !known.has(flow));
}

/** Says in the log what nobody here can go on with. Gives the same for whoever starts the server. */
export function tellStranded(stranded: readonly FlowCount[], log: Log): readonly string[] {
  return stranded.map(({ flow, runs }) => {
    const many = runs === 1 ? '1 run is' : `${runs} runs are`;
    const message = `${many} stranded: the flow ${flow} is not here. Bring it back to go on with them, or stop them; GET /api/runs?unfinished=true says which.`;
    log.error({ cause: new RunError('unknown', message) }, 'Runs are stranded.');
    return message;
  });
}
