import type { Before, Beginning, Flow, RunInput, Scope } from '../engine/scope.ts';
import { Graph } from '../graph/graph.ts';
import { problemsIn } from '../graph/validate.ts';
import { RunError } from '../run/failure.ts';
import type { Json } from '../run/values.ts';
import { misfit } from '../schema/misfit.ts';
import { doneOf } from './workflow-edges.ts';
import { nodeDoer, type Means } from './workflow-node.ts';
import { runPart } from './workflow-part.ts';
import { asText } from './workflow-sight.ts';

/** Moves when runs that were recorded would not fit the code any more. */
export const workflowVersion = '1';

/** A graph of nodes, written as data: what a run was started with says all it does. */
export function workflow(means: Means): Flow {
  return {
    name: 'workflow',
    version: workflowVersion,
    check: expectRunnable,
    run: (scope, input) => runGraph(scope, input, means),
  };
}

async function runGraph(scope: Scope, input: RunInput, means: Means): Promise<string> {
  const graph = Graph.parse(scope.definition);
  const around = { names: { input: dataOf(input) }, nodes: {} };
  const settled = await runPart(scope, { part: graph, around }, nodeDoer(means, input));
  return asText(answerIn(graph, settled));
}

/** What the first end says that was reached, in the order of nodes. */
export function answerIn({ nodes }: Graph, settled: Before): Json {
  for (const { id, type } of nodes) {
    const end = settled[id];
    if (type === 'end' && end?.outcome === 'completed') return doneOf(end).output;
  }
  throw new RunError('rejected', 'It came to no end: where a path was left, nothing leads on.');
}

/** What expressions know as `input`. */
export function dataOf({ data, text = '' }: Partial<Pick<RunInput, 'data' | 'text'>>): Json {
  return data ?? { text };
}

/** A run whose graph cannot be run, or whose input does not fit it, does not begin. */
function expectRunnable({ definition, ...beginning }: Beginning): void {
  const [problem, ...more] = problemsIn(definition ?? null);
  if (problem) {
    const where = [problem.node && `node «${problem.node}»`, problem.field].filter(Boolean).join(', ');
    const others = more.length === 0 ? '' : ` There are ${more.length} more problems.`;
    throw new RunError(
      'malformed',
      `The workflow cannot be run: ${where}: ${problem.problem} ${problem.fix}${others}`,
    );
  }
  expectInput(Graph.parse(definition), dataOf(beginning));
}

export function expectInput({ input: schema, name, title = name }: Graph, data: Json): void {
  const wrong = schema === undefined ? undefined : misfit(schema, data);
  if (wrong !== undefined) throw new RunError('malformed', `The input of «${title}» does not fit: ${wrong}.`);
}
