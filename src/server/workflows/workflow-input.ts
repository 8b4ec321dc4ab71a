import type { Json } from '../../run/values.ts';

const titleLength = 200;

/** What a workflow is started with: words for people to read, and what the graph has as `input`. */
export interface WorkflowInput {
  readonly text: string;
  readonly data?: Json;
}

/** A text alone is `{"text": …}` to the graph. What is data has words where it says some under `text`. */
export function workflowInput(name: string, input: Json | undefined): WorkflowInput {
  if (input === undefined) return { text: name, data: {} };
  if (typeof input === 'string') return { text: input === '' ? name : input, data: { text: input } };
  const said: unknown = Reflect.get(Object(input), 'text');
  const text = typeof said === 'string' && said !== '' ? said : shortened(JSON.stringify(input));
  return { text, data: input };
}

function shortened(text: string): string {
  return text.length <= titleLength ? text : `${text.slice(0, titleLength)}…`;
}
