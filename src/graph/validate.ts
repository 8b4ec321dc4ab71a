import { deepest, isTooDeep } from '../run/depth.ts';
import { readAs, type Json } from '../run/values.ts';
import type { Name } from './expression.ts';
import { fieldsOf } from './fields.ts';
import { bodiesOf, Graph, portsOf, sizes, type Part } from './graph.ts';
import { nodeProblems } from './node-problems.ts';
import { circleIn, reachedFrom, settledBefore } from './order.ts';
import type { Known, Place } from './place.ts';
import { problemOf, type Problem } from './problem.ts';
import { redoProblems } from './redo.ts';
import { scheduleProblems } from './schedule.ts';
import { worstCase } from './worst-case.ts';

/** So many problems are told of a graph: whoever has more corrects these first. */
const mostTold = 200;

/**
 * Everything that is wrong with a graph; nothing, if it can be published. What does not fit its schema is told alone, and what
 * is too large is looked at no further: what a check costs is bounded by the sizes of a graph.
 */
export function problemsIn(given: Json, known: Known = {}): readonly Problem[] {
  const found: Problem[] = [];
  for (const problem of allIn(given, known)) {
    if (found.length === mostTold) return [...found, problemOf('many-problems', { node: '', field: '' })];
    found.push(problem);
  }
  return found;
}

function* allIn(given: Json, known: Known): Generator<Problem> {
  if (isTooDeep(given)) return yield large('', 'The graph is nested too deeply', deepest);
  const size = JSON.stringify(given).length;
  if (size > sizes.characters)
    return yield large('', `The graph has ${size} characters of JSON`, sizes.characters);
  const read = readAs(Graph, given);
  if (!read.fits) {
    for (const { path, message } of read.wrong)
      yield problemOf('schema', { node: nodeAt(given, path), field: path.join('.') }, { message });
    return;
  }
  const graph = read.value;
  const tooLarge = sizeProblems(graph);
  yield* tooLarge;
  if (tooLarge.length > 0) return;
  let isSound = true;
  for (const problem of foundIn(graph, known)) {
    isSound = false;
    yield problem;
  }
  if (isSound) yield* worstCase(graph, known.limits);
}

function* foundIn(graph: Graph, known: Known): Generator<Problem> {
  yield* startProblems(graph);
  yield* scheduleProblems(graph.schedules);
  for (const place of partsIn(graph)) yield* partProblems(place, known);
}

const everywhere: readonly Name[] = ['input', 'nodes', 'now'];
const inBody: Readonly<Record<string, readonly Name[]>> = {
  'loop.body': ['item', 'index', 'last'],
  'map.body': ['item', 'index'],
  'review.body': ['last', 'index'],
  'failsafe.fallback': ['error'],
};

/** The graph and all inside it, the outermost first. A list, not recursion: what is nested too deeply is still counted. */
function partsIn(graph: Graph): readonly Place[] {
  const places: Place[] = [
    { part: graph, level: 1, names: new Set([...everywhere, 'edits']), before: new Set(), within: '' },
  ];
  for (const { part, level, names, before } of places) {
    for (const node of part.nodes)
      for (const { field, part: body } of bodiesOf(node)) {
        const more = inBody[`${node.type}.${field}`] ?? [];
        const settled = new Set([...before, ...settledBefore(part, node.id)]);
        places.push({
          part: body,
          level: level + 1,
          names: new Set([...names, ...more]),
          before: settled,
          within: node.id,
        });
      }
  }
  return places;
}

