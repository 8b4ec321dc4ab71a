import type { StepId } from '../../run/events.ts';
import { isBlobRef, type BlobRef, type Json } from '../../run/values.ts';
import type { ToolResult, TwoStageFrame } from '../../wire/two-stage.ts';
import type { Closing, OpenStep } from '../story.ts';
import { isoTime } from '../time-text.ts';
import { attemptsOf, isToolCall, toolOf } from '../tool-call.ts';

type ToolCall = NonNullable<TwoStageFrame['toolCalls']>[number];
type Step = OpenStep<unknown>;

/** A call as models ask for it; one that cannot be understood has what was written. */
export function callOf(step: Step): ToolCall | undefined {
  if (!isToolCall(step)) return undefined;
  const { id, call, opening } = step;
  const given = call ? textOf(call.arguments) : (opening.query ?? '');
  return {
    id: call?.id ?? `s${id}`,
    type: 'function',
    function: { name: toolOf(step), arguments: given },
  };
}

interface Ended {
  readonly at: number;
  readonly ended: ReadonlyMap<StepId, number>;
}

export function resultOf(step: Step, event: Closing, { at, ended }: Ended): ToolResult | undefined {
  const asked = callOf(step);
  if (!asked) return undefined;
  const { outcome, failure, result, reusedFrom } = event;
  const place = { toolCallId: asked.id, toolName: asked.function.name };
  const timestamp = isoTime(at);
  if (reusedFrom !== undefined) {
    const before = ended.get(reusedFrom);
    const details = {
      message: 'It was asked for before, and was not run again: use the earlier outcome.',
      ...(before !== undefined && { previous_timestamp: isoTime(before) }),
      ...(result !== undefined && { previous_summary: shown(result) }),
      ...(step.call && { signature: step.call.signature }),
    };
    return { ...place, success: false, error: 'DUPLICATE_BLOCKED', details, attempts: 0, timestamp };
  }
  const attempts = attemptsOf(step);
  if (outcome === 'completed')
    return { ...place, success: true, result: shown(result ?? step.text), attempts, timestamp };
  return {
    ...place,
    success: false,
    error: failure?.message ?? `The call was ${outcome}.`,
    attempts,
    timestamp,
  };
}

/** What is large says where all of it is. */
function shown(value: BlobRef | Json): Json {
  if (!isBlobRef(value)) return value;
  return `${value.preview ?? ''}… (${value.size} bytes in all: GET /api/files/${value.blob})`;
}

function textOf(value: BlobRef | Json): string {
  const whole = shown(value);
  return typeof whole === 'string' ? whole : JSON.stringify(whole);
}
