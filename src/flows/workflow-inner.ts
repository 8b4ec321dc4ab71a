import { RunError } from '../run/failure.ts';
import type { Json } from '../run/values.ts';
import type { Working } from './workflow-node.ts';
import { filled, type AtWork, type NodeOf } from './workflow-sight.ts';
import { expectRunnable, runGraph } from './workflow-whole.ts';

const deepest = 8;

/** Another workflow, as it is when this node comes to it: it is recorded before anything of it is done. */
export async function calledWorkflow(at: AtWork<NodeOf<'workflow'>>, working: Working): Promise<Json> {
  const { scope, node } = at;
  const within = [...working.within, node.workflow];
  if (within.length > deepest) {
    const message = `Workflows call each other too deeply, ${deepest} are the most: ${within.join(' → ')}.`;
    throw new RunError('over-budget', message);
  }
  const input = filled(at, 'input', node.input ?? {});
  const { workflow: name, version } = node;
  const definition = await scope.look({ key: 'the definition', kind: 'workflow', name, version });
  const graph = expectRunnable(definition, input);
  return runGraph(scope, { graph, input }, working.deeper(within));
}
