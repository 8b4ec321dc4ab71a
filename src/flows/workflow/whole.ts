import type { Before, Scope } from '../../engine/scope.ts';
import { Graph } from '../../graph/graph.ts';
import { problemsIn } from '../../graph/validate.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { misfit } from '../../schema/misfit.ts';
import { doneOf } from './edges.ts';
import { runPart, type DoNode } from './part.ts';

/** A graph with a start and ends, in a scope of its own, and what it comes to. */
export async function runGraph(
  scope: Scope,
  { graph, input }: { readonly graph: Graph; readonly input: Json },
  doNode: DoNode,
): Promise<Json> {
  const around = { names: { input }, nodes: {} };
  return answerIn(graph, await runPart(scope, { part: graph, around }, doNode));
}

/** What the first end says that was reached, in the order of nodes. */
function answerIn({ nodes }: Graph, settled: Before): Json {
  for (const { id, type } of nodes) {
    const end = settled[id];
    if (type === 'end' && end?.outcome === 'completed') return doneOf(end).output;
  }
  throw new RunError('rejected', 'It came to no end: where a path was left, nothing leads on.');
}

/** Where a graph cannot be run, or its input does not fit it, it does not begin. */
export function expectRunnable(definition: Json = null, input: Json): Graph {
  const [problem, ...more] = problemsIn(definition);
  if (problem) {
    const where = [problem.node && `node «${problem.node}»`, problem.field].filter(Boolean).join(', ');
    const others = more.length === 0 ? '' : ` There are ${more.length} more problems.`;
    const message = `The workflow cannot be run: ${where}: ${problem.problem} ${problem.fix}${others}`;
    throw new RunError('malformed', message);
  }
  const graph = Graph.parse(definition);
  const wrong = graph.input === undefined ? undefined : misfit(graph.input, input);
  if (wrong === undefined) return graph;
  throw new RunError('malformed', `The input of «${graph.title ?? graph.name}» does not fit: ${wrong}.`);
}
