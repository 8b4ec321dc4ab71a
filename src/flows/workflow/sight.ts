import type { Before, Scope } from '../../engine/scope.ts';
import { readExpression, ExpressionError, type Context, type Expression } from '../../graph/expression.ts';
import type { GraphNode, Part } from '../../graph/graph.ts';
import { readTemplate, readTemplates, type Template } from '../../graph/template.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';

/** The port of a question that nobody answers any more: no edge leaves by it. */
export const withdrawn = 'withdrawn';

/** How a node of a graph ended: where edges leave it, and what it gave. It is the result of its step. */
export interface Done {
  readonly port: string;
  readonly output: Json;
  /** Of a question: what nodes before it gave when they were done again. */
  readonly redone?: Before;
}

/** What expressions see where a graph stands: all names but `nodes`, and the nodes around it that are settled. */
export interface Around {
  readonly names: Context;
  readonly nodes: Readonly<Record<string, Json>>;
}

/** A node at work: its step, what its expressions see, the graph it stands in, and how those before it ended. */
export interface AtWork<Node extends GraphNode = GraphNode> {
  readonly scope: Scope;
  readonly node: Node;
  readonly around: Around;
  readonly part: Part;
  readonly settled: Before;
  /** Of a question: resolves once nothing can come of it any more, with why. */
  readonly moot?: { of(node: GraphNode): Promise<string> | undefined } | undefined;
}

export type NodeOf<Type extends GraphNode['type']> = Extract<GraphNode, { type: Type }>;

/** The same, seeing more. */
export function seeing<Node extends GraphNode>(at: AtWork<Node>, names: Context): AtWork<Node> {
  return { ...at, around: { ...at.around, names: { ...at.around.names, ...names } } };
}

/** A text, or any value with texts in it, as the node has it, with its templates filled. */
export function filled(at: AtWork, field: string, value: Json): Json {
  const template = readOnce(at, field, () => readTemplates(value)) as Template;
  return evaluated(at, field, () => template.fill(contextOf(at)));
}

/** The same of a text that goes to somebody. */
export function filledText(at: AtWork, field: string, value: string): string {
  return asText(filled(at, field, value));
}

/** A path of an address: each value that is filled in stays one part of it, or one value of its query. */
export function filledPath(at: AtWork, field: string, path: string): string {
  const template = readOnce(at, field, () => readTemplate(path, inPath)) as Template;
  return asText(evaluated(at, field, () => template.fill(contextOf(at))));
}

function inPath(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/** The value of an expression. */
export function valueOf(at: AtWork, field: string, text: string): Json {
  const expression = readOnce(at, field, () => readExpression(text)) as Expression;
  return evaluated(at, field, () => expression.evaluate(contextOf(at)));
}

export function isTrue(at: AtWork, field: string, text: string): boolean {
  const value = valueOf(at, field, text);
  if (typeof value === 'boolean') return value;
  throw given(at, field, { value, not: 'neither true nor false' });
}

export function listOf(at: AtWork, field: string, text: string): readonly Json[] {
  const value = valueOf(at, field, text);
  if (Array.isArray(value)) return value;
  throw given(at, field, { value, not: 'no list' });
}

const mostTold = 100;

function given({ node }: AtWork, field: string, { value, not }: { value: Json; not: string }): RunError {
  const told = asText(value).slice(0, mostTold).toWellFormed();
  return new RunError('malformed', `«${field}» of «${titleOf(node)}» gives ${not}, but ${told}.`);
}

export function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a node is called where people read it. */
export function titleOf({ title, id }: Pick<GraphNode, 'title' | 'id'>): string {
  return title ?? id;
}

function contextOf({ scope, around }: AtWork): Context {
  return {
    ...around.names,
    nodes: around.nodes as Json,
    get now() {
      return new Date(scope.openedAt).toISOString();
    },
  };
}

/** A node of a map works a thousand times, and is read once. */
const known = new WeakMap<GraphNode, Map<string, Template | Expression>>();

function readOnce({ node }: AtWork, field: string, read: () => Template | Expression): Template | Expression {
  const fields = known.get(node) ?? new Map<string, Template | Expression>();
  known.set(node, fields);
  const before = fields.get(field);
  if (before) return before;
  const made = read();
  fields.set(field, made);
  return made;
}

function evaluated(at: AtWork, field: string, work: () => Json): Json {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof ExpressionError)) throw cause;
    const where = `«${field}» of «${titleOf(at.node)}»`;
    throw new RunError('malformed', `${where}, column ${cause.column}: ${cause.message}`, { cause });
  }
}
