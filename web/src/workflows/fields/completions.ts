import type { Context } from '../../../../src/graph/expression.ts';
import { settledBefore } from '../../../../src/graph/order.ts';
import type { Part } from '../../../../src/graph/graph.ts';
import type { DraftGraph } from '../../canvas/model/draft-graph.ts';
import { idOf, nodeAt, partAt, partOf, type NodePath } from '../../canvas/model/node-path.ts';

/** Something that may be written next, and what it is. */
export interface Suggestion {
  readonly label: string;
  readonly detail?: string;
}

/** What an expression at a node may speak of. */
export interface Speaking {
  readonly names: readonly string[];
  /** Nodes that are settled before it, those around it included. */
  readonly nodes: readonly { readonly id: string; readonly title: string }[];
  readonly inputs: readonly string[];
  readonly last: Context | undefined;
}

const inside: Readonly<Record<string, readonly string[]>> = {
  loop: ['item', 'index', 'last'],
  map: ['item', 'index'],
  review: ['last', 'index'],
  failsafe: ['error'],
};

export function speakingAt(graph: DraftGraph, path: NodePath, last: Context | undefined): Speaking {
  const names = new Set(['input', 'nodes', 'now']);
  const nodes: { id: string; title: string }[] = [];
  for (let at = path; at !== ''; at = partOf(partOf(at))) {
    const part = partAt(graph, partOf(at));
    if (!part) break;
    for (const id of settledBefore(part as unknown as Part, idOf(at))) {
      const node = part.nodes.find((one) => one.id === id);
      if (node) nodes.push({ id, title: node.title ?? node.type });
    }
    const holder = partOf(at) === '' ? undefined : nodeAt(graph, partOf(partOf(at)));
    for (const name of inside[holder?.type ?? ''] ?? []) names.add(name);
  }
  return { names: [...names], nodes, inputs: inputsOf(graph), last };
}

function inputsOf({ input }: DraftGraph): readonly string[] {
  const { properties } = isRecord(input) ? input : {};
  return isRecord(properties) ? Object.keys(properties) : ['text'];
}

/** What may come next after what is written before the cursor, and where the word begins. */
export function suggestionsFor(
  before: string,
  isExpression: boolean,
  speaking: Speaking,
): { readonly from: number; readonly options: readonly Suggestion[] } | undefined {
  if (!isExpression && before.lastIndexOf('{{') <= before.lastIndexOf('}}')) return undefined;
  const [path = ''] = /[A-Za-z_][\w.]*$/.exec(before) ?? [];
  const dot = path.lastIndexOf('.');
  const from = before.length - (path.length - dot - 1);
  const around = dot === -1 ? [] : path.slice(0, dot).split('.');
  return { from, options: optionsIn(around, speaking) };
}

function optionsIn(
  around: readonly string[],
  { names, nodes, inputs, last }: Speaking,
): readonly Suggestion[] {
  const [first, second] = around;
  if (first === undefined) return names.map((label) => ({ label }));
  if (around.length === 1 && first === 'nodes')
    return nodes.map(({ id, title }) => ({ label: id, detail: title }));
  if (around.length === 2 && first === 'nodes') return [{ label: 'output' }];
  const known = fieldsAt(last, around);
  if (first === 'input' && second === undefined)
    return [...new Set([...inputs, ...known.map(({ label }) => label)])].map((label) => ({ label }));
  return known;
}

/** The fields that a value had in the last run. */
function fieldsAt(last: Context | undefined, around: readonly string[]): readonly Suggestion[] {
  let value: unknown = last;
  for (const name of around) value = isRecord(value) ? value[name] : undefined;
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([label, inner]) => ({
    label,
    detail: Array.isArray(inner) ? 'list' : typeof inner,
  }));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
