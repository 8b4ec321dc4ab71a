import type { Before, Node, Scope, Settled } from '../../engine/scope.ts';
import type { GraphNode, Part } from '../../graph/graph.ts';
import { errorOf } from '../../run/failure.ts';
import { isConnected, isTaken, orderOf, seen, withRedone } from './edges.ts';
import { Moot } from './moot.ts';
import { titleOf, type Around, type AtWork, type Done } from './sight.ts';

/** How the work of one node is done, in its step. */
export type DoNode = (at: AtWork) => Promise<Done>;

/** Why a node is not done that only dead edges lead to. */
export const noPath = 'No path led to it.';

interface Drawn {
  readonly part: Part;
  readonly around: Around;
  /** Those that are to be done; all, unless said. How the others ended is known. */
  readonly only?: ReadonlySet<string>;
  readonly settled?: Before;
}

/**
 * The nodes of a graph, each begun when all edges to it are settled and one of them is taken; one that no taken edge leads to
 * is skipped. A failure that nothing goes on from ends the graph: what works is settled, nothing new begins.
 */
export async function runPart(scope: Scope, drawn: Drawn, doNode: DoNode): Promise<Before> {
  const { part, only } = drawn;
  const doing = part.nodes.filter(({ id }) => only?.has(id) ?? true);
  const moot = Moot.isIn(part) ? new Moot(part) : undefined;
  const nodes = doing.map((node) => [node.id, nodeOf(node, { ...drawn, moot }, doNode)] as const);
  const ends: Record<string, Settled> = await scope.graph<Record<string, Done>>(
    Object.fromEntries(nodes),
    moot && ((ended) => moot.heed({ ...drawn.settled, ...ended })),
  );
  for (const { id } of doing) {
    const end = ends[id];
    if (end?.outcome === 'failed' && !isConnected(part, id, 'failed')) throw errorOf(end.failure);
  }
  return { ...drawn.settled, ...ends };
}

interface Drawing extends Drawn {
  readonly moot: Moot | undefined;
}

function nodeOf(node: GraphNode, drawing: Drawing, doNode: DoNode): Node<Done> {
  const { part, around, only, moot, settled: known = {} } = drawing;
  const { id, type, icon, within } = node;
  const edges = part.edges.filter(({ to }) => to === id);
  const all = (before: Before): Before => ({ ...known, ...before });
  const isReached = (before: Before): boolean => edges.some((edge) => isTaken(edge, all(before)));
  return {
    title: titleOf(node),
    kind: type,
    icon,
    agent: node.type === 'agent' ? node.agent : undefined,
    within: within === undefined ? undefined : within * 1_000,
    after: (orderOf(part).get(id) ?? []).filter((other) => only?.has(other) ?? true),
    vital: !isConnected(part, id, 'failed'),
    soon: node.type === 'merge' && node.first ? isReached : undefined,
    over: type === 'human' ? undefined : moot?.of(node),
    unless: (before) => (edges.length === 0 || isReached(before) ? moot?.whyNot(node) : noPath),
    run(scope, before) {
      const settled = withRedone(all(before));
      const nodes = { ...around.nodes, ...seen(settled) };
      return doNode({ scope, node, around: { names: around.names, nodes }, part, settled, moot });
    },
  };
}
