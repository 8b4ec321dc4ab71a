import { deepest, isTooDeep } from '../run/depth.ts';
import type { Json } from '../run/values.ts';
import type { Name } from './expression.ts';
import { bodiesOf, Graph, portsOf, sizes, type Part } from './graph.ts';
import { nodeProblems } from './node-problems.ts';
import { circleIn, reachedFrom, settledBefore } from './order.ts';
import type { Known, Place } from './place.ts';
import type { Problem } from './problem.ts';
import { redoProblems } from './redo.ts';
import { scheduleProblems } from './schedule.ts';
import { worstCase } from './worst-case.ts';

/** Everything that is wrong with a graph; nothing, if it can be published. What does not fit its schema is told alone. */
export function problemsIn(given: Json, known: Known = {}): readonly Problem[] {
  if (isTooDeep(given)) return [large('', 'The graph is nested too deeply', ['', String(deepest)])];
  const size = JSON.stringify(given).length;
  if (size > sizes.characters)
    return [large('', `The graph has ${size} characters of JSON`, [`${size} JSON`, `${sizes.characters}`])];
  const read = Graph.safeParse(given);
  if (!read.success)
    return read.error.issues.map(({ path, message }) => ({
      node: nodeAt(given, path),
      field: path.join('.'),
      problem: message,
      fix: 'Correct the field, or take it out.',
      code: 'misfit',
      values: [message],
    }));
  const graph = read.data;
  const all = partsIn(graph);
  const problems = [...sizeProblems(all), ...startProblems(graph), ...scheduleProblems(graph.schedules)];
  for (const place of all) problems.push(...partProblems(place, known));
  if (problems.length === 0) problems.push(...worstCase(graph));
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
  if (nodes > sizes.nodes)
    problems.push(large('nodes', `The graph has ${nodes} nodes`, [`${nodes} nodes`, `${sizes.nodes}`]));
  if (edges > sizes.edges)
    problems.push(large('edges', `The graph has ${edges} edges`, [`${edges} edges`, `${sizes.edges}`]));
  if (levels > sizes.levels)
    problems.push(
      large('nodes', `The graph is ${levels} levels deep`, [`${levels} levels`, `${sizes.levels}`]),
    );
  return problems;
}

function large(field: string, what: string, values: [much: string, most: string]): Problem {
  const fix = 'Take parts out into workflows of their own.';
  return { node: '', field, problem: `${what}; ${values[1]} are the most.`, fix, code: 'too-large', values };
}

function startProblems({ nodes }: Graph): readonly Problem[] {
  const problems: Problem[] = [];
  const starts = nodes.filter(({ type }) => type === 'start');
  if (starts.length === 0)
    problems.push({
      node: '',
      field: 'nodes',
      problem: 'There is no start.',
      fix: 'Add a node of type start.',
      code: 'no-start',
    });
  for (const { id } of starts.slice(1))
    problems.push({
      node: id,
      field: 'type',
      problem: 'There is a second start.',
      fix: 'Keep one of them.',
      code: 'second-start',
    });
  if (!nodes.some(({ type }) => type === 'end'))
    problems.push({
      node: '',
      field: 'nodes',
      problem: 'There is no end.',
      fix: 'Add a node of type end.',
      code: 'no-end',
    });
  return problems;
}

function partProblems(place: Place, known: Known): readonly Problem[] {
  const { part, level } = place;
  const problems: Problem[] = [];
  const ids = new Set<string>();
  for (const { id, type } of part.nodes) {
    if (ids.has(id) || place.before.has(id))
      problems.push({
        node: id,
        field: 'id',
        problem: `«${id}» is used twice.`,
        fix: 'Give one of them another id.',
        code: 'id-twice',
        values: [id],
      });
    ids.add(id);
    if (level > 1 && (type === 'start' || type === 'end'))
      problems.push({
        node: id,
        field: 'type',
        problem: `A body has no ${type}.`,
        fix: 'Take it out: its last node gives its output.',
        code: 'in-a-body',
        values: [type],
      });
  }
  if (part.nodes.length === 0)
    problems.push({
      node: place.within,
      field: 'nodes',
      problem: 'There is nothing in it.',
      fix: 'Add a node.',
      code: 'empty',
    });
  problems.push(...edgeProblems(part));
  const circle = circleIn(part);
  if (circle.length > 0)
    problems.push({
      node: circle[0] ?? '',
      field: 'edges',
      problem: `These lead in a circle: «${circle.join('», «')}».`,
      fix: 'Use a node of type loop for what is to be done again.',
      code: 'circle',
      values: [circle.join('», «')],
    });
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
      return [
        {
          node: missing,
          field,
          problem: `There is no node «${missing}» here.`,
          fix: 'Take the edge out, or name another node.',
          code: 'edge-to-nowhere',
          values: [missing],
        },
      ];
    const source = byId.get(from);
    const ports = source ? portsOf(source) : [];
    if (ports.includes(port)) return [];
    const problem = `«${from}» has no port «${port}».`;
    return [
      {
        node: from,
        field,
        problem,
        fix: ports.length === 0 ? 'Nothing comes after an end.' : `Its ports: ${ports.join(', ')}.`,
        code: 'no-port',
        values: [from, port, ports.join(', ')],
      },
    ];
  });
}

function unreachable(part: Part): readonly Problem[] {
  const start = part.nodes.find(({ type }) => type === 'start');
  if (!start) return [];
  const reached = reachedFrom(part, [start.id]);
  return part.nodes
    .filter(({ id }) => !reached.has(id))
    .map(({ id }) => ({
      node: id,
      field: 'edges',
      problem: 'Nothing leads to it.',
      fix: 'Draw an edge to it, or take it out.',
      code: 'unreachable',
    }));
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
