// An interpreter of graphs without durability: the rules of docs/spec/workflows.md once more, one node after the other.
import { readExpression } from '../../src/graph/expression.ts';
import { readTemplates } from '../../src/graph/template.ts';
import type { Json } from '../../src/run/values.ts';
import type { Decide } from './decided.ts';
import { echo, judged } from './random-world.ts';
import { leafGraph, type DrawnGraph, type DrawnNode, type DrawnPart } from './random-graph.ts';

type End = { readonly port: string; readonly output: Json; readonly error?: Json } | 'skipped';
type Ends = Map<string, End>;
type Names = Readonly<Record<string, Json>>;

interface Sees {
  readonly names: Names;
  readonly nodes: Readonly<Record<string, Json>>;
}

class Broken extends Error {}

export interface Reference {
  readonly answer: string | undefined;
  /** How often a failure ended a graph: from there on what else was done depends on time. */
  readonly breaks: number;
}

export function interpret(graph: DrawnGraph, input: Json, decide: Decide): Reference {
  const reading = new Reading(decide);
  try {
    return { answer: reading.whole(graph, input), breaks: reading.breaks };
  } catch (thrown) {
    if (!(thrown instanceof Broken)) throw thrown;
    return { answer: undefined, breaks: reading.breaks };
  }
}

class Reading {
  readonly #decide: Decide;
  breaks = 0;

  constructor(decide: Decide) {
    this.#decide = decide;
  }

  whole(graph: DrawnGraph, input: Json): string {
    const ends = this.#part(graph, { names: { input }, nodes: {} });
    const end = graph.nodes.find(({ id, type }) => type === 'end' && ends.get(id) !== 'skipped');
    if (!end) throw this.#broken('no end');
    const { output } = ends.get(end.id) as Exclude<End, 'skipped'>;
    return typeof output === 'string' ? output : JSON.stringify(output);
  }

  #broken(why: string): Broken {
    this.breaks += 1;
    return new Broken(why);
  }

  /** The drawn order is one in which each comes after those that lead to it. */
  #part(part: DrawnPart, sees: Sees, given: { only?: ReadonlySet<string>; ends?: Ends } = {}): Ends {
    const ends: Ends = new Map(given.ends);
    for (const node of part.nodes) {
      if (given.only && !given.only.has(node.id)) continue;
      const into = part.edges.filter(({ to }) => to === node.id);
      const taken = into.filter(({ from, port = 'done' }) => portOf(ends.get(from)) === port);
      if (into.length > 0 && taken.length === 0) ends.set(node.id, 'skipped');
      else this.#settle(node, { part, ends, taken: [...new Set(taken.map(({ from }) => from))], sees });
    }
    return ends;
  }

  #settle(node: DrawnNode, at: Omit<At, 'node'>): void {
    const { part, ends } = at;
    try {
      ends.set(node.id, this.#node({ ...at, node }));
    } catch (thrown) {
      if (!(thrown instanceof Broken)) throw thrown;
      if (!part.edges.some(({ from, port }) => from === node.id && port === 'failed')) throw thrown;
      ends.set(node.id, {
        port: 'failed',
        output: null,
        error: { code: 'unavailable', message: 'It is down.' },
      });
    }
  }

  #node(at: At): Exclude<End, 'skipped'> {
    const { node } = at;
    switch (node.type) {
      case 'branch': {
        const [only] = node['cases'] as readonly { port: string; when: string }[];
        const port = only && expression(at, only.when) === true ? only.port : 'otherwise';
        return { port, output: port };
      }
      case 'human':
        return this.#question(at);
      case 'loop':
        return this.#loop(at);
      case 'review':
        return this.#review(at);
      case 'map': {
        const items = expression(at, node['items'] as string) as Json[];
        return { port: 'done', output: items.map((item, index) => this.#branch(at, { item, index })) };
      }
      case 'failsafe':
        return { port: 'done', output: this.#safe(at) };
      case 'tool':
        if (node['tool'] === 'break') throw this.#broken('It is down.');
        return { port: 'done', output: { noted: fill(at, 'arguments') } };
      case 'workflow':
        return { port: 'done', output: new Reading(this.#decide).whole(leafGraph, fill(at, 'input')) };
      default:
        return { port: 'done', output: outputOf(at) };
    }
  }

  #review(at: At): Exclude<End, 'skipped'> {
    let last: { value: Json; confidence: number; feedback: string } | null = null;
    for (let index = 0; index < (at.node['max'] as number); index += 1) {
      const value = this.#body(at, 'body', { index, last });
      last = { value, ...judged(text(value)) };
      if (last.confidence >= 0.8) return { port: 'done', output: last };
    }
    return { port: 'unsure', output: last };
  }

  #safe(at: At): Json {
    try {
      return this.#body(at, 'body', {});
    } catch (thrown) {
      if (!(thrown instanceof Broken)) throw thrown;
      return this.#body(at, 'fallback', { error: null });
    }
  }

  #branch(at: At, names: Names): Json {
    try {
      return this.#body(at, 'body', names);
    } catch (thrown) {
      if (!(thrown instanceof Broken) || at.node['keepGoing'] !== true) throw thrown;
      return null;
    }
  }

  #loop(at: At): Exclude<End, 'skipped'> {
    const {
      over,
      until,
      times,
      max = times,
    } = at.node as { over?: string; until?: string; times?: number; max?: number };
    const items = over === undefined ? undefined : (expression(at, over) as Json[]);
    const wanted = items?.length ?? times ?? Infinity;
    const all: Json[] = [];
    let last: Json = null;
    let isOver = wanted === 0;
    for (let index = 0; index < Math.min(wanted, max ?? 100) && !isOver; index += 1) {
      last = this.#body(at, 'body', { index, last, ...(items ? { item: items[index] ?? null } : {}) });
      all.push(last);
      isOver = until === undefined ? all.length === wanted : expression(at, until, { index, last }) === true;
    }
    return {
      port: isOver ? 'done' : 'exhausted',
      output: { rounds: all.length, last, ...(items ? { all } : {}) },
    };
  }

  #body(at: At, field: 'body' | 'fallback', names: Names): Json {
    const part = at.node[field] as DrawnPart;
    const ends = this.#part(part, {
      names: { ...at.sees.names, ...names },
      nodes: { ...at.sees.nodes, ...seen(at.ends) },
    });
    const last = part.nodes.flatMap(({ id }): [string, Json][] => {
      const end = ends.get(id);
      if (end === undefined || end === 'skipped' || end.error !== undefined) return [];
      const goesOn = part.edges.some(({ from, port = 'done' }) => from === id && port === end.port);
      return goesOn ? [] : [[id, end.output]];
    });
    const [only] = last;
    return last.length === 1 && only ? only[1] : last.length === 0 ? null : Object.fromEntries(last);
  }

  #question(at: At): Exclude<End, 'skipped'> {
    const { node, part } = at;
    for (let round = 1; ; round += 1) {
      const shown = fill(at, 'shows');
      const mayRedo = round <= 5 && node['redo'] !== undefined;
      const { decision, redo, value } = this.#decide({
        title: node.id,
        shown,
        mayRedo,
        mayExpire: node['expiresIn'] !== undefined,
      });
      if (!redo) {
        const port = { approve: 'approved', edit: 'approved', reject: 'rejected', expire: 'expired' }[
          decision
        ];
        const isConnected = part.edges.some((edge) => edge.from === node.id && edge.port === port);
        if (port !== 'approved' && !isConnected) throw this.#broken(`${node.id} ${decision}`);
        const by = decision === 'expire' ? 'clock' : 'ann';
        const given = decision === 'approve' ? shown : decision === 'edit' ? value : null;
        return { port, output: { decision, by, value: given, rationale: null } };
      }
      const from = (node['redo'] as string[])[0] ?? '';
      const only = between(part, from, node.id);
      const ends = new Map([...at.ends].filter(([id]) => !only.has(id)));
      const names = { ...at.sees.names, edits: value };
      for (const [id, end] of this.#part(part, { ...at.sees, names }, { only, ends })) at.ends.set(id, end);
    }
  }
}

