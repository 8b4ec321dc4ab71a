import { shownQuestion } from '../../run/shown-question.ts';
import { isBlobRef, type Usage } from '../../run/values.ts';
import { stepName } from '../nested.ts';
import type { Question } from '../questions.ts';
import type { OpenStep } from '../story.ts';
import type { NamedAnswer } from '../door.ts';
import { responseId } from './ids.ts';
import { present } from '../../run/tree.ts';

/** What a response says of itself, beside its output. */
export interface About extends NamedAnswer {
  readonly model: string;
  readonly created: number;
}

export interface Ended {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  readonly output: readonly object[];
  readonly usage?: Usage | undefined;
  readonly failure?: string | undefined;
  /** Why the answer did not end by itself. */
  readonly reason?: 'max_output_tokens' | 'content_filter' | undefined;
}

export function responseOf(about: About, { status, output, usage, failure, reason }: Ended): object {
  return {
    id: responseId(about),
    object: 'response',
    created_at: about.created,
    status,
    model: about.model,
    output,
    error: failure === undefined ? null : { code: 'server_error', message: failure },
    incomplete_details: reason === undefined ? null : { reason },
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    temperature: null,
    top_p: null,
    ...(usage ? { usage: usageOf(usage) } : {}),
  };
}

function usageOf({ input, output, cached = 0, reasoning = 0 }: Usage): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

export function messageItem(id: string, text: string, status: 'completed' | 'incomplete'): object {
  return { id, type: 'message', role: 'assistant', status, content: [textPart(text)] };
}

export function textPart(text: string): object {
  return { type: 'output_text', text, annotations: [] };
}

/** What will run, as JSON that clients parse: words alone are the text of it. */
export function argumentsOf(asked: Question): string {
  const { arguments: shown } = shownQuestion(asked);
  if (shown === undefined) return '{}';
  const isText = typeof asked.arguments === 'string' || isBlobRef(asked.arguments);
  return isText ? JSON.stringify({ text: shown }) : shown;
}

/** How a step stands, and why. */
interface Standing {
  readonly status: string;
  readonly failure?: string | undefined;
}

/** A step as an item of its own type, which official clients accept; its parent is the `step` of another. */
export function stepItem(id: string, step: OpenStep<unknown>, { status, failure }: Standing): object {
  const { parent, title, attempt, opening, call, text } = step;
  return {
    id,
    type: 'x_step',
    step: `s${step.id}`,
    parent: stepName(parent) ?? null,
    title,
    kind: opening.kind,
    status,
    ...present({
      agent: opening.agent,
      tool: call?.tool,
      attempt: attempt === 1 ? undefined : attempt,
      text: text === '' ? undefined : text,
      failure,
    }),
  };
}
