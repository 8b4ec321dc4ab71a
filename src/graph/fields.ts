import type { Json } from '../run/values.ts';
import { readExpression, type Expression } from './expression.ts';
import type { GraphNode } from './graph.ts';
import { readTemplates } from './template.ts';

/** A field of a node that holds expressions. */
export interface Field {
  readonly field: string;
  /** How many expressions stand in it, at most. */
  readonly count: () => number;
  /** Fails with the column where it cannot be read. */
  readonly read: () => readonly Expression[];
}

/** The fields of a node in which expressions stand: some are one, all other texts are templates. */
export function fieldsOf(node: GraphNode): readonly Field[] {
  switch (node.type) {
    case 'branch':
      return node.cases.map(({ when }, i) => bare(`cases.${i}.when`, when));
    case 'loop':
      return [...given('over', node.over), ...given('until', node.until)];
    case 'map':
      return [bare('items', node.items)];
    case 'wait':
      return [
        ...(typeof node.for === 'string' ? [bare('for', node.for)] : []),
        ...given('until', node.until),
      ];
    case 'start':
    case 'review':
    case 'failsafe':
    case 'merge':
      return [];
    case 'end':
      return filled({ output: node.output });
    case 'agent':
    case 'team':
      return filled({ message: node.message });
    case 'prompt':
      return filled({ system: node.system, message: node.message });
    case 'human':
      return [
        ...filled({ shows: node.shows }),
        ...(typeof node.expiresIn === 'string' ? [bare('expiresIn', node.expiresIn)] : []),
      ];
    case 'tool':
      return filled({ arguments: node.arguments });
    case 'http':
      return filled({ path: node.path, body: node.body });
    case 'code':
      return filled({ input: node.input });
    case 'template':
      return filled({ value: node.value });
    case 'workflow':
      return filled({ input: node.input });
    case 'retrieve':
      return filled({ query: node.query });
    case 'guard':
      return filled({ text: node.text });
  }
}

function bare(field: string, text: string): Field {
  return { field, count: () => 1, read: () => [readExpression(text)] };
}

function given(field: string, text: string | undefined): readonly Field[] {
  return text === undefined ? [] : [bare(field, text)];
}

function filled(fields: Readonly<Record<string, Json | undefined>>): readonly Field[] {
  return Object.entries(fields).flatMap(([field, value]) =>
    value === undefined
      ? []
      : [{ field, count: () => opened(value), read: () => readTemplates(value).expressions }],
  );
}

/** How often `{{` stands in a value. */
function opened(value: Json): number {
  return JSON.stringify(value).split('{{').length - 1;
}
