import { z } from 'zod';
import { GraphNode } from '../../../../src/graph/graph.ts';
import type { Json } from '../../../../src/run/values.ts';
import type { NodeType } from './draft-graph.ts';

/** One thing that can be said about a node, as its schema has it. */
export interface NodeField {
  readonly name: string;
  readonly is:
    | 'text'
    | 'long'
    | 'number'
    | 'boolean'
    | 'choice'
    | 'choices'
    | 'names'
    | 'cases'
    | 'retry'
    | 'value'
    | 'template'
    | 'expression';
  readonly choices: readonly string[];
  readonly isNeeded: boolean;
}

/** What expressions stand in by themselves, and what is text with expressions in it. */
const expressions: ReadonlySet<string> = new Set(['over', 'until', 'items', 'for']);
const templates: ReadonlySet<string> = new Set(['message', 'system', 'path', 'query', 'text']);
/** Drawn, or said elsewhere. */
const elsewhere: ReadonlySet<string> = new Set(['id', 'type', 'body', 'fallback', 'icon']);

type Schema = Readonly<Record<string, unknown>>;

const made = new Map<NodeType, readonly NodeField[]>();

/** The fields of a type of node, from the schema it is checked by: a field that is new there is new here. */
export function fieldsOfType(type: NodeType): readonly NodeField[] {
  const known = made.get(type);
  if (known) return known;
  const option = GraphNode.options.find((one) => one.shape.type.value === type);
  const schema = option ? (z.toJSONSchema(option, { unrepresentable: 'any', io: 'input' }) as Schema) : {};
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const needed = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(properties)
    .filter(([name]) => !elsewhere.has(name) || (name === 'body' && type === 'http'))
    .map(([name, own]) => fieldOf(name, own, needed.includes(name)));
  const ordered = fields.toSorted((one, other) => weightOf(one) - weightOf(other));
  made.set(type, ordered);
  return ordered;
}

/** The name first, what the type is about next, and what every node has last. */
function weightOf({ name }: NodeField): number {
  const order = [
    'title',
    'agent',
    'tool',
    'workflow',
    'judge',
    'connection',
    'system',
    'message',
    '',
    'answer',
    'within',
    'retry',
  ];
  return order.includes(name) ? order.indexOf(name) : order.indexOf('');
}

function fieldOf(name: string, schema: Schema, isNeeded: boolean): NodeField {
  const items = (schema['items'] ?? {}) as Schema;
  const choices = choicesOf(schema) ?? choicesOf(items) ?? [];
  return { name, is: kindOf(name, schema), choices, isNeeded };
}

function kindOf(name: string, schema: Schema): NodeField['is'] {
  if (name === 'cases' || name === 'retry') return name;
  if (name === 'code') return 'long';
  if (expressions.has(name)) return 'expression';
  if (templates.has(name)) return 'template';
  if (choicesOf(schema)) return 'choice';
  const { type } = schema;
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'array') return choicesOf((schema['items'] ?? {}) as Schema) ? 'choices' : 'names';
  return 'value';
}

function choicesOf(schema: Schema): readonly string[] | undefined {
  return Array.isArray(schema['enum']) ? schema['enum'].map(String) : undefined;
}

/** A value as it is written in a field: text as it is, all else as JSON, and text that reads as JSON quoted. */
export function writtenOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string' && readValue(value) === value) return value;
  return JSON.stringify(value, null, 2);
}

/** What was written: JSON where it is any, text otherwise. */
export function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
