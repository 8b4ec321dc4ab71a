// The steps that the official client of OpenAI is told beside the answer, under names of ours.
import type OpenAI from 'openai';

export interface ChatStep {
  readonly id: string;
  readonly parent?: string | null;
  readonly title?: string;
  readonly status?: string;
}

/** What a chunk says of a step, and of the run. */
export function toldIn(chunk: OpenAI.ChatCompletionChunk): Told {
  return chunk as Told;
}

interface Told {
  readonly x_step?: ChatStep;
  readonly x_run?: { readonly id: string; readonly status: string };
}

export interface ResponseStep {
  readonly type: string;
  readonly step: string;
  readonly parent: string | null;
  readonly title: string;
  readonly status: string;
}

export function stepsIn(events: readonly OpenAI.Responses.ResponseStreamEvent[]): Map<string, ResponseStep> {
  const steps = new Map<string, ResponseStep>();
  for (const event of events) {
    if (event.type !== 'response.output_item.added' && event.type !== 'response.output_item.done') continue;
    const item = event.item as unknown as ResponseStep;
    if (item.type === 'x_step') steps.set(item.step, item);
  }
  return steps;
}

export function approvalIn({ output }: OpenAI.Responses.Response): string {
  return output.find((item) => item.type === 'mcp_approval_request')?.id ?? 'none';
}

export function fingerprintIn(text: string): string {
  return /approve ([0-9a-f]{32})/.exec(text)?.[1] ?? 'none';
}
