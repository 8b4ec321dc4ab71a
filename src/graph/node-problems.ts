import { ExpressionError, type Name } from './expression.ts';
import { fieldsOf } from './fields.ts';
import { codeTool, searchTools, type GraphNode } from './graph.ts';
import { settledBefore } from './order.ts';
import type { Known, Place } from './place.ts';
import { problemOf, type Problem } from './problem.ts';

/** What is wrong with one node where it stands. */
export function nodeProblems(node: GraphNode, place: Place, known: Known): readonly Problem[] {
  return [
    ...nameProblems(node, known),
    ...capProblems(node),
    ...settingsProblems(node, known),
    ...expressionProblems(node, place),
  ];
}

/** Whom and what a node names that is not there. */
export function nameProblems(node: GraphNode, known: Known): readonly Problem[] {
  const named: [string, string, ReadonlySet<string> | undefined][] = [];
  if (node.type === 'agent' || node.type === 'prompt') named.push(['agent', node.agent, known.agents]);
  if (node.type === 'agent') for (const tool of node.tools ?? []) named.push(['tool', tool, known.tools]);
  if (node.type === 'tool') named.push(['tool', node.tool, known.tools]);
  if (node.type === 'workflow') named.push(['workflow', node.workflow, known.workflows]);
  if (node.type === 'review') named.push(['agent', node.judge, known.agents]);
  if (node.type === 'merge' && node.agent !== undefined) named.push(['agent', node.agent, known.agents]);
  if (node.type === 'http') named.push(['connection', node.connection, known.connections]);
  if (node.type === 'code') named.push(['tool', codeTool, known.tools]);
  if (node.type === 'retrieve')
    for (const tool of searchTools(node.settings)) named.push(['tool', tool, known.tools]);
  return named.flatMap(([what, name, there]) =>
    there === undefined || there.has(name)
      ? []
      : [
          problemOf(
            'unknown-name',
            { node: node.id, field: what },
            { what, name, known: [...there].slice(0, 10).join(', ') },
          ),
        ],
  );
}

/** Settings that are another part's: a team's are a coordinator's, a guard's those of an application. */
export function settingsProblems(node: GraphNode, { settings }: Known): readonly Problem[] {
  if ((node.type !== 'team' && node.type !== 'guard') || !settings) return [];
  const what = node.type === 'team' ? 'a coordinator' : 'guards';
  return settings(node).map(({ path, message }) =>
    problemOf('settings', { node: node.id, field: ['settings', ...path].join('.') }, { message, what }),
  );
}

function capProblems(node: GraphNode): readonly Problem[] {
  const { id } = node;
  if (node.type === 'loop') {
    const given = [node.over, node.until, node.times].filter((one) => one !== undefined);
    if (given.length !== 1) return [problemOf('loop-ending', { node: id, field: 'until' })];
    if (node.times === undefined && node.max === undefined)
      return [problemOf('no-cap', { node: id, field: 'max' })];
  }
  if (node.type === 'merge' && node.how === 'agent' && node.agent === undefined)
    return [problemOf('nobody-merges', { node: id, field: 'agent' })];
  if (node.type === 'wait' && (node.for === undefined) === (node.until === undefined))
    return [problemOf('wait-ending', { node: id, field: 'until' })];
  return [];
}

function expressionProblems(node: GraphNode, { part, names, before }: Place): readonly Problem[] {
  let inPart: ReadonlySet<string> | undefined;
  const isThere = (id: string): boolean =>
    before.has(id) || (inPart ??= settledBefore(part, node.id)).has(id);
  return fieldsOf(node).flatMap(({ field, read }): Problem[] => {
    try {
      return read().flatMap(({ uses }) => [
        ...[...uses.nodes]
          .filter((id) => !isThere(id))
          .map((id) => problemOf('too-early', { node: node.id, field }, { id })),
        ...[...uses.names]
          .filter((name) => isName(name) && !names.has(name) && !isInRound(node, field, name))
          .map((name) => problemOf('means-nothing', { node: node.id, field }, { name })),
      ]);
    } catch (thrown) {
      if (!(thrown instanceof ExpressionError)) throw thrown;
      const { column, message } = thrown;
      return [problemOf('expression', { node: node.id, field }, { column, message })];
    }
  });
}

/** What ends a loop is asked after each round. */
function isInRound({ type }: GraphNode, field: string, name: Name): boolean {
  return type === 'loop' && field === 'until' && (name === 'last' || name === 'index');
}

const bounded: ReadonlySet<string> = new Set(['item', 'index', 'last', 'error', 'edits']);
function isName(name: string): name is Name {
  return bounded.has(name);
}