/** Counted before anything else is looked at. */
function sizeProblems(graph: Graph): readonly Problem[] {
  const counts = { nodes: 0, edges: 0, levels: 0, expressions: 0 };
  const parts: { readonly part: Part; readonly level: number }[] = [{ part: graph, level: 1 }];
  for (const { part, level } of parts) {
    counts.nodes += part.nodes.length;
    counts.edges += part.edges.length;
    counts.levels = Math.max(counts.levels, level);
    for (const node of part.nodes) {
      counts.expressions += fieldsOf(node).reduce((sum, { count }) => sum + count(), 0);
      for (const { part: body } of bodiesOf(node)) parts.push({ part: body, level: level + 1 });
    }
  }
  const { nodes, edges, levels, expressions } = counts;
  return [
    ...(nodes > sizes.nodes ? [large('nodes', `The graph has ${nodes} nodes`, sizes.nodes)] : []),
    ...(edges > sizes.edges ? [large('edges', `The graph has ${edges} edges`, sizes.edges)] : []),
    ...(levels > sizes.levels ? [large('nodes', `The graph is ${levels} levels deep`, sizes.levels)] : []),
    ...(expressions > sizes.expressions
      ? [large('nodes', `The graph has ${expressions} expressions`, sizes.expressions)]
      : []),
  ];
}

function large(field: string, what: string, most: number): Problem {
  return problemOf('large-graph', { node: '', field }, { what, most });
}

function startProblems({ nodes }: Graph): readonly Problem[] {
  const problems: Problem[] = [];
  const starts = nodes.filter(({ type }) => type === 'start');
  if (starts.length === 0) problems.push(problemOf('no-start', { node: '', field: 'nodes' }));
  for (const { id } of starts.slice(1)) problems.push(problemOf('second-start', { node: id, field: 'type' }));
  if (!nodes.some(({ type }) => type === 'end'))
    problems.push(problemOf('no-end', { node: '', field: 'nodes' }));
  return problems;
}

function* partProblems(place: Place, known: Known): Generator<Problem> {
  const { part, level } = place;
  const drawn = [...drawingProblems(place)];
  yield* drawn;
  if (drawn.length > 0) return;
  if (level === 1) yield* unreachable(part);
  for (const node of part.nodes) yield* nodeProblems(node, place, known);
  yield* redoProblems(part);
}

/** Where it cannot be said what comes before what, nothing more is looked at. */
function* drawingProblems({ part, level, before, within }: Place): Generator<Problem> {
  const ids = new Set<string>();
  for (const { id, type } of part.nodes) {
    if (ids.has(id) || before.has(id)) yield problemOf('id-twice', { node: id, field: 'id' }, { id });
    ids.add(id);
    if (level > 1 && (type === 'start' || type === 'end'))
      yield problemOf('not-in-body', { node: id, field: 'type' }, { type });
  }
  if (part.nodes.length === 0) yield problemOf('empty-body', { node: within, field: 'nodes' });
  yield* edgeProblems(part);
  const circle = circleIn(part);
  if (circle.length > 0)
    yield problemOf('circle', { node: circle[0] ?? '', field: 'edges' }, { ids: circle.join('», «') });
}

function edgeProblems({ nodes, edges }: Part): readonly Problem[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return edges.flatMap(({ from, to, port = 'done' }, i): Problem[] => {
    const field = `edges.${i}`;
    const missing = [from, to].find((id) => !byId.has(id));
    if (missing !== undefined)
      return [problemOf('edge-to-nowhere', { node: missing, field }, { id: missing })];
    const source = byId.get(from);
    const ports = source ? portsOf(source) : [];
    if (ports.includes(port)) return [];
    const code = ports.length === 0 ? 'after-end' : 'no-port';
    return [problemOf(code, { node: from, field }, { id: from, port, ports: ports.join(', ') })];
  });
}

function unreachable(part: Part): readonly Problem[] {
  const start = part.nodes.find(({ type }) => type === 'start');
  if (!start) return [];
  const reached = reachedFrom(part, [start.id]);
  return part.nodes
    .filter(({ id }) => !reached.has(id))
    .map(({ id }) => problemOf('unreachable', { node: id, field: 'edges' }));
}

/** The id of the node that a fault of the schema is in. */
function nodeAt(given: Json, path: readonly PropertyKey[]): string {
  let at: unknown = given;
  let id = '';
  for (const key of path) {
    at = (at as Record<PropertyKey, unknown> | undefined)?.[key];
    const own = (at as { id?: unknown } | null | undefined)?.id;
    if (typeof own === 'string') id = own;
  }
  return id;
}
