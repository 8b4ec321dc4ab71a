import { ExpressionError, type Name } from './expression.ts';
import { fieldsOf } from './fields.ts';
import { codeTool, searchTools, type GraphNode } from './graph.ts';
import { settledBefore } from './order.ts';
import type { Known, Place } from './place.ts';
import type { Problem } from './problem.ts';

/** What is wrong with one node where it stands. */
export function nodeProblems(node: GraphNode, place: Place, known: Known): readonly Problem[] {
  return [...nameProblems(node, known), ...capProblems(node), ...expressionProblems(node, place)];
}

function nameProblems(node: GraphNode, known: Known): readonly Problem[] {
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
          {
            node: node.id,
            field: what,
            problem: `There is no ${what} «${name}».`,
            fix: `Name one of: ${[...there].slice(0, 10).join(', ')}.`,
            code: 'unknown-name',
            values: [what, name, [...there].slice(0, 10).join(', ')],
          },
        ],
  );
}

function capProblems(node: GraphNode): readonly Problem[] {
  const { id } = node;
  if (node.type === 'loop') {
    const given = [node.over, node.until, node.times].filter((one) => one !== undefined);
    if (given.length !== 1)
      return [
        {
          node: id,
          field: 'until',
          problem: 'A loop has exactly one of «over», «until» and «times».',
          fix: 'Say what ends it.',
          code: 'loop-end',
        },
      ];
    if (node.times === undefined && node.max === undefined)
      return [
        {
          node: id,
          field: 'max',
          problem: 'The loop has no cap.',
          fix: 'Set «max»: how many rounds at most.',
          code: 'no-cap',
        },
      ];
  }
  if (node.type === 'merge' && node.how === 'agent' && node.agent === undefined)
    return [
      {
        node: id,
        field: 'agent',
        problem: 'Nobody is named who merges.',
        fix: 'Name an agent, or choose another «how».',
        code: 'no-merger',
      },
    ];
  if (node.type === 'wait' && (node.for === undefined) === (node.until === undefined))
    return [
      {
        node: id,
        field: 'until',
        problem: 'A wait has either «for» or «until».',
        fix: 'Give one of them.',
        code: 'wait-end',
      },
    ];
  return [];
}

function expressionProblems(node: GraphNode, { part, names, before }: Place): readonly Problem[] {
  const there = new Set([...before, ...settledBefore(part, node.id)]);
  return fieldsOf(node).flatMap(({ field, read }): Problem[] => {
    try {
      return read().flatMap(({ uses }) => [
        ...[...uses.nodes]
          .filter((id) => !there.has(id))
          .map((id): Problem => ({
            node: node.id,
            field,
            problem: `«nodes.${id}» is used before it can exist.`,
            fix: `Let «${id}» come before it.`,
            code: 'too-early',
            values: [id],
          })),
        ...[...uses.names]
          .filter((name) => isName(name) && !names.has(name) && !isInRound(node, field, name))
          .map((name): Problem => ({
            node: node.id,
            field,
            problem: `«${name}» means nothing here.`,
            fix: 'It is known inside a loop, a map or a fallback.',
            code: 'means-nothing',
            values: [name],
          })),
      ]);
    } catch (thrown) {
      if (!(thrown instanceof ExpressionError)) throw thrown;
      return [
        {
          node: node.id,
          field,
          problem: `Column ${thrown.column}: ${thrown.message}`,
          fix: 'Correct the expression.',
          code: 'expression',
          values: [String(thrown.column), thrown.message],
        },
      ];
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
