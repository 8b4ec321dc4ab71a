// What graphs that were drawn have in them.
import { drawGraph, type DrawnPart } from './random-graph.ts';

/** All types of nodes there are. */
const nodeTypes = [
  'start',
  'end',
  'agent',
  'team',
  'prompt',
  'branch',
  'loop',
  'map',
  'review',
  'human',
  'tool',
  'http',
  'code',
  'template',
  'failsafe',
  'merge',
  'wait',
  'workflow',
  'retrieve',
  'guard',
] as const;

/** Ports behind which a path may be dead. */
const ways = ['branch.yes', 'branch.otherwise', 'human.approved', 'human.rejected', 'human.expired'].concat([
  'loop.done',
  'loop.exhausted',
  'review.done',
  'review.unsure',
  'tool.failed',
]);

export class Coverage {
  readonly #types = new Set<string>();
  /** Ports that lead to a node to which something else leads too. */
  readonly #joined = new Set<string>();
  readonly counts = { levels: 0, joins: 0, inLoops: 0, inMaps: 0 };

  /** Types of nodes that none had. */
  get missing(): readonly string[] {
    return nodeTypes.filter((type) => !this.#types.has(type));
  }

  /** Ports that led to no join. */
  get unjoined(): readonly string[] {
    return ways.filter((way) => !this.#joined.has(way));
  }

  look({ nodes, edges }: DrawnPart, level = 1, within: readonly string[] = []): void {
    this.counts.levels = Math.max(this.counts.levels, level);
    const types = new Map(nodes.map(({ id, type }) => [id, type]));
    for (const node of nodes) {
      this.#types.add(node.type);
      const into = edges.filter(({ to }) => to === node.id);
      const joined = into.map(({ from, port = 'done' }) => `${types.get(from)}.${port}`);
      const dead = joined.filter((way) => ways.includes(way));
      if (into.length > 1 && node.type !== 'end' && dead.length > 0) {
        this.counts.joins += 1;
        for (const way of dead) this.#joined.add(way);
      }
      if (node.type === 'human' && within.includes('loop')) this.counts.inLoops += 1;
      if (node.type === 'human' && within.includes('map')) this.counts.inMaps += 1;
      for (const field of ['body', 'fallback'])
        if (node[field] !== undefined) this.look(node[field] as DrawnPart, level + 1, [...within, node.type]);
    }
  }
}

/** So many graphs from a seed on, and further ones while more ways than these lead to no join: some are drawn seldom. */
export function seedsFrom(first: number, graphs: number, unjoined: number): readonly number[] {
  const coverage = new Coverage();
  const seeds: number[] = [];
  for (let seed = first; seeds.length < graphs || coverage.unjoined.length > unjoined; seed += 1) {
    coverage.look(drawGraph(seed));
    seeds.push(seed);
  }
  return seeds;
}
