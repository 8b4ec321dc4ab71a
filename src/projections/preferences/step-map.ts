import type { StepId } from '../../run/events.ts';

const bits = 5;
const width = 1 << bits;

/**
 * A map from step ids, as a value: a change makes a new map that shares nearly all of the old one. A state that is kept
 * at some cursor costs next to nothing, and no change costs more because many steps are open.
 */
export interface StepMap<T> {
  readonly height: number;
  readonly root: Node<T>;
}

interface Leaf<T> {
  readonly values: readonly (T | undefined)[];
}

interface Branch<T> {
  readonly nodes: readonly (Node<T> | undefined)[];
}

type Node<T> = Leaf<T> | Branch<T>;

export function emptyMap<T>(): StepMap<T> {
  return { height: 0, root: { values: [] } };
}

export function valueAt<T>({ height, root }: StepMap<T>, id: StepId): T | undefined {
  if (id >= width ** (height + 1)) return undefined;
  let node: Node<T> | undefined = root;
  for (let level = height; node && 'nodes' in node; level -= 1) node = node.nodes[slot(id, level)];
  return node?.values[id % width];
}

export function withValue<T>(map: StepMap<T>, id: StepId, value: T): StepMap<T> {
  let { height, root } = map;
  for (; id >= width ** (height + 1); height += 1) root = { nodes: [root] };
  return { height, root: placed(root, { id, level: height }, value) };
}

export function withoutValue<T>(map: StepMap<T>, id: StepId): StepMap<T> {
  if (valueAt(map, id) === undefined) return map;
  return { height: map.height, root: removed(map.root, id, map.height) ?? emptyMap<T>().root };
}

interface Place {
  readonly id: StepId;
  readonly level: number;
}

function placed<T>(node: Node<T> | undefined, { id, level }: Place, value: T): Node<T> {
  if (level === 0) {
    const values = node && 'values' in node ? node.values.slice() : [];
    return { values: put(values, id % width, value) };
  }
  const nodes = node && 'nodes' in node ? node.nodes.slice() : [];
  const at = slot(id, level);
  return { nodes: put(nodes, at, placed(nodes[at], { id, level: level - 1 }, value)) };
}

/** Without what is empty: a run with a million steps, most of them closed, keeps only those that are open. */
function removed<T>(node: Node<T>, id: StepId, level: number): Node<T> | undefined {
  if ('values' in node) {
    const values = put(node.values.slice(), id % width, undefined);
    return values.every((value) => value === undefined) ? undefined : { values };
  }
  const at = slot(id, level);
  const below = node.nodes[at];
  const nodes = put(node.nodes.slice(), at, below && removed(below, id, level - 1));
  return nodes.every((each) => each === undefined) ? undefined : { nodes };
}

/** Filled up to the place: an array with holes is slower to read and to copy. */
function put<T>(values: (T | undefined)[], at: number, value: T | undefined): (T | undefined)[] {
  while (values.length < at) values.push(undefined);
  values[at] = value;
  return values;
}

function slot(id: StepId, level: number): number {
  return Math.floor(id / width ** level) % width;
}
