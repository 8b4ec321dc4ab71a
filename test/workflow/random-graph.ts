// Graphs drawn from a seed: every type of node, five levels, joins after any port, questions anywhere.
import { problemsIn } from '../../src/graph/validate.ts';
import type { Json } from '../../src/run/values.ts';
import { Chance } from '../random.ts';

export interface DrawnNode {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}
export interface DrawnPart {
  readonly nodes: DrawnNode[];
  readonly edges: { from: string; to: string; port?: string }[];
}
export interface DrawnGraph extends DrawnPart {
  readonly name: string;
}

/** What `workflow` nodes call. */
export const leafGraph: DrawnGraph = {
  name: 'leaf',
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'inside', type: 'tool', tool: 'note', arguments: { leaf: '{{input.n}}' } },
    { id: 'end', type: 'end', output: '{{nodes.inside.output}} of leaf' },
  ],
  edges: [
    { from: 'start', to: 'inside' },
    { from: 'inside', to: 'end' },
  ],
};

const levels = 5;

/** How long is waited for something. Seconds. */
export interface Pace {
  readonly waits: readonly [number, number];
  readonly pause: number;
  readonly expires: number;
}
const leisurely: Pace = { waits: [5, 30], pause: 20, expires: 60 };
/** Where time really passes; nothing expires there. */
export const brisk: Pace = { waits: [0.05, 0.2], pause: 0.1, expires: 36_000 };

export function drawGraph(seed: number, pace = leisurely): DrawnGraph {
  for (let tries = 0; ; tries += 1) {
    const drawn = new Drawing(seed * 1_000 + tries, pace).graph();
    const problems = problemsIn(drawn as unknown as Json).filter(({ field }) => !field.startsWith('limits'));
    if (problems.length === 0) return drawn;
    // Only a `redo` that others have used is drawn wrongly: another one is drawn.
    const isUsed = problems.every(({ field }) => field === 'redo');
    if (!isUsed || tries > 100) throw new Error(`seed ${seed}: ${JSON.stringify(problems[0])}`);
  }
}

class Drawing {
  readonly #chance: Chance;
  readonly #pace: Pace;
  #ids = 0;
  #containers = 0;

  constructor(seed: number, pace: Pace) {
    this.#chance = new Chance(seed);
    this.#pace = pace;
  }

  graph(): DrawnGraph {
    const { nodes, edges } = this.#part(1);
    const free = nodes.filter(({ id }) => !edges.some(({ to }) => to === id));
    const told = nodes.filter((node) => !isUncertain(node));
    const output = Object.fromEntries(told.map(({ id }) => [id, `{{nodes.${id}}}`]));
    const end = { id: 'end', type: 'end', output };
    return {
      name: `g${this.#chance.between(1, 9)}`,
      nodes: [{ id: 'start', type: 'start' }, ...nodes, end],
      edges: [
        ...free.map(({ id }) => ({ from: 'start', to: id })),
        ...edges,
        ...nodes
          .filter(({ type }) => type !== 'start')
          .flatMap((node) => this.#out(node).map((port) => ({ from: node.id, port, to: 'end' }))),
      ],
    };
  }

  #part(level: number): DrawnPart {
    const part: DrawnPart = { nodes: [], edges: [] };
    const count = level === 1 ? this.#chance.between(4, 6) : this.#chance.between(1, 3);
    for (let i = 0; i < count; i += 1) this.#add(part, level);
    return part;
  }

  #add(part: DrawnPart, level: number): void {
    const { nodes, edges } = part;
    const known = nodes.filter((node) => !isUncertain(node));
    const sources = this.#chance.shuffle(known).slice(0, this.#chance.between(known.length === 0 ? 0 : 1, 2));
    const node = this.#node(part, level, sources);
    for (const source of sources)
      edges.push({ from: source.id, port: this.#chance.pick(this.#out(source)), to: node.id });
    nodes.push(node);
    if (!isUncertain(node)) return;
    // What depends on who was first, or on why something failed, is seen by nobody.
    const seal = { id: this.#id(), type: 'template', value: `{{nodes.${node.id}.port}}` };
    nodes.push(seal);
    edges.push({ from: node.id, to: seal.id });
  }

  /** The ports a node may be left by. */
  #out({ type, ...node }: DrawnNode): readonly string[] {
    switch (type) {
      case 'branch':
        return ['yes', 'otherwise'];
      case 'human':
        return ['approved', 'rejected', ...(node['expiresIn'] === undefined ? [] : ['expired'])];
      case 'loop':
        return ['done', 'exhausted'];
      case 'review':
        return ['done', 'unsure'];
      case 'tool':
        return node['tool'] === 'break' ? ['failed'] : ['done'];
      default:
        return ['done'];
    }
  }

  #id(): string {
    this.#ids += 1;
    return `n${this.#ids}`;
  }

