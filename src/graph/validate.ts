import { deepest, isTooDeep } from '../run/depth.ts';
import type { Json } from '../run/values.ts';
import type { Name } from './expression.ts';
import { bodiesOf, Graph, portsOf, sizes, type Part } from './graph.ts';
import { nodeProblems } from './node-problems.ts';
import { circleIn, reachedFrom, settledBefore } from './order.ts';
import type { Known, Place } from './place.ts';
import { problemOf, type Problem } from './problem.ts';
import { redoProblems } from './redo.ts';
import { scheduleProblems } from './schedule.ts';
import { worstCase } from './worst-case.ts';

/** Everything that is wrong with a graph; nothing, if it can be published. What does not fit its schema is told alone. */
export function problemsIn(given: Json, known: Known = {}): readonly Problem[] {
  if (isTooDeep(given)) return [large('', 'The graph is nested too deeply', deepest)];
  const size = JSON.stringify(given).length;
  if (size > sizes.characters)
    return [large('', `The graph has ${size} characters of JSON`, sizes.characters)];
  const read = Graph.safeParse(given);
  if (!read.success)
    return read.error.issues.map(({ path, message }) =>
      problemOf('schema', { node: nodeAt(given, path), field: path.join('.') }, { message }),
    );
  const graph = read.data;
  const all = partsIn(graph);
  const problems = [...sizeProblems(all), ...startProblems(graph), ...scheduleProblems(graph.schedules)];
  for (const place of all) problems.push(...partProblems(place, known));
  if (problems.length === 0) problems.push(...worstCase(graph, known.limits));
  return problems;
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

function sizeProblems(places: readonly Place[]): readonly Problem[] {
  const count = (of: (part: Part) => number): number => places.reduce((sum, { part }) => sum + of(part), 0);
  const nodes = count((part) => part.nodes.length);
  const edges = count((part) => part.edges.length);
  const levels = Math.max(...places.map(({ level }) => level));
  const problems: Problem[] = [];
  if (nodes > sizes.nodes) problems.push(large('nodes', `The graph has ${nodes} nodes`, sizes.nodes));
  if (edges > sizes.edges) problems.push(large('edges', `The graph has ${edges} edges`, sizes.edges));
  if (levels > sizes.levels)
    problems.push(large('nodes', `The graph is ${levels} levels deep`, sizes.levels));
  return problems;
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

function partProblems(place: Place, known: Known): readonly Problem[] {
  const { part, level } = place;
  const problems: Problem[] = [];
  const ids = new Set<string>();
  for (const { id, type } of part.nodes) {
    if (ids.has(id) || place.before.has(id))
      problems.push(problemOf('id-twice', { node: id, field: 'id' }, { id }));
    ids.add(id);
    if (level > 1 && (type === 'start' || type === 'end'))
      problems.push(problemOf('not-in-body', { node: id, field: 'type' }, { type }));
  }
  if (part.nodes.length === 0) problems.push(problemOf('empty-body', { node: place.within, field: 'nodes' }));
  problems.push(...edgeProblems(part));
  const circle = circleIn(part);
  if (circle.length > 0)
    problems.push(
      problemOf('circle', { node: circle[0] ?? '', field: 'edges' }, { ids: circle.join('», «') }),
    );
  if (circle.length > 0 || problems.length > 0) return problems;
  if (level === 1) problems.push(...unreachable(part));
  for (const node of part.nodes) problems.push(...nodeProblems(node, place, known));
  return [...problems, ...redoProblems(part)];
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
