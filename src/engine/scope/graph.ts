import type { StepId } from '../../run/events.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { type Step, present } from '../../run/tree.ts';
import { composite } from './composite.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import { planSteps, skipPlanned } from './plan.ts';
import { isSkipped } from '../recovery/recorded.ts';
import type { Before, Node, Nodes, Outcomes, Scope, Settled, StepOptions } from '../scope.ts';

interface Drawn<T> {
  readonly nodes: Nodes<T>;
  /** The scope of a step, as the flow gets it. */
  readonly inside: (step: Step) => Scope;
  /** Is told how those ended that have, each time one has. */
  readonly heed?: ((settled: Before) => void) | undefined;
}

/**
 * Named steps of one scope, each begun when those it comes after are settled. What is recalled settles sooner than it did,
 * so nodes are come to in another order than they were recorded in: among them, order says nothing.
 */
export async function runGraph<T extends Record<string, unknown>>(
  execution: Execution,
  parent: StepId,
  { nodes, inside, heed }: Drawn<T>,
): Promise<Outcomes<T>> {
  const drawn = new Map<string, Node<unknown>>(Object.entries(nodes));
  const order = inOrder(drawn);
  const among = new Set(drawn.keys());
  while (execution.isGated) await execution.gate();
  planSteps(
    execution,
    parent,
    [...drawn].map(([key, { title = key, kind = 'step' }]) => ({ key, title, kind })),
  );
  const settled = new Map<string, Promise<Settled>>();
  const whyEnded = failedIn(execution, parent, drawn);
  const settle = async (key: string, node: Node<unknown>): Promise<Settled> => {
    const { after = [], kind = 'step', over } = node;
    const before = await (node.soon ? firstOf(node, settled) : allOf(after, settled));
    const place = { ...looksOf(node), kind, key, parent, among, over };
    return settleNode(execution, place, {
      why: () => whyEnded() ?? node.unless?.(before),
      work: (step) => node.run(inside(step), before),
    });
  };
  const ended: Record<string, Settled> = {};
  const told = async (key: string, node: Node<unknown>): Promise<Settled> => {
    const end = await settle(key, node);
    ended[key] = end;
    heed?.({ ...ended });
    return end;
  };
  for (const [key, node] of order) settled.set(key, heed ? told(key, node) : settle(key, node));
  await Promise.allSettled(settled.values());
  return (await allOf([...drawn.keys()], settled)) as Outcomes<T>;
}

function looksOf({ title, icon, agent, query, reasoning, within }: Node<unknown>): Omit<StepOptions, 'key'> {
  return present({ title, icon, agent, query, reasoning, within });
}

interface Work {
  readonly why: () => string | undefined;
  readonly work: (step: Step) => Promise<unknown>;
}

async function settleNode(
  execution: Execution,
  place: Parameters<typeof composite>[1],
  { why, work }: Work,
): Promise<Settled> {
  const { parent, key } = place;
  const known = execution.recorded.child(parent, key);
  while (execution.isGated) await execution.gate();
  if (!execution.isLive || execution.deadlines.hasCut(parent)) return forever();
  const reason = known && known.status !== 'pending' ? whyRecorded(known) : why();
  if (reason !== undefined) {
    skipPlanned(execution, parent, { key, reason });
    return { outcome: 'skipped', reason };
  }
  try {
    return { outcome: 'completed', result: await composite(execution, place, work) };
  } catch (thrown) {
    const failure = failureOf(thrown);
    const isOver = execution.recorded.child(parent, key)?.status === 'skipped';
    return isOver ? { outcome: 'skipped', reason: failure.message } : { outcome: 'failed', failure };
  }
}

/** What was recorded holds: what is recalled settles sooner than it did, and another reason could be there by now. */
function whyRecorded(known: Step): string | undefined {
  return isSkipped(known) ? (known.failure?.message ?? '') : undefined;
}

/** Why nothing more begins, as the journal has it: what is asked after a recovery must not find less. */
function failedIn(
  { recorded }: Execution,
  parent: StepId,
  nodes: ReadonlyMap<string, Node<unknown>>,
): () => string | undefined {
  const vital = [...nodes].flatMap(([key, node]) => (node.vital ? (recorded.child(parent, key) ?? []) : []));
  return () => {
    const failed = vital.find(({ status }) => status === 'failed');
    return failed && `«${failed.title}» failed.`;
  };
}

/** As soon as a node wants to begin, or when all are settled. */
async function firstOf(node: Node<unknown>, settled: ReadonlyMap<string, Promise<Settled>>): Promise<Before> {
  const found: Record<string, Settled> = {};
  const { promise, resolve } = Promise.withResolvers<void>();
  const each = (node.after ?? []).map(async (key) => {
    const one = await settled.get(key);
    if (one) found[key] = one;
    if (node.soon?.(found)) resolve();
  });
  await Promise.race([promise, Promise.all(each)]);
  return { ...found };
}

async function allOf(
  keys: readonly string[],
  settled: ReadonlyMap<string, Promise<Settled>>,
): Promise<Before> {
  const found: Record<string, Settled> = {};
  for (const key of keys) {
    const one = await settled.get(key);
    if (one) found[key] = one;
  }
  return found;
}

/** Those that come after others behind them; what cannot be put in order is refused before anything is shown. */
function inOrder(nodes: ReadonlyMap<string, Node<unknown>>): ReadonlyMap<string, Node<unknown>> {
  const placed = new Map<string, Node<unknown>>();
  for (const [key, { after = [] }] of nodes) {
    const stranger = after.find((name) => !nodes.has(name));
    if (stranger !== undefined)
      throw new RunError('malformed', `«${key}» comes after «${stranger}», which is not in the graph.`);
  }
  for (let size = -1; placed.size > size;) {
    size = placed.size;
    for (const [key, node] of nodes)
      if (!placed.has(key) && (node.after ?? []).every((name) => placed.has(name))) placed.set(key, node);
  }
  const circle = [...nodes.keys()].filter((key) => !placed.has(key));
  if (circle.length > 0)
    throw new RunError(
      'malformed',
      `These wait for each other, so none can begin: «${circle.join('», «')}».`,
    );
  return placed;
}
