import type { GraphNode, Part } from './graph.ts';
import { leadingTo, reachedFrom, settledBefore } from './order.ts';
import { problemOf, type Problem } from './problem.ts';

/** A node is done again for a question only if nobody else has used what it gave: all its paths lead to that question. */
export function redoProblems(part: Part): readonly Problem[] {
  return part.nodes.flatMap((node) =>
    node.type === 'human' && node.redo !== undefined ? redoProblem(part, node, node.redo) : [],
  );
}

function redoProblem(part: Part, { id: question }: GraphNode, redo: readonly string[]): readonly Problem[] {
  const before = settledBefore(part, question);
  const around = {
    ...part,
    edges: part.edges.filter(({ from, to }) => from !== question && to !== question),
  };
  const others = part.nodes.flatMap(({ id }) => (before.has(id) || id === question ? [] : [id]));
  const used = leadingTo(around, others);
  const place = { node: question, field: 'redo' };
  return redo.flatMap((id) => {
    if (!before.has(id)) return [problemOf('redo-not-before', place, { id })];
    if (!used.has(id)) return [];
    const other = [...reachedFrom(around, [id])].find((one) => !before.has(one)) ?? '';
    return [problemOf('redo-elsewhere', place, { id, other })];
  });
}
