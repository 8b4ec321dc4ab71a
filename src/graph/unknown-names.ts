import type { Json } from '../run/values.ts';
import { bodiesOf, Graph, type GraphNode } from './graph.ts';
import { nameProblems, settingsProblems } from './node-problems.ts';
import type { Known } from './place.ts';
import type { Problem } from './problem.ts';

/** What a graph names that is not there, and nothing else that may be wrong with it: quickly, for graphs that were found sound. */
export function unknownNames(given: Json, known: Known, most = Infinity): readonly Problem[] {
  const nodes: GraphNode[] = [...(Graph.safeParse(given).data?.nodes ?? [])];
  const found: Problem[] = [];
  for (const node of nodes) {
    found.push(...nameProblems(node, known), ...settingsProblems(node, known));
    if (found.length >= most) return found.slice(0, most);
    for (const { part } of bodiesOf(node)) nodes.push(...part.nodes);
  }
  return found;
}
