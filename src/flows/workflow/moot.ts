import type { Before } from '../../engine/scope.ts';
import { bodiesOf, portsOf, type GraphNode, type Part } from '../../graph/graph.ts';
import { isConnected, orderOf } from './edges.ts';

/** Why a question is not asked, or asked no more. */
export const mootReason = 'Another path was first, and nothing comes of the answer any more.';

/**
 * Whether nothing can come of a question, or of what asks inside, any more: it leads to a merge that has taken another path, and whatever else it leads to
 * is settled, does nothing by itself, or is an end after one that was reached. What acts is needed: the others go on.
 */
function isMoot(part: Part, question: GraphNode, ended: Before): boolean {
  const ways = [question];
  const seen = new Set([question.id]);
  let hasLost = false;
  for (const node of ways) {
    if (isLastOfBody(part, node)) return false;
    for (const next of part.nodes) {
      if (!orderOf(part).get(next.id)?.includes(node.id)) continue;
      if (ended[next.id]) hasLost ||= isFirst(next);
      else if (isNeeded(part, next, ended)) return false;
      else if (!seen.has(next.id)) {
        seen.add(next.id);
        ways.push(next);
      }
    }
  }
  return hasLost;
}

function isFirst(node: GraphNode): boolean {
  return node.type === 'merge' && node.first === true;
}

/** What it gives may be what its body gives. */
function isLastOfBody(part: Part, node: GraphNode): boolean {
  if (part.nodes.some(({ type }) => type === 'start')) return false;
  const ports = node.type === 'human' ? ['approved'] : portsOf(node).filter((port) => port !== 'failed');
  return ports.some((port) => !isConnected(part, node.id, port));
}

function isNeeded({ nodes }: Part, node: GraphNode, ended: Before): boolean {
  if (node.type !== 'end') return isActing(node);
  const before = nodes.slice(0, nodes.indexOf(node));
  return !before.some(({ id, type }) => type === 'end' && ended[id]?.outcome === 'completed');
}

/** What may be withdrawn: a question, or what does nothing but ask. */
function isAsking(node: GraphNode): boolean {
  return hasQuestion(node) && !isActing(node);
}

function hasQuestion(node: GraphNode): boolean {
  return node.type === 'human' || bodiesOf(node).some(({ part }) => part.nodes.some(hasQuestion));
}

/** Whether it, or something inside it, does more than to ask, to wait and to reckon. */
function isActing(node: GraphNode): boolean {
  switch (node.type) {
    case 'template':
    case 'branch':
    case 'wait':
    case 'human':
      return false;
    case 'merge':
      return node.how === 'agent';
    case 'loop':
    case 'map':
    case 'failsafe':
      return bodiesOf(node).some(({ part }) => part.nodes.some(isActing));
    case 'start':
    case 'end':
    case 'agent':
    case 'team':
    case 'prompt':
    case 'review':
    case 'tool':
    case 'http':
    case 'code':
    case 'workflow':
    case 'retrieve':
    case 'guard':
      return true;
  }
}

/** Tells the questions of one graph, and what only asks, when nothing can come of them any more. */
export class Moot {
  readonly #part: Part;
  readonly #waiting = new Map<GraphNode, PromiseWithResolvers<string>>();
  #ended: Before = {};
  #hasFirst = false;

  constructor(part: Part) {
    this.#part = part;
  }

  /** Whether anything in it may be: where no merge takes the first, all is needed. */
  static isIn({ nodes }: Part): boolean {
    return nodes.some(isFirst) && nodes.some(isAsking);
  }

  heed(ended: Before): void {
    this.#ended = ended;
    this.#hasFirst ||= this.#part.nodes.some((node) => isFirst(node) && ended[node.id] !== undefined);
    if (!this.#hasFirst) return;
    for (const [question, { resolve }] of this.#waiting)
      if (this.whyNot(question) !== undefined) resolve(mootReason);
  }

  whyNot(node: GraphNode): string | undefined {
    return this.#hasFirst && isAsking(node) && isMoot(this.#part, node, this.#ended) ? mootReason : undefined;
  }

  /** Resolves once it is; nothing where that cannot be. */
  of(question: GraphNode): Promise<string> | undefined {
    if (!isAsking(question)) return undefined;
    const known = this.#waiting.get(question) ?? Promise.withResolvers<string>();
    this.#waiting.set(question, known);
    if (this.whyNot(question) !== undefined) known.resolve(mootReason);
    return known.promise;
  }
}
