import type { FlatStep, FlatTree } from '../../../../src/client/client.ts';
import { isBlobRef } from '../../../../src/run/values.ts';
import { nodeTypes } from './draft.ts';
import type { NodeType } from './draft-graph.ts';
import { nodePath, partOf, type NodePath, type PartPath } from './node-path.ts';

/** How a node stands in a run: its newest step, and what is counted around it. */
export interface NodeState {
  readonly step: FlatStep;
  /** Of its step; a node waits while what it asks is not decided. */
  readonly status: FlatStep['status'];
  /** Of a node that does what is in it several times: which time this is, and how many have ended. */
  readonly rounds: Rounds | undefined;
  /** The questions that it asks; several where branches ask at the same time. */
  readonly approvals: readonly string[];
  /** Of a workflow inside another: where what it was then is kept. */
  readonly definition: string | undefined;
}

export interface Rounds {
  readonly newest: number;
  readonly ended: number;
}

/** The state of each node of a run's graph, by where it stands; a node that has no step yet has none. */
export function statesIn({
  steps,
  approvals,
}: Pick<FlatTree, 'steps' | 'approvals'>): ReadonlyMap<NodePath, NodeState> {
  const found = new Map<NodePath, Counted>();
  const places = new Map<number, Place>([[0, { part: '' }]]);
  const skipped = new Set<number>();
  for (const given of steps) {
    const step = skipped.has(given.parent) ? withdrawn(given) : given;
    if (step.status === 'skipped') skipped.add(step.id);
    const around = places.get(step.parent);
    if (!around) continue;
    const place = placeOf(step, around);
    places.set(step.id, place);
    if (place.node === undefined) continue;
    if (place.node !== around.node) found.set(place.node, { step, newest: 0, ended: 0, approvals: [] });
    else count(step, found.get(place.node));
  }
  for (const { id, step, status } of approvals) {
    const { node } = places.get(step) ?? {};
    if (node !== undefined && status !== 'decided' && status !== 'lapsed')
      found.get(node)?.approvals.push(id);
  }
  return new Map(found.entries().map(([path, counted]) => [path, stateOf(counted)]));
}

/** What was open in something that was skipped was skipped with it. */
function withdrawn(step: FlatStep): FlatStep {
  return step.status === 'abandoned' ? { ...step, status: 'skipped' } : step;
}

interface Counted {
  readonly step: FlatStep;
  newest: number;
  ended: number;
  readonly approvals: string[];
  definition?: string;
}

function count(step: FlatStep, own: Counted | undefined): void {
  if (!own) return;
  if (step.kind === 'definition' && isBlobRef(step.result)) own.definition = step.result.blob;
  if (!isRound(step)) return;
  own.newest = Math.max(own.newest, numberIn(step.key));
  if (step.closedAt !== undefined) own.ended += 1;
}

function stateOf({ step, newest, ended, approvals, definition }: Counted): NodeState {
  const isAsking = approvals.length > 0 && step.status === 'running';
  const rounds = newest === 0 ? undefined : { newest, ended };
  return { step, status: isAsking ? 'waiting' : step.status, rounds, approvals, definition };
}

/** Where a step stands: the node it belongs to, and the graph whose nodes are right below it, if any. */
interface Place {
  readonly node?: NodePath;
  readonly part?: PartPath;
}

const types: ReadonlySet<string> = new Set<NodeType>(nodeTypes);

function placeOf(step: FlatStep, { node, part }: Place): Place {
  if (part !== undefined && types.has(step.kind)) {
    const path = nodePath(part, step.key);
    return { node: path, part: step.kind === 'workflow' ? `${path}.body` : undefined };
  }
  if (node === undefined) return { part };
  if (isRound(step) || step.key === 'body') return { node, part: `${node}.body` };
  if (step.key === 'fallback') return { node, part: `${node}.fallback` };
  // What a question has done again are nodes beside it.
  if (step.key.startsWith('again ')) return { node, part: partOf(node) };
  // A try of a workflow is where its nodes are.
  return { node, part };
}

function isRound({ key }: FlatStep): boolean {
  return /^(round|branch) \d+$/.test(key);
}

function numberIn(key: string): number {
  return Number(key.slice(key.indexOf(' ') + 1));
}

/** By which port a node was left; undefined while nobody knows, and where what it gave is too large to be at hand. */
function portTaken({ step }: NodeState): string | undefined {
  const { status, result } = step;
  if (status === 'failed') return 'failed';
  if (typeof result !== 'object' || result === null || !('port' in result)) return undefined;
  return typeof result['port'] === 'string' ? result['port'] : undefined;
}

export type EdgeState = 'ahead' | 'taken' | 'dead';

/** What became of an edge, by the nodes at its ends. */
export function edgeState(port: string, from: NodeState | undefined, to: NodeState | undefined): EdgeState {
  if (!from) return 'ahead';
  if (from.step.status === 'skipped' || to?.step.status === 'skipped') return 'dead';
  const taken = portTaken(from);
  if (taken !== undefined) return port === taken ? 'taken' : 'dead';
  if (from.step.status !== 'completed') return 'ahead';
  if (port === 'done') return 'taken';
  return to && to.step.status !== 'pending' ? 'taken' : 'dead';
}
