import { useEffect, useState } from 'react';
import type { Client, ListedRun } from '../../../../src/client/client.ts';
import type { Context } from '../../../../src/graph/expression.ts';
import { useRuns, useVitrine } from '../../../../src/react/react.ts';
import { isBlobRef, type Json, appOfWorkflow } from '../../../../src/run/values.ts';
import { statesIn } from '../../canvas/model/node-states.ts';
import { newestFirst } from '../../runs/run-filter.ts';

/** The newest run of a workflow, as lists have it. */
export function useNewestRun(name: string): ListedRun | undefined {
  const { runs } = useRuns();
  const app = appOfWorkflow(name);
  return newestFirst([...runs.values()].filter((run) => run.app === app))[0];
}

/** What expressions spoke of in the last run. What was too large to be at hand is left out. */
export function useLastRun(name: string): Context | undefined {
  const client = useVitrine();
  const newest = useNewestRun(name);
  const [context, setContext] = useState<Context>();
  const key = newest && `${newest.run} ${newest.status}`;
  useEffect(() => {
    if (!newest) return undefined;
    let isCurrent = true;
    void contextOf(client, newest.run).then(
      (found) => isCurrent && setContext(found),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [client, key]);
  return context;
}

async function contextOf(client: Client, run: string): Promise<Context> {
  const tree = await client.tree(run, undefined, { stages: 'nested', names: '*', depth: '*' });
  const nodes: Record<string, Json> = {};
  let input: Json = null;
  for (const [path, { step }] of statesIn(tree)) {
    const { result, key, kind } = step;
    if (result === undefined || isBlobRef(result) || path.includes('.')) continue;
    nodes[key] = result;
    if (kind === 'start' && typeof result === 'object' && result !== null && 'output' in result)
      input = result['output'] ?? null;
  }
  return { input, nodes };
}