interface At {
  readonly node: DrawnNode;
  readonly part: DrawnPart;
  readonly ends: Ends;
  readonly taken: readonly string[];
  readonly sees: Sees;
}

/** What the simple ones give. */
function outputOf(at: At): Json {
  const { node } = at;
  switch (node.type) {
    case 'start':
      return at.sees.names['input'] ?? null;
    case 'end':
      return fill(at, 'output');
    case 'template':
      return fill(at, 'value');
    case 'http':
      return { method: node['method'] as Json, path: node['path'] as Json };
    case 'code':
      return fill(at, 'input');
    case 'retrieve':
      return [{ title: 'Result', text: JSON.stringify({ query: text(fill(at, 'query')).slice(0, 500) }) }];
    case 'guard':
      return text(fill(at, 'text'));
    case 'wait':
      return null;
    case 'team':
      return echo(text(fill(at, 'message')));
    case 'prompt':
    case 'agent': {
      const said = echo(text(fill(at, 'message')));
      return node['answer'] === undefined ? said : (JSON.parse(said) as Json);
    }
    case 'merge':
      return mergeOf(at);
    default:
      throw new Error(`the reference does not know ${node.type}`);
  }
}

function mergeOf({ node, taken, ends }: At): Json {
  if (node['first'] === true) return null;
  const found = taken.flatMap((id): [string, Json][] => {
    const end = ends.get(id);
    return end === undefined || end === 'skipped' || end.port === 'failed' ? [] : [[id, end.output]];
  });
  const values = found.map(([, value]) => value);
  const joined = values.map(text).join('\n\n---\n\n');
  if (node['how'] === 'list') return values;
  if (node['how'] === 'text') return joined;
  return node['how'] === 'agent' ? echo(joined) : Object.fromEntries(found);
}

function between({ edges }: DrawnPart, from: string, to: string): ReadonlySet<string> {
  const found = new Set([from]);
  for (const id of found) if (id !== to) for (const edge of edges) if (edge.from === id) found.add(edge.to);
  found.delete(to);
  return found;
}

function portOf(end: End | undefined): string | undefined {
  return end === undefined || end === 'skipped' ? undefined : end.port;
}

function seen(ends: Ends): Record<string, Json> {
  return Object.fromEntries(
    [...ends].map(([id, end]) => [id, end === 'skipped' ? { port: null, output: null } : { ...end }]),
  );
}

function contextOf({ sees, ends }: At): Record<string, Json> {
  return { ...sees.names, nodes: { ...sees.nodes, ...seen(ends) } };
}

function fill(at: At, field: string): Json {
  return readTemplates((at.node[field] ?? null) as Json).fill(contextOf(at));
}

function expression(at: At, source: string, names: Names = {}): Json {
  return readExpression(source).evaluate({ ...contextOf(at), ...names });
}

function text(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
