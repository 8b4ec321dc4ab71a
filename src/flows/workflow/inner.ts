import type { Scope } from '../../engine/scope.ts';
import { bodiesOf, Graph, type Part } from '../../graph/graph.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import type { Working } from './node.ts';
import { filled, type AtWork, type NodeOf } from './sight.ts';
import { expectRunnable, runGraph } from './whole.ts';

const deepest = 8;

/** All workflows that a graph may come to, recorded before it begins: what becomes of them later does not reach it. */
export async function lookAhead(scope: Scope, graph: Graph): Promise<void> {
  const known = new Set<string>();
  let level: readonly Graph[] = [graph];
  for (let depth = 1; depth < deepest && level.length > 0; depth += 1) {
    const next: Graph[] = [];
    for (const { workflow: name, version } of level.flatMap(callsIn)) {
      const which = { kind: 'workflow', name, version };
      const key = JSON.stringify(which);
      if (known.has(key)) continue;
      known.add(key);
      const inner = Graph.safeParse(await scope.lookAhead(which)).data;
      if (inner) next.push(inner);
    }
    level = next;
  }
}

function callsIn({ nodes }: Part): readonly NodeOf<'workflow'>[] {
  return nodes.flatMap((node) =>
    node.type === 'workflow' ? [node] : bodiesOf(node).flatMap(({ part }) => callsIn(part)),
  );
}

/** Another workflow, as it was when the run began; one that was not there then, as it is now. It is recorded before anything of it is done. */
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
