import type { AgUiEvent } from '../../wire/ag-ui.ts';
import type { Call } from '../../run/events.ts';
import type { Closing } from '../story.ts';
import { resultText } from '../speaker.ts';
import { placeOf } from './part.ts';
import type { AgUiStep } from './scene.ts';

/** A call with all it is given. It was asked for and is run here: what clients have to do with it is to look on. */
export function callStarted(step: AgUiStep): AgUiEvent[] {
  const { own } = step;
  const place = { toolCallId: own.id, subagentRunId: own.agent };
  const { name, arguments: delta } = functionOf({ ...step, query: step.opening.query });
  return [
    {
      type: 'TOOL_CALL_START',
      ...place,
      toolCallName: name,
      metadata: placeOf({ part: own, step, opening: step.opening }),
    },
    { type: 'TOOL_CALL_ARGS', ...place, delta },
    { type: 'TOOL_CALL_END', ...place },
  ];
}

/** What is called, and with what, as the protocol writes it. */
export function functionOf({ id, call, title, query = '{}' }: Called): { name: string; arguments: string } {
  const name = (call?.tool ?? title).toWellFormed() || `s${id}`;
  return { name, arguments: call ? JSON.stringify(call.arguments) : query.toWellFormed() };
}

interface Called {
  readonly id: number;
  readonly title: string;
  readonly call?: Call | undefined;
  /** What a call of an agent elsewhere was given, as that agent wrote it. */
  readonly query?: string | undefined;
}

/** Every call has a result: clients take one without for theirs to run. */
export function resultOf(event: Closing, { own }: AgUiStep): AgUiEvent {
  return {
    type: 'TOOL_CALL_RESULT',
    messageId: `${own.id}-result`,
    toolCallId: own.id,
    content: resultText(event),
    subagentRunId: own.agent,
    metadata: { status: event.outcome },
  };
}
