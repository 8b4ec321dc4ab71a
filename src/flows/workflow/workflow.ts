import type { Flow, RunInput, Scope } from '../../engine/scope.ts';
import { Graph } from '../../graph/graph.ts';
import type { Json } from '../../run/values.ts';
import { lookAhead } from './inner.ts';
import { nodeDoer, type Means } from './node.ts';
import { expectRunnable, runGraph } from './whole.ts';
import { asText } from './sight.ts';

/** Moves when runs that were recorded would not fit the code any more. */
const workflowVersion = '1';

/** A graph of nodes, written as data: what a run was started with says all it does. */
export function workflow(means: Means): Flow {
  return {
    name: 'workflow',
    version: workflowVersion,
    check: ({ definition, ...beginning }) => expectRunnable(definition, dataOf(beginning)),
    run: (scope, input) => runWhole(scope, input, means),
  };
}

async function runWhole(scope: Scope, input: RunInput, means: Means): Promise<string> {
  const graph = Graph.parse(scope.definition);
  await lookAhead(scope, graph);
  const doNode = nodeDoer({ means, input, within: [graph.name] });
  return asText(await runGraph(scope, { graph, input: dataOf(input) }, doNode));
}

/** Another workflow in a run of something else, as it is when that comes to it: recorded before anything of it is done. */
export async function runWorkflow(
  scope: Scope,
  { name, input }: { readonly name: string; readonly input: RunInput },
  means: Means,
): Promise<string> {
  const definition = await scope.look({ key: 'the definition', kind: 'workflow', name });
  const graph = expectRunnable(definition, dataOf(input));
  await lookAhead(scope, graph);
  const doNode = nodeDoer({ means, input, within: [name] });
  return asText(await runGraph(scope, { graph, input: dataOf(input) }, doNode));
}

/** What expressions know as `input`. */
function dataOf({ data, text = '' }: Partial<Pick<RunInput, 'data' | 'text'>>): Json {
  return data ?? { text };
}
