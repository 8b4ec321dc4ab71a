import type { Part } from './graph.ts';
import { reachedFrom, settledBefore } from './order.ts';
import { problemOf, type Problem } from './problem.ts';

/** A node is done again for a question only if nobody else has used what it gave: all its paths lead to that question. */
export function redoProblems(part: Part): readonly Problem[] {
  return part.nodes.flatMap((node): readonly Problem[] =>
    node.type === 'human' ? (node.redo ?? []).flatMap((id) => redoProblem(part, node.id, id)) : [],
  );
}

function redoProblem(part: Part, question: string, id: string): readonly Problem[] {
  const before = settledBefore(part, question);
  if (!before.has(id)) return [problemOf('redo-not-before', { node: question, field: 'redo' }, { id })];
  const around = {
    ...part,
    edges: part.edges.filter(({ from, to }) => from !== question && to !== question),
  };
  const elsewhere = [...reachedFrom(around, [id])].find((other) => !before.has(other));
  if (elsewhere === undefined) return [];
  return [problemOf('redo-elsewhere', { node: question, field: 'redo' }, { id, other: elsewhere })];
}
