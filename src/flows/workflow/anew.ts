import { Graph, type GraphNode, type Part } from '../../graph/graph.ts';
import { isOpen, stepOf, type RunTree, type Step } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import { isConnected } from './edges.ts';
import { mootReason } from './moot.ts';
import { noPath } from './part.ts';

/** What of a run that failed is done anew; all else is kept as it was recorded. */
export interface Anew {
  /** Steps that are gone through again: what is recorded below them is recalled. */
  readonly reopened: ReadonlySet<number>;
  /** Steps of which nothing is kept, and what is below them. */
  readonly dropped: ReadonlySet<number>;
}

/** What workflows inside say, by the step that looked them up. */
export type Inner = (definition: Step) => Json | undefined;

/**
 * A run that failed did so by a node, which may be deep inside others. Those on the way to it are gone through again, and
 * of what the node itself did, the last thing is done anew: a request that failed, an answer nobody could use, a question
 * that was answered no. What happens once and has happened is never among it.
 */
export function doneAnew(tree: RunTree, graph: Part, inner: Inner = () => undefined): Anew {
  const anew = { reopened: new Set<number>(), dropped: new Set<number>() };
  partAnew({ tree, inner, ...anew }, stepOf(tree, 0), graph);
  return anew;
}

interface Finding {
  readonly tree: RunTree;
  readonly inner: Inner;
  readonly reopened: Set<number>;
  readonly dropped: Set<number>;
}

/** Whether any node of it is done anew. */
function partAnew(finding: Finding, within: Step, part: Part): boolean {
  let isAny = false;
  for (const step of childrenOf(finding, within)) {
    const node = part.nodes.find(({ id }) => id === step.key);
    if (!node) continue;
    if (hasFailed(step)) {
      if (step.status === 'failed' && isConnected(part, node.id, 'failed')) continue;
      isAny = true;
      finding.reopened.add(step.id);
      nodeAnew(finding, { step, node, part });
    } else if (step.status === 'skipped' && !isSkippedForGood(step)) finding.reopened.add(step.id);
  }
  return isAny;
}

/** Neither the path that was taken nor who was first is another when the run goes on. */
function isSkippedForGood({ failure }: Step): boolean {
  return failure?.message === noPath || failure?.message === mootReason;
}

interface At {
  readonly step: Step;
  readonly node: GraphNode;
  readonly part: Part;
}

function nodeAnew(finding: Finding, { step: first, node, part }: At): void {
  const step = lastTry(finding, first);
  const inside = childrenOf(finding, step).filter(hasFailed);
  switch (node.type) {
    case 'loop':
    case 'map':
    case 'review':
      for (const round of inside) bodyAnew(finding, round, node.body);
      return;
    case 'failsafe':
      // What fell back keeps why it did.
      for (const body of inside.slice(-1))
        bodyAnew(finding, body, body.key === 'body' ? node.body : node.fallback);
      return;
    case 'human':
      for (const again of inside.filter(isComposite)) bodyAnew(finding, again, part);
      if (!inside.some(isComposite)) lastAnew(finding, step, isNear);
      return;
    case 'workflow':
      return workflowAnew(finding, step);
    case 'start':
    case 'end':
    case 'agent':
    case 'team':
    case 'prompt':
    case 'branch':
    case 'tool':
    case 'http':
    case 'code':
    case 'template':
    case 'merge':
    case 'wait':
    case 'retrieve':
    case 'guard':
      return lastAnew(finding, step, () => true);
  }
}

/** A graph inside a node; of a review, its judge stands beside the nodes. */
function bodyAnew(finding: Finding, step: Step, part: Part): void {
  finding.reopened.add(step.id);
  if (!partAnew(finding, step, part)) lastAnew(finding, step, isNear);
}

function workflowAnew(finding: Finding, step: Step): void {
  const [definition] = childrenOf(finding, step);
  const graph = definition && Graph.safeParse(finding.inner(definition)).data;
  if (graph) partAnew(finding, step, graph);
  else if (definition && hasFailed(definition)) drop(finding, definition);
}

/** What is tried again is in a step of its own; the last counts. */
function lastTry(finding: Finding, step: Step): Step {
  const last = childrenOf(finding, step).findLast(({ key }) => /^~\d+$/.test(key));
  if (!last || !hasFailed(last)) return step;
  finding.reopened.add(last.id);
  return last;
}

/** The last thing that was done in a step, without what is inside of what came to a good end. */
function lastAnew(finding: Finding, step: Step, isSought: (leaf: Step, within: Step) => boolean): void {
  const leaves: Step[] = [];
  const open = [step];
  for (const within of open)
    for (const child of childrenOf(finding, within)) {
      if (isComposite(child)) {
        if (hasFailed(child) && isSought(child, step)) open.push(child);
      } else if (isSought(child, step)) leaves.push(child);
    }
  for (const leaf of leaves) if (isCutOff(leaf)) reopen(finding, leaf, step);
  const last = leaves.toSorted((a, b) => (a.openedSeq ?? 0) - (b.openedSeq ?? 0)).at(-1);
  if (!last || isCutOff(last) || !mayBeDoneAgain(last)) return;
  drop(finding, last);
  reopen(finding, stepOf(finding.tree, last.parent), step);
}

/** Only what is done in the step itself: what stands deeper are nodes, which are looked at by themselves. */
function isNear(leaf: Step, within: Step): boolean {
  return leaf.parent === within.id && !isComposite(leaf);
}

/** What failed, or what only says something. What has happened and happens once stays. */
function mayBeDoneAgain({ status, kind, effect, call }: Step): boolean {
  if (status === 'failed' || status === 'skipped') return true;
  return (kind === 'turn' || kind === 'ask') && (call?.effect ?? effect) !== 'once';
}

function reopen({ tree, reopened }: Finding, from: Step, until: Step): void {
  for (let at = from; at.id !== until.id && at.id !== 0; at = stepOf(tree, at.parent)) reopened.add(at.id);
}

function drop(finding: Finding, step: Step): void {
  const all = [step];
  for (const one of all) {
    finding.dropped.add(one.id);
    all.push(...childrenOf(finding, one), ...one.superseded.map((id) => stepOf(finding.tree, id)));
  }
}

function childrenOf({ tree }: Finding, { children }: Step): Step[] {
  return children.map((id) => stepOf(tree, id));
}

const leafKinds: ReadonlySet<string> = new Set(['turn', 'call', 'ask', 'definition']);

/** A node may be called wait, too: what waits has a time. */
function isComposite({ kind, until }: Step): boolean {
  return !leafKinds.has(kind) && !(kind === 'wait' && until !== undefined);
}

function hasFailed(step: Step): boolean {
  return step.status === 'failed' || isCutOff(step);
}

/** Nobody knows how far it came. */
function isCutOff(step: Step): boolean {
  return step.status === 'abandoned' || step.status === 'stopped' || isOpen(step);
}