  /** Whether a question is withdrawn that lost to another path depends on time: what leads to who was first asks nobody. */
  #comesAfterQuestion({ nodes, edges }: DrawnPart, sources: readonly DrawnNode[]): boolean {
    const before = new Set(sources.map(({ id }) => id));
    for (const id of before) for (const { from, to } of edges) if (to === id) before.add(from);
    return nodes.some((node) => before.has(node.id) && hasQuestion(node));
  }

  #node(part: DrawnPart, level: number, sources: readonly DrawnNode[]): DrawnNode {
    const chance = this.#chance;
    const id = this.#id();
    const seen = sources.map((source) => `nodes.${source.id}.output`);
    const value = seen.length === 0 ? `{{input.n}} ${id}` : `{{${chance.pick(seen)}}}`;
    const mayNest =
      level < levels && this.#containers < 6 && chance.next() < (this.#containers < levels - 1 ? 0.45 : 0.2);
    if (mayNest) {
      this.#containers += 1;
      return this.#container(level, id);
    }
    const isFree = !this.#comesAfterQuestion(part, sources);
    const draw = { ...this.#asking(value, sources), ...this.#doing(id, value, isFree ? sources.length : 0) };
    const type = sources.length > 1 && chance.next() < 0.5 ? 'merge' : chance.pick(Object.keys(draw));
    return { id, type, ...draw[type]?.() };
  }

  #asking(value: string, sources: readonly DrawnNode[]): Readonly<Record<string, () => object>> {
    const chance = this.#chance;
    const answer = { type: 'object' };
    return {
      prompt: () => ({
        agent: 'echo',
        message: `Say ${value}`,
        ...(chance.next() < 0.5 ? { answer, system: 'Be brief.' } : {}),
      }),
      agent: () => ({ agent: 'echo', message: `Do ${value}`, ...(chance.next() < 0.3 ? { answer } : {}) }),
      team: () => ({ message: `Together ${value}`, settings: {} }),
      human: () => ({
        shows: value,
        allowed: ['edit'],
        ...(chance.next() < 0.3 ? { expiresIn: this.#pace.expires } : {}),
        ...(sources[0] && chance.next() < 0.5 ? { redo: [sources[0].id] } : {}),
      }),
    };
  }

  #doing(id: string, value: string, sources: number): Readonly<Record<string, () => object>> {
    const chance = this.#chance;
    const retry = { times: 1, pause: this.#pace.pause };
    return {
      template: () => ({ value: { of: value, n: chance.between(1, 9) } }),
      tool: () =>
        chance.next() < 0.25
          ? { tool: 'break', arguments: {}, ...(chance.next() < 0.5 ? { retry } : {}) }
          : { tool: 'note', arguments: { id, value } },
      branch: () => ({ cases: [{ port: 'yes', when: `input.n % 2 == ${chance.between(0, 1)}` }] }),
      wait: () => ({ for: chance.pick(this.#pace.waits) }),
      merge: () =>
        chance.next() < 0.4 && sources > 1
          ? { first: true }
          : { how: chance.pick(['object', 'list', 'text', 'agent']), agent: 'echo' },
      http: () => ({ connection: 'x', method: chance.pick(['GET', 'PUT']), path: `p/${id}` }),
      code: () => ({ code: 'input', input: value }),
      guard: () => ({
        text: `pass ${value}`,
        settings: [{ guard: 'rules', text: 'BLOCK: nobody says this' }],
      }),
      retrieve: () => ({ query: `find ${value}` }),
      workflow: () => ({ workflow: 'leaf', input: { n: '{{input.n}}' } }),
    };
  }

  #container(level: number, id: string): DrawnNode {
    const chance = this.#chance;
    const body = this.#part(level + 1);
    switch (chance.pick(['loop', 'map', 'review', 'failsafe'])) {
      case 'loop': {
        const how = chance.pick([
          { times: 2 },
          { over: 'input.list', max: chance.between(1, 3) },
          { until: 'index == 1', max: chance.between(1, 3) },
        ]);
        return { id, type: 'loop', body, ...how };
      }
      case 'map':
        return {
          id,
          type: 'map',
          items: 'input.list',
          atOnce: chance.between(1, 3),
          max: 3,
          keepGoing: chance.next() < 0.5,
          body,
        };
      case 'review':
        return { id, type: 'review', judge: 'judge', max: 2, body };
      default: {
        const breaks = chance.next() < 0.5;
        const { nodes, edges } = body;
        if (breaks) nodes.push({ id: this.#id(), type: 'tool', tool: 'break', arguments: {} });
        return { id, type: 'failsafe', body: { nodes, edges }, fallback: this.#part(levels) };
      }
    }
  }
}

function hasQuestion({ type, body, fallback }: DrawnNode): boolean {
  const parts = [body, fallback].filter((part) => part !== undefined) as DrawnPart[];
  return type === 'human' || parts.some(({ nodes }) => nodes.some(hasQuestion));
}

/** Whether what it gives depends on when it was, who was first, or which of several failures was told. */
function isUncertain({ type, first, keepGoing }: DrawnNode): boolean {
  if (type === 'wait') return true;
  return (type === 'merge' && first === true) || (type === 'map' && keepGoing === true);
}
