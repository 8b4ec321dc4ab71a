import { atMost } from '../run/tree.ts';
import type { Limits } from '../run/values.ts';
import { bodiesOf, type Graph, type GraphNode, type Part } from './graph.ts';
import { problemOf, type Problem } from './problem.ts';

/** What a workflow may use, unless it says so. */
export const graphLimits = { turns: 200, calls: 1_000, depth: 24 } as const;

interface Cost {
  readonly turns: number;
  readonly calls: number;
  readonly depth: number;
}

/**
 * The most a graph can use, by its caps, against what it may. `allowed` is the most that it may say here; without it, it may
 * say anything. What workflows inside it use is known when they run.
 */
export function worstCase(graph: Graph, allowed: Limits = {}): readonly Problem[] {
  const cost = costOf(graph);
  const limits = atMost(allowed, { ...graphLimits, ...graph.limits });
  const over = (['turns', 'calls', 'depth'] as const).flatMap((name) => {
    const most = limits[name] ?? graphLimits[name];
    const values = { most: cost[name], what: name, allowed: most };
    const place = { node: '', field: `limits.${name}` };
    return cost[name] > most ? [problemOf('worst-case', place, values)] : [];
  });
  return [...tooMuch(graph.limits ?? {}, allowed), ...over];
}

function tooMuch(wanted: Limits, allowed: Limits): readonly Problem[] {
  return Object.entries(allowed).flatMap(([name, most]) => {
    const asked = wanted[name as keyof Limits] ?? 0;
    const place = { node: '', field: `limits.${name}` };
    return asked > most ? [problemOf('too-much', place, { asked, most })] : [];
  });
}

export function costOf({ nodes }: Part): Cost {
  let [turns, calls, depth] = [0, 0, 0];
  for (const node of nodes) {
    const own = costOfNode(node);
    const tries = 1 + (node.retry?.times ?? 0);
    turns += own.turns * tries;
    calls += own.calls * tries;
    depth = Math.max(depth, own.depth);
  }
  return { turns, calls, depth };
}

const flat = { turns: 0, calls: 0, depth: 1 } as const;

function costOfNode(node: GraphNode): Cost {
  const inside = bodiesOf(node).map(({ part }) => costOf(part));
  const rounds = roundsOf(node);
  const judge = node.type === 'review' ? 1 : 0;
  if (inside.length > 0)
    return {
      turns: inside.reduce((sum, { turns }) => sum + turns, judge) * rounds,
      calls: inside.reduce((sum, { calls }) => sum + calls, 0) * rounds,
      // The node, its round, and what is in it.
      depth: 2 + Math.max(...inside.map(({ depth }) => depth)),
    };
  switch (node.type) {
    case 'agent':
    case 'team':
      return { turns: 1, calls: 0, depth: 2 };
    case 'prompt':
      // A misfit is asked once more.
      return { turns: node.answer === undefined ? 1 : 2, calls: 0, depth: 2 };
    case 'tool':
    case 'http':
    case 'code':
    case 'retrieve':
      return { turns: 0, calls: 1, depth: 2 };
    case 'merge':
      return node.how === 'agent' ? { turns: 1, calls: 0, depth: 2 } : flat;
    case 'human':
    case 'wait':
      return { ...flat, depth: 2 };
    case 'start':
    case 'end':
    case 'branch':
    case 'loop':
    case 'map':
    case 'review':
    case 'failsafe':
    case 'template':
    case 'workflow':
    case 'guard':
      return flat;
  }
}

function roundsOf(node: GraphNode): number {
  if (node.type === 'loop') return node.times ?? node.max ?? 100;
  if (node.type === 'map') return node.max ?? 1_000;
  return node.type === 'review' ? (node.max ?? 3) : 1;
}
