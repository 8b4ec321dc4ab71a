import type { EventOf } from '../../run/events.ts';
import { isBlobRef, type BlobRef } from '../../run/values.ts';
import type { ExecutionFrame, StepType } from '../../wire/execution.ts';
import { cut, cutWith } from '../preferences/cut.ts';
import { textOf } from '../text-of.ts';

export const lengths = { summary: 200, gathered: 200, preview: 300, response: 50_000 } as const;

const types: Readonly<Record<string, StepType>> = {
  agent: 'agent',
  call: 'tool_call',
  misfit: 'tool_call',
  route: 'coordinator',
  branch: 'parallel_crew',
  answer: 'merge',
};

/** Of nodes of a graph, whose kinds are their types. */
const nodeTypes: Readonly<Record<string, StepType>> = {
  prompt: 'llm_call',
  tool: 'tool_call',
  http: 'tool_call',
  code: 'tool_call',
  map: 'parallel_crew',
  team: 'hierarchical_crew',
  merge: 'merge',
  branch: 'coordinator',
  loop: 'coordinator',
};

export function typeOf({ kind, key, effect, agent }: EventOf<'step.opened'>, isGraph = false): StepType {
  // An item of a map has a kind that is also the type of a node.
  const ofNode = isGraph && !/^branch \d+$/.test(key) ? nodeTypes[kind] : undefined;
  if (ofNode !== undefined) return ofNode;
  if (kind === 'turn') return effect === undefined || effect === 'pure' ? 'llm_call' : 'agent';
  return types[kind] ?? (agent === undefined ? 'transform' : 'agent');
}

export function inputOf({ query, call, agent, model }: EventOf<'step.opened'>): Record<string, unknown> {
  const given = call && summary(textOf(call.arguments));
  return { user_input: query && summary(query), tool: call?.tool, arguments: given, agent, model };
}

type Completed = Extract<ExecutionFrame, { event: 'step_completed' }>['payload'];

export function outputOf(event: EventOf<'step.closed'>, text: string): Completed {
  const { outcome, result, usage, failure, reusedFrom } = event;
  const output = text || textOf(result);
  const output_summary = {
    status: outcome,
    output: output === '' ? undefined : summary(output),
    tokens: usage && usage.input + usage.output,
    reason: failure?.message,
    ...(reusedFrom === undefined ? {} : { reused_from: `s${reusedFrom}`, blocked: true }),
  };
  return { output_summary, output_preview: cutWith(output, lengths.preview, '...') };
}

function summary(text: string): string {
  return cutWith(text, lengths.summary, '...');
}

export function finalResponse(answer: string | BlobRef | undefined): string {
  const text = textOf(answer);
  if (text.length <= lengths.response && !isBlobRef(answer)) return text;
  return `${cut(text, lengths.response)}\n\n[The response is longer; the run has all of it.]`;
}
