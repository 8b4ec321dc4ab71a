import { bodiesOf, Graph, type GraphNode, type Part } from '../../graph/graph.ts';
import { flatTree } from '../../run/flat-tree.ts';
import type { FlatStep } from '../../run/flat-step.ts';
import type { RunRow } from '../../stores/store.ts';
import { type RunTree, filled, present } from '../../run/tree.ts';
import type { NodeState, RunGraph } from '../../wire/native/run-graph.ts';
import type { ServerContext } from '../context.ts';
import { graphOf } from './told-versions.ts';
import { recordedGraph, type RecordedGraph } from './recorded-graph.ts';
import { workflowKind as kind } from './workflow-problems.ts';

/** The graph that a run was started with, as it was recorded, and how far each node has come. */
export async function runGraph(
  context: ServerContext,
  row: Pick<RunRow, 'run' | 'tenant' | 'app' | 'head' | 'bytes' | 'state'>,
): Promise<RunGraph> {
  const tree = await context.trees.of(row);
  const { name, hash, tenant, body, inner } = await recordedGraph(context.home, row, tree);
  const versions = await context.home.store.definitions.versions({ tenant, kind, name });
  const version = versions.findLast((known) => known.hash === hash && known.version > 0)?.version;
  const { steps, seq } = flatTree(tree, row.run);
  const nodes = nodesIn(Graph.parse(body), steps, inner);
  const { forkedFrom: from, tries } = tree.started ?? {};
  const told = present({ version, from: from?.run, tries });
  return { run: row.run, graph: graphOf(body), name, ...told, hash, seq, nodes: nodes.map(kept(tree)) };
}

/** What another run has done is said to be so. */
function kept({ steps, started }: RunTree): (state: NodeState) => NodeState {
  const own = started?.forkedFrom?.kept ?? 0;
  return (state) => {
    const { closedSeq = Infinity } = steps.get(state.step ?? nowhere) ?? {};
    return closedSeq <= own ? { ...state, kept: true } : state;
  };
}

/** One place in the tree where the nodes of a part have their steps. */
interface At {
  readonly part: Part;
  readonly step: number;
  readonly path: string;
  /** Where the part is in the graph. */
  readonly node: string;
  /** Only some of its nodes are done there. */
  readonly isSome?: boolean;
}

/** How each node stands, each time it was begun, and once where it was not. */
function nodesIn(graph: Part, steps: readonly FlatStep[], inner: RecordedGraph['inner']): NodeState[] {
  const below = Map.groupBy(steps, ({ parent }) => parent);
  const states: NodeState[] = [];
  const places: At[] = [{ part: graph, step: 0, path: '', node: '' }];
  for (const at of places)
    for (const node of at.part.nodes) {
      const place = joined(at.node, node.id);
      const path = joined(at.path, node.id);
      const own = below.get(at.step)?.filter(({ key }) => key === node.id) ?? [];
      if (own.length === 0 && !at.isSome) states.push({ path, node: place, state: 'pending' });
      for (const step of own) states.push(stateOf(step, { path, node: place }, asking(node, step, below)));
      places.push(...placesIn(node, { ...at, path }, { own, below }));
      if (node.type === 'workflow')
        for (const [step, inside] of workflowsIn(own, below, inner))
          places.push({
            part: inside,
            step: step.id,
            path: step.key === node.id ? path : joined(path, step.key),
            node: place,
          });
    }
  return states;
}

function joined(before: string, key: string): string {
  return before === '' ? key : `${before}/${key}`;
}

function stateOf(
  { id, status, openedAt, closedAt, milliseconds, failure }: FlatStep,
  place: Pick<NodeState, 'path' | 'node'>,
  asks: readonly FlatStep[],
): NodeState {
  const approvals = filled(asks.flatMap((step) => step.approvals ?? []));
  const isWaiting = status === 'running' && asks.some((step) => step.status === 'waiting');
  const said = present({ openedAt, closedAt, milliseconds, failure, approvals });
  return { ...place, state: isWaiting ? 'waiting' : status, step: id, ...said };
}

/** The steps of a node that ask people: its own, and those below it that are no other node's. */
function asking(node: GraphNode, step: FlatStep, below: Steps['below']): readonly FlatStep[] {
  const steps = [step];
  if (bodiesOf(node).length > 0) return steps;
  for (const one of steps) steps.push(...(below.get(one.id) ?? []));
  return steps.filter(({ approvals }) => approvals !== undefined);
}

/** Workflows inside, each as it was when the node came to it: in its step, and where it was tried again, in that. */
function workflowsIn(
  own: readonly FlatStep[],
  below: Steps['below'],
  inner: RecordedGraph['inner'],
): [FlatStep, Graph][] {
  const tries = own.flatMap(({ id }) => below.get(id)?.filter(({ key }) => /^~\d+$/.test(key)) ?? []);
  return [...own, ...tries].flatMap((step): [FlatStep, Graph][] => {
    const looked = below.get(step.id)?.find(({ kind: is }) => is === 'definition');
    const graph = looked && Graph.safeParse(inner(looked)).data;
    return graph ? [[step, graph]] : [];
  });
}

interface Steps {
  readonly own: readonly FlatStep[];
  readonly below: ReadonlyMap<number, readonly FlatStep[]>;
}

/** No step: of what has not begun, only where it is in the graph is known. */
const nowhere = -1;

/** Where the graphs inside a node have their steps: in rounds, in branches, in what is done again; each try has its own. */
function placesIn(node: GraphNode, { part, path, node: around }: At, { own, below }: Steps): At[] {
  const place = joined(around, node.id);
  const inside = own.flatMap((step) => {
    const children = below.get(step.id) ?? [];
    const tries = children.filter(({ key }) => /^~\d+$/.test(key));
    const tried = tries.flatMap((one) =>
      (below.get(one.id) ?? []).map((inner) => ({ step: inner, path: `${path}/${one.key}/${inner.key}` })),
    );
    return [...children.map((inner) => ({ step: inner, path: `${path}/${inner.key}` })), ...tried];
  });
  const at = (within: Part, keys: RegExp, where: string): At[] => {
    const found = inside.filter(({ step }) => keys.test(step.key));
    if (found.length === 0 && within !== part)
      return [{ part: within, step: nowhere, path: where, node: where }];
    return found.map((one) => ({ part: within, step: one.step.id, path: one.path, node: where }));
  };
  if (node.type === 'loop' || node.type === 'review') return at(node.body, /^round \d+$/, place);
  if (node.type === 'map') return at(node.body, /^branch \d+$/, place);
  if (node.type === 'failsafe')
    return [...at(node.body, /^body$/, place), ...at(node.fallback, /^fallback$/, `${place}/fallback`)];
  if (node.type !== 'human') return [];
  return at(part, /^again \d+$/, around).map((again) => ({ ...again, isSome: true }));
}
